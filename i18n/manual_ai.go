package i18n

func aiItself() map[string]Page {
	return map[string]Page{
		"blunux-ai": {
			Short: T("말로 시키는 리눅스 데스크톱 비서예요", "An assistant for running a Linux desktop by natural language", "用自然语言操作 Linux 桌面的助手"),
			Long: T(`말로 시키는 리눅스 데스크톱 비서예요. 이 프로그램은 데몬과, 데몬 없이 파일을 보고 판정하고 점검하는 명령들이에요. 물어보고 승인하는 것은 blunux-aictl이 해요.`,
				`An assistant for running a Linux desktop by natural language. This program is the daemon, and the commands that look at files, judge and check without one. Asking and approving is done by blunux-aictl.`,
				`用自然语言操作 Linux 桌面的助手。本程序是守护进程，以及无需守护进程即可查看文件、判定和检查的命令。提问和批准由 blunux-aictl 完成。`),
			Flags: map[string]Text{
				"blunux-config": T("배포판의 설정 파일 (없으면 /usr/share/blunux/config.toml)", "the distribution's configuration (/usr/share/blunux/config.toml unless given)", "发行版的配置文件（省略时为 /usr/share/blunux/config.toml）"),
			},
		},
	}
}

func aiDaemon() map[string]Page {
	return map[string]Page{
		"blunux-ai daemon": {
			Short: T("요청을 처리하는 데몬이에요 (직접 실행하거나 소켓으로 시작돼요)", "Serve the clients, in the foreground or socket-activated", "为客户端服务的守护进程（前台或套接字激活）"),
			Long: T(`요청을 처리하는 데몬이에요. 보통 직접 시작할 일이 없어요: blunux-aictl이나 systemd의 소켓이 필요할 때 시작해요. SIGHUP을 받으면 설정을 다시 읽고, SIGTERM을 받으면 하던 일을 남기고 끝나요.`,
				`Serve the clients. There is rarely a reason to start it by hand: blunux-aictl or systemd's socket do so when it is needed. SIGHUP has it read its configuration anew; SIGTERM ends it, and what it was at is taken up by the next.`,
				`为客户端服务的守护进程。通常无需手动启动：blunux-aictl 或 systemd 套接字会在需要时启动它。收到 SIGHUP 时重新读取配置；收到 SIGTERM 时结束，未完成的工作由下一个守护进程接手。`),
			Example: T(`# 터미널에서, 자세한 기록과 함께
BLUNUX_AI_LOG=debug blunux-ai daemon
systemctl --user enable --now blunux-ai-agent.socket`,
				`# at a terminal, with a log that says more
BLUNUX_AI_LOG=debug blunux-ai daemon
systemctl --user enable --now blunux-ai-agent.socket`,
				`# 在终端运行，输出更多日志
BLUNUX_AI_LOG=debug blunux-ai daemon
systemctl --user enable --now blunux-ai-agent.socket`),
			Flags: map[string]Text{
				"provider":  T("설정과 상관없이 쓸 모델. scripted:파일은 각본을 따라요", "the model to use, whatever the configuration says; scripted:FILE follows a script", "要使用的模型，优先于配置；scripted:文件 按脚本回答"),
				"lang":      FlagLang,
				"idle-exit": T("연결도 작업도 없이 이만큼 지나면 끝나요. 0이면 끝나지 않아요 (없으면: 직접 실행하면 끝나지 않고, 소켓으로 시작되면 limits.idle_exit)", "exit after so long without a client or a task; 0 never (unless given: never in the foreground, limits.idle_exit when socket-activated)", "无连接无任务超过此时间即退出；0 为从不（省略时：前台运行从不退出，套接字激活时为 limits.idle_exit）"),
			},
		},
	}
}

func aiCheck() map[string]Page {
	return map[string]Page{
		"blunux-ai check": {
			Short: T("명령을 데몬처럼 판정하고, 아무것도 실행하지 않아요", "Judge a command as the daemon would, and run nothing", "像守护进程一样判定命令，但不执行任何东西"),
			Long: T(`명령을 데몬처럼 판정하고, 아무것도 실행하지 않아요. SAFE는 바로 실행되는 것, CONFIRM은 먼저 물어보는 것, BLOCKED는 절대 실행하지 않는 것이에요.

"-"는 명령을 표준 입력에서 읽어요. --jsonl이면 표준 입력의 한 줄이 JSON 문자열 하나이고, 줄마다 JSON 객체 하나로 답해요.

판정이 곧 답이므로 무엇이든 종료 코드는 0이에요. --exit-code를 붙이면 SAFE는 0, CONFIRM은 5, BLOCKED는 6이에요.`,
				`Judge a command as the daemon would, and run nothing. SAFE runs at once, CONFIRM asks first, BLOCKED never runs.

"-" reads the command from standard input. With --jsonl, standard input holds JSON strings, one a line, and each is answered with one JSON object.

The verdict is the answer, so the exit status is 0 whatever it is; with --exit-code it is 0 for SAFE, 5 for CONFIRM and 6 for BLOCKED.`,
				`像守护进程一样判定命令，但不执行任何东西。SAFE 立即执行，CONFIRM 先询问，BLOCKED 绝不执行。

“-”从标准输入读取命令。使用 --jsonl 时，标准输入每行是一个 JSON 字符串，每行以一个 JSON 对象回答。

判定就是回答，因此退出状态总是 0；加 --exit-code 时 SAFE 为 0，CONFIRM 为 5，BLOCKED 为 6。`),
			Example: T(`# 왜 그렇게 판정하는지
blunux-ai check --explain 'rm -rf ~'
echo 'df -h' | blunux-ai check --exit-code -`,
				`# and why
blunux-ai check --explain 'rm -rf ~'
echo 'df -h' | blunux-ai check --exit-code -`,
				`# 以及原因
blunux-ai check --explain 'rm -rf ~'
echo 'df -h' | blunux-ai check --exit-code -`),
			Flags: map[string]Text{
				"json":      FlagJSONThis,
				"jsonl":     T("표준 입력에서 JSON 문자열을 한 줄에 하나씩 읽어요", "read JSON strings from standard input, one a line", "从标准输入逐行读取 JSON 字符串"),
				"explain":   T("어느 규칙이 어느 부분을 받아들이거나 거절했는지 보여줘요", "show which rule accepted or refused which part", "显示哪条规则接受或拒绝了哪一部分"),
				"exit-code": T("CONFIRM은 5, BLOCKED는 6으로 끝나요", "exit with 5 for CONFIRM and 6 for BLOCKED", "CONFIRM 以 5、BLOCKED 以 6 退出"),
			},
		},
	}
}

func aiPaths() map[string]Page {
	return map[string]Page{
		"blunux-ai paths": {
			Short: T("프로그램의 파일이 어디 있는지 알려줘요", "Tell where every file of the program is", "显示程序各文件的位置"),
			Flags: map[string]Text{"json": FlagJSONThis},
		},
	}
}

func aiMcp() map[string]Page {
	return map[string]Page{
		"blunux-ai mcp": {
			Short: T("이 컴퓨터의 도구를 MCP 클라이언트에게 내줘요 (표준 입출력)", "Serve this machine's tools to an MCP client on standard input and output", "通过标准输入输出向 MCP 客户端提供本机工具"),
			Long: T(`이 컴퓨터의 도구를 MCP 클라이언트에게 표준 입출력으로 내줘요. 읽기만 하는 것은 바로 실행되고, 무언가를 바꾸는 것은 먼저 물어봐요: 클라이언트가 할 수 있으면 그쪽 사람에게, 그리고 blunux-aictl approve 코드로요.`,
				`Serve this machine's tools to an MCP client on standard input and output. What only reads runs at once; what changes something asks first: the client's person where the client can, and blunux-aictl approve CODE.`,
				`通过标准输入输出向 MCP 客户端提供本机工具。只读的立即执行；会改动系统的先询问：客户端支持时询问其使用者，也可用 blunux-aictl approve 代码。`),
			Example: T(`# 클라이언트의 설정
{"mcpServers": {"blunux": {"command": "blunux-ai", "args": ["mcp"]}}}`,
				`# the client's configuration
{"mcpServers": {"blunux": {"command": "blunux-ai", "args": ["mcp"]}}}`,
				`# 客户端的配置
{"mcpServers": {"blunux": {"command": "blunux-ai", "args": ["mcp"]}}}`),
			Flags: map[string]Text{
				"turn": T("호출이 속한 데몬의 작업. 데몬이 시작한 것만 쓸 수 있어요", "the running turn of the daemon that calls belong to; only what the daemon started may name one", "调用所属的守护进程任务；只有守护进程启动的程序可以指定"),
			},
		},
	}
}

func aiMemory() map[string]Page {
	return map[string]Page{
		"blunux-ai memory": {
			Short: T("이 컴퓨터와 나에 대한 메모를 보고 바꿔요", "See and change what is noted of this machine and of you", "查看和修改关于这台电脑和您的笔记"),
			Long: T(`메모는 Markdown 파일이에요: SYSTEM.md(이 컴퓨터, 프로그램이 써요), USER.md와 MEMORY.md(나와, 기억해 달라고 한 것), daily/(질문마다 한 줄). 아무 편집기로나 고칠 수 있어요. 데몬 없이도 되고, 실행 중인 데몬은 바뀐 것을 바로 알아요.`,
				`The notes are Markdown files: SYSTEM.md (this machine, written by the program), USER.md and MEMORY.md (you, and what you asked to remember) and daily/ (a line for each question). Edit them with any editor; no daemon is needed, and one that runs sees changes at once.`,
				`笔记是 Markdown 文件：SYSTEM.md（本机，由程序写入）、USER.md 和 MEMORY.md（您，以及您要求记住的内容）、daily/（每个问题一行）。可用任何编辑器修改；无需守护进程，运行中的守护进程会立即看到更改。`),
			Example: T(`blunux-ai memory edit USER
blunux-ai memory export 메모.jsonl`,
				`blunux-ai memory edit USER
blunux-ai memory export notes.jsonl`,
				`blunux-ai memory edit USER
blunux-ai memory export 笔记.jsonl`),
			Flags: map[string]Text{
				"lang": T("말할 언어: ko, en, zh (없으면 설정이나 로캘을 따라요)", "language: ko, en, zh (as your configuration or locale says unless given)", "语言：ko、en、zh（省略时随配置或区域设置）"),
			},
		},
		"blunux-ai memory show":  {Short: CmdMemoryShow, Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai memory count": {Short: CmdMemoryCount, Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai memory search": {Short: CmdMemorySearch, Flags: map[string]Text{
			"json": FlagJSONThis, "limit": FlagLimit, "category": FlagCategories,
		}},
		"blunux-ai memory remember": {Short: CmdMemoryRemember, Flags: map[string]Text{
			"json": FlagJSONThis, "key": FlagNoteKey, "category": FlagNoteCategory,
		}},
		"blunux-ai memory forget":  {Short: CmdMemoryForget, Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai memory user":    {Short: T("USER.md를 이 글로 바꿔요 (앞의 것은 USER.md~로 남아요)", "Put this text in the place of USER.md (the former one stays as USER.md~)", "用此文字替换 USER.md（原来的保留为 USER.md~）"), Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai memory refresh": {Short: CmdMemoryRefresh, Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai memory clear":   {Short: CmdMemoryClear, Flags: map[string]Text{"json": FlagJSONThis, "yes": FlagYes}},
		"blunux-ai memory edit":    {Short: T("메모 파일을 편집기로 열어요 (없으면 MEMORY.md)", "Open a file of notes in your editor (MEMORY.md unless given)", "用编辑器打开笔记文件（省略时为 MEMORY.md）")},
		"blunux-ai memory export":  {Short: T("모든 메모를 문서 하나로 써요 (JSON Lines, 없으면 표준 출력)", "Write all notes into one document (JSON Lines; standard output unless given)", "将全部笔记写入一个文档（JSON Lines，省略时为标准输出）")},
		"blunux-ai memory import":  {Short: T("메모를 들여와요: 내보낸 것, Markdown, JSON Lines (-는 표준 입력)", "Take in notes: an export, Markdown or JSON Lines (- for standard input)", "导入笔记：导出文件、Markdown 或 JSON Lines（- 为标准输入）"), Flags: map[string]Text{"json": FlagJSONThis}},
	}
}

func aiAutomations() map[string]Page {
	return map[string]Page{
		"blunux-ai automations": {
			Short: T("자동화가 묻지 않고 실행할 명령에 서명해요 (나머지는 blunux-aictl automations)", "Sign what an automation may run unasked (blunux-aictl automations has the rest)", "签署自动化可以不经询问执行的命令（其余见 blunux-aictl automations）"),
			Example: T(`# 목록을 읽고 y를 누르면 서명돼요
blunux-ai automations sign 백업`,
				`# read the list there, and type y
blunux-ai automations sign backup`,
				`# 阅读列表后输入 y 即签署
blunux-ai automations sign 备份`),
		},
		"blunux-ai automations sign":     {Short: T("자동화가 자기 목록의 명령을 글자 그대로 묻지 않고 실행하게 해요. 먼저 여기서 읽어야 해요", "Let an automation run the commands of its list unasked, word for word, once you have read them here", "在此阅读后，允许自动化不经询问逐字执行其列表中的命令"), Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai automations withdraw": {Short: T("자동화가 명령마다 다시 물어보게 해요", "Have an automation ask again before each of its commands", "让自动化在每个命令前重新询问"), Flags: map[string]Text{"json": FlagJSONThis}},
	}
}
