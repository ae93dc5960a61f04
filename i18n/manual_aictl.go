package i18n

func aictlItself() map[string]Page {
	return map[string]Page{
		"blunux-aictl": {
			Long: T(`이 컴퓨터에게 말로 물어보고 시켜요. 읽기만 하는 명령은 바로 실행되고, 무언가를 바꾸는 명령은 먼저 물어봐요.

데몬이 없으면 시작하고, 데몬은 할 일이 없으면 스스로 끝나요.`,
				`Ask this machine, and tell it what to do, in plain words. Commands that only read run at once; those that change something ask first.

A daemon is started where none runs, and leaves by itself when nobody needs it.`,
				`用自然语言向这台电脑提问和下达指令。只读命令立即执行，会改动系统的命令先询问您。

需要时会启动守护进程，空闲时它会自行退出。`),
			Example: T(`blunux-aictl ask 디스크 얼마나 남았어?
# 파일의 내용을 자료로 함께
blunux-aictl ask -f /etc/fstab 이상한 곳이 있어?
# 기다리는 명령을 승인
blunux-aictl approve K7QX`,
				`blunux-aictl ask how much disk space is left
# with the text of a file as data
blunux-aictl ask -f /etc/fstab is anything wrong with this?
# let a waiting command run
blunux-aictl approve K7QX`,
				`blunux-aictl ask 磁盘还剩多少空间
# 附上文件内容作为资料
blunux-aictl ask -f /etc/fstab 有什么问题吗
# 批准等待中的命令
blunux-aictl approve K7QX`),
		},
	}
}

func aictlAsk() map[string]Page {
	return map[string]Page{
		"blunux-aictl ask": {
			Long: T(`질문하고 답을 받아요. 답은 표준 출력에, 그 밖의 것은 표준 오류에 나와요.

파이프로 들어온 글과 -f로 준 파일은 믿지 않는 자료로 함께 보내요. 그 안의 지시는 따르지 않아요. 인자가 없으면 파이프의 글이 질문이에요. 길면 가운데를 줄여요.

무언가를 바꾸는 명령은 터미널에서 물어봐요. 물어볼 사람이 없으면 실행하지 않고 코드를 알려 주며 종료 코드 5로 끝나요.`,
				`Ask a question. The answer goes to standard output, everything else to standard error.

What is piped in, and files given with -f, go along as data that is not trusted: no instruction in them is followed. Without arguments what is piped in is the question. The middle of what is too long is left out.

What changes something is asked about at the terminal. Where nobody is there it does not run: its code is printed and the exit status is 5.`,
				`提问并得到回答。回答写到标准输出，其余写到标准错误。

管道传入的文字和用 -f 给出的文件作为不可信的资料一起发送，其中的指示不会被执行。没有参数时，管道的文字就是问题。过长时省略中间部分。

会改动系统的命令会在终端询问。没有人可询问时不执行，而是显示代码并以状态 5 退出。`),
			Example: T(`blunux-aictl ask 와이파이가 왜 느려?
journalctl -b -p err | blunux-aictl ask 무엇이 문제야?
# 마지막 대화를 이어서
blunux-aictl ask -c 그럼 그걸 고쳐줘
# 실행하지 않고 계획만
blunux-aictl ask --dry-run 크롬 설치해줘
# 스크립트에서
blunux-aictl ask --json --timeout 30s 메모리 사용량`,
				`blunux-aictl ask why is my Wi-Fi slow
journalctl -b -p err | blunux-aictl ask what is wrong here
# go on with the latest conversation
blunux-aictl ask -c then mend that
# only the plan, nothing runs
blunux-aictl ask --dry-run install chromium
# in a script
blunux-aictl ask --json --timeout 30s memory usage`,
				`blunux-aictl ask 无线网为什么慢
journalctl -b -p err | blunux-aictl ask 这里有什么问题
# 继续最近的对话
blunux-aictl ask -c 那就修好它
# 只看计划，不执行
blunux-aictl ask --dry-run 安装 chromium
# 在脚本中
blunux-aictl ask --json --timeout 30s 内存用量`),
		},
	}
}

func aictlApprove() map[string]Page {
	return map[string]Page{
		"blunux-aictl approve": {
			Long: T(`기다리는 명령을 한 번 실행하게 해요. 먼저 그 명령을 그대로 보여줘요. 코드는 approvals에 나오고, 시간이 지나면 사라져요.

--edit으로 고친 명령은 다시 판정돼요. --session은 그 대화에서 똑같은 명령만 다시 묻지 않게 해요. 관리자 권한을 쓰는 명령에는 쓸 수 없어요.`,
				`Let a waiting command run once, after it is shown as it is. Codes are listed by approvals and end with time.

A command that is edited with --edit is judged anew. --session asks no more about the very same command in that conversation; it is not for commands with root's rights.`,
				`让等待中的命令执行一次，并先原样显示该命令。代码可用 approvals 查看，过期失效。

用 --edit 修改的命令会重新判定。--session 只对该对话中完全相同的命令不再询问，不适用于管理员权限的命令。`),
			Example: T(`blunux-aictl approve K7QX
blunux-aictl approve K7QX --edit='pacman -S chromium'`,
				`# the code is the one that was printed
blunux-aictl approve K7QX
blunux-aictl approve K7QX --edit='pacman -S chromium'`,
				`# 代码为之前显示的代码
blunux-aictl approve K7QX
blunux-aictl approve K7QX --edit='pacman -S chromium'`),
		},
	}
}

func aictlAutomations() map[string]Page {
	return map[string]Page{
		"blunux-aictl automations": {
			Long: T(`저절로 실행되는 일을 보고 정해요. 규칙은 automations.toml에 있고, 데몬이 바뀐 것을 스스로 알아차려요. 형식은 blunux-ai-config(5)에 있어요.`,
				`See and set up what happens by itself. The rules stand in automations.toml; the daemon notices changes by itself. blunux-ai-config(5) describes the file.`,
				`查看和设置自动执行的事。规则写在 automations.toml 中，守护进程会自动察觉更改。格式见 blunux-ai-config(5)。`),
		},
		"blunux-aictl automations add": {
			Long: T(`자동화를 새로 만들어요. 언제(--schedule이나 --on)와 무엇을(할 일을 적은 말, --check, 또는 둘 다)이 있어야 해요.

조건(--check)은 모델 없이 살펴보고, 말은 조건이 맞을 때 해요. 바꾸는 명령은 저절로 실행될 때도 물어봐요.`,
				`Set up a new automation. It needs to know when (--schedule or --on) and what (words, --check, or both).

A condition (--check) is watched without a model; the words follow when it is met. What changes something asks first, here too.`,
				`新建自动化。需要说明时间（--schedule 或 --on）和内容（文字、--check 或两者）。

条件（--check）不用模型即可监视，满足时才执行文字所述。会改动系统的命令同样先询问。`),
			Example: T(`blunux-aictl automations add --schedule 09:00 디스크 확인해줘
blunux-aictl automations add --schedule "0 18 * * fri" --notify desktop 이번 주 업데이트 정리해줘
# 디스크가 90% 차면 알림
blunux-aictl automations add --schedule "*/30 * * * *" --check disk --over 90
blunux-aictl automations add --on unit_failed 왜 실패했는지 알려줘`,
				`blunux-aictl automations add --schedule 09:00 check the disk
blunux-aictl automations add --schedule "0 18 * * fri" --notify desktop sum up the updates of this week
# tell when a disk is 90 % full
blunux-aictl automations add --schedule "*/30 * * * *" --check disk --over 90
blunux-aictl automations add --on unit_failed tell me why it failed`,
				`blunux-aictl automations add --schedule 09:00 检查磁盘
blunux-aictl automations add --schedule "0 18 * * fri" --notify desktop 汇总本周更新
# 磁盘占用到 90% 时通知
blunux-aictl automations add --schedule "*/30 * * * *" --check disk --over 90
blunux-aictl automations add --on unit_failed 说明失败原因`),
		},
		"blunux-aictl automations edit": {
			Example: T(`# 파일을 편집기로
blunux-aictl automations edit
blunux-aictl automations edit 디스크 --schedule 10:00`,
				`# the file, in your editor
blunux-aictl automations edit
blunux-aictl automations edit disk --schedule 10:00`,
				`# 用编辑器打开文件
blunux-aictl automations edit
blunux-aictl automations edit 磁盘 --schedule 10:00`),
		},
		"blunux-aictl automations snooze": {
			Example: T(`blunux-aictl automations snooze 디스크 12h
# 다시 알리게
blunux-aictl automations snooze 디스크 0`,
				`blunux-aictl automations snooze disk 12h
# have it tell again
blunux-aictl automations snooze disk 0`,
				`blunux-aictl automations snooze 磁盘 12h
# 恢复通知
blunux-aictl automations snooze 磁盘 0`),
		},
	}
}

func aictlMemory() map[string]Page {
	return map[string]Page{
		"blunux-aictl memory": {
			Long: T(`이 컴퓨터와 나에 대한 메모를 보고 바꿔요. 메모는 Markdown 파일이에요: SYSTEM.md, USER.md, MEMORY.md와 daily/. 모델에게 보여지므로 비밀번호나 키는 적지 않아요.

편집기로 고치려면 blunux-ai memory edit.`,
				`See and change what is noted of this machine and of you. The notes are Markdown files: SYSTEM.md, USER.md, MEMORY.md and daily/. Models are shown them, so passwords and keys are not taken.

To edit them: blunux-ai memory edit.`,
				`查看和修改关于这台电脑和您的笔记。笔记是 Markdown 文件：SYSTEM.md、USER.md、MEMORY.md 和 daily/。模型会看到它们，因此不记录密码和密钥。

要编辑，请用 blunux-ai memory edit。`),
			Example: T(`blunux-aictl memory show MEMORY
blunux-aictl memory search 프린터
blunux-aictl memory remember --key 프린터 "거실 프린터는 192.168.0.20"`,
				`blunux-aictl memory show MEMORY
blunux-aictl memory search printer
blunux-aictl memory remember --key printer "the printer is at 192.168.0.20"`,
				`blunux-aictl memory show MEMORY
blunux-aictl memory search 打印机
blunux-aictl memory remember --key 打印机 "客厅打印机在 192.168.0.20"`),
		},
	}
}

func aictlSessions() map[string]Page {
	return map[string]Page{
		"blunux-aictl sessions": {
			Long: T(`대화를 보고, 찾고, 내보내고, 지워요. 대화의 이름은 목록에 나온 그대로이거나 ask -s에 준 이름이에요.`,
				`Show, search, write out and delete conversations. A conversation is named as the list has it, or as it was given to ask -s.`,
				`显示、搜索、导出和删除对话。对话用列表中的名称，或 ask -s 给出的名称表示。`),
			Example: T(`blunux-aictl sessions search 프린터
blunux-aictl sessions show default --page 2
blunux-aictl sessions export default -o 대화.md`,
				`blunux-aictl sessions search printer
blunux-aictl sessions show default --page 2
blunux-aictl sessions export default -o talk.md`,
				`blunux-aictl sessions search 打印机
blunux-aictl sessions show default --page 2
blunux-aictl sessions export default -o 对话.md`),
		},
	}
}

func aictlLog() map[string]Page {
	return map[string]Page{
		"blunux-aictl log": {
			Long: T(`실행했거나 거절된 명령의 기록을 보여줘요. 한 줄에 하나씩, 명령이 시작되기 전에 쓰여요. --verify는 나중에 누가 고치거나 지우지 않았는지 확인해요. --daemon은 데몬 자신의 기록이에요.`,
				`Show the commands that were run or refused, one a line; each was written before its command began. --verify proves that nobody changed or removed a line later. --daemon is what the daemon itself did.`,
				`显示执行或拒绝过的命令，每行一个，均在命令开始前写入。--verify 验证之后没有人修改或删除。--daemon 显示守护进程自身的日志。`),
			Example: T(`blunux-aictl log -n 20
blunux-aictl log --daemon -f
# 기록이 온전한지
blunux-aictl log --verify`,
				`blunux-aictl log -n 20
blunux-aictl log --daemon -f
# is the log whole
blunux-aictl log --verify`,
				`blunux-aictl log -n 20
blunux-aictl log --daemon -f
# 日志是否完整
blunux-aictl log --verify`),
		},
	}
}

func aictlStatus() map[string]Page {
	return map[string]Page{
		"blunux-aictl status": {
			Long: T(`데몬이 무엇으로 답하고, 무엇을 하고 있고, 무엇이 잘못됐는지 보여줘요. 데몬이 없으면 시작하고, --no-start를 붙이면 시작하지 않아요.`,
				`Show what the daemon answers with, what it is at, and what is wrong. One is started where none runs, but with --no-start.`,
				`显示守护进程用什么回答、正在做什么、有什么问题。未运行时会启动，加 --no-start 则不启动。`),
		},
	}
}

func aictlModels() map[string]Page {
	return map[string]Page{
		"blunux-aictl models": {
			Long: T(`고를 수 있는 모델을 가격과 함께 보여줘요. 제공자를 적으면 그 서버에 무엇이 있는지 물어봐요. 고르는 곳은 config.toml의 [ai_agent]예요.`,
				`Show the models to choose from, with their prices. With a provider its server is asked what it has. They are chosen in [ai_agent] of config.toml.`,
				`显示可选的模型及其价格。给出提供方时，会询问其服务器有哪些模型。在 config.toml 的 [ai_agent] 中选定。`),
			Example: T(`# 모두
blunux-aictl models
# 이 컴퓨터의 Ollama에 있는 것
blunux-aictl models ollama`,
				`# all of them
blunux-aictl models
# what Ollama on this computer has
blunux-aictl models ollama`,
				`# 全部
blunux-aictl models
# 本机 Ollama 中的模型
blunux-aictl models ollama`),
		},
	}
}

func aictlUsage() map[string]Page {
	return map[string]Page{
		"blunux-aictl usage": {
			Long: T(`모델에 든 토큰과 비용을 보여줘요. 가격을 모르는 요청은 비용에 들어 있지 않고, 그렇다고 알려줘요.`,
				`Show the tokens models took and what that cost. Requests whose price is not known are left out of the cost, and that is told.`,
				`显示模型消耗的词元和费用。价格未知的请求不计入费用，并会说明。`),
			Example: T(`blunux-aictl usage --since today --by model
# 지난 일주일을 제공자별로
blunux-aictl usage --since 7d --by provider`,
				`blunux-aictl usage --since today --by model
# the last seven days, by provider
blunux-aictl usage --since 7d --by provider`,
				`blunux-aictl usage --since today --by model
# 最近七天，按提供方
blunux-aictl usage --since 7d --by provider`),
		},
	}
}

func aictlPairing() map[string]Page {
	return map[string]Page{
		"blunux-aictl pairing": {
			Long: T(`밖에서(WhatsApp, Telegram, Discord) 누가 말을 걸 수 있는지 보고 정해요. 모르는 상대가 말을 걸면 코드를 받아요. 그 코드를 여기에서 승인해야 답을 들을 수 있고, 코드는 하루가 지나면 사라져요. 정하는 일은 이 컴퓨터에서만 할 수 있어요.

설정의 allowed_numbers, allowed_chats, allowed_users에 적힌 상대는 코드 없이 쓸 수 있어요.`,
				`See and decide who may write from afar (WhatsApp, Telegram, Discord). Somebody unknown who writes gets a code; they are answered once the code is approved here. It ends after a day. Only who is at this machine can decide.

Those who stand in allowed_numbers, allowed_chats and allowed_users of the configuration need no code.`,
				`查看和决定谁可以从远程（WhatsApp、Telegram、Discord）发消息。陌生人发消息时会得到一个代码，在此批准后才会得到回答；代码一天后失效。只能在本机决定。

配置中 allowed_numbers、allowed_chats、allowed_users 所列的人无需代码。`),
			Example: T(`# 기다리는 상대와 코드
blunux-aictl pairing
blunux-aictl pairing approve K7QX92
blunux-aictl pairing remove whatsapp +821012345678`,
				`# who waits, and the codes
blunux-aictl pairing
blunux-aictl pairing approve K7QX92
blunux-aictl pairing remove whatsapp +821012345678`,
				`# 等待的人和代码
blunux-aictl pairing
blunux-aictl pairing approve K7QX92
blunux-aictl pairing remove whatsapp +821012345678`),
		},
		"blunux-aictl pairing remove": {
			Long: T(`들여보낸 상대의 메시지를 더는 받지 않아요. CHANNEL과 SENDER는 pairing의 목록에 나온 그대로예요. 설정에 적힌 상대는 설정에서 지워요.`,
				`Messages of somebody who was let in are not answered any more. CHANNEL and SENDER are as the list of pairing has them. Who stands in the configuration is taken out there.`,
				`不再接收已允许的人的消息。CHANNEL 和 SENDER 与 pairing 列表中的一致。配置中的名单请在配置中删除。`),
		},
	}
}

func aictlCall() map[string]Page {
	return map[string]Page{
		"blunux-aictl call": {
			Long: T(`프로토콜의 한 줄을 그대로 보내고, 오는 줄을 모두 출력해요. 줄은 인자나 표준 입력에서 읽어요. 프로토콜은 docs/protocol.md에 있어요.`,
				`Send one raw line of the protocol, from the argument or standard input, and print every line that comes back. docs/protocol.md describes it.`,
				`原样发送一行协议消息（来自参数或标准输入），并输出收到的每一行。协议见 docs/protocol.md。`),
			Example: T(`# 데몬의 상태
blunux-aictl call '{"type":"query","data":{"what":"status"}}'`,
				`# the daemon's state
blunux-aictl call '{"type":"query","data":{"what":"status"}}'`,
				`# 守护进程状态
blunux-aictl call '{"type":"query","data":{"what":"status"}}'`),
		},
	}
}
