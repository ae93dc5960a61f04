package i18n

func aiSetup() map[string]Page {
	return map[string]Page{
		"blunux-ai setup": {
			Short: T("누가 답할지와 나머지를 물어보고 설정해요", "Choose who answers and the rest, by questions or by flags", "通过提问或选项设置由谁回答及其他"),
			Long: T(`키, 로그인된 claude, 모델 서버를 찾아보고 알 수 없는 것만 물어봐요. 끝날 때까지 아무것도 쓰지 않아요. 끝나면 config.d/50-setup.toml과 credentials/이름을 써요. config.toml은 그대로예요. 다시 실행하면 지금 설정을 보여 주고, 바꾼 것만 바꿔요.

화면 낭독기나 단순한 터미널에서는 --accessible로 한 줄씩 물어봐요. --non-interactive는 묻지 않고 다른 옵션이 말하는 대로 해요. 키는 명령줄에 적지 않아요: --key-file이나 표준 입력으로 줘요.

종료 코드는 썼으면 0, 명령줄이 맞지 않으면 2, 키가 없거나 거절됐거나 그런 모델이 없으면 4, 서버에 닿지 않으면 7이에요. 4와 7이면 아무것도 쓰지 않아요.`,
				`Looks for keys, a logged-in claude and a model server, and asks what it cannot know. Nothing is written before the end; then config.d/50-setup.toml and credentials/NAME are, and config.toml stays yours. Run again, it shows what there is and changes what you change.

For screen readers and simple terminals --accessible asks line by line. With --non-interactive nothing is asked: it does what the other flags say. Keys are never on the command line: give a file with --key-file, or standard input.

The exit status is 0 when all is written, 2 for a command line that makes no sense, 4 where a key is missing or refused or there is no such model, 7 where the server cannot be reached. With 4 and 7 nothing is written.`,
				`查找密钥、已登录的 claude 和模型服务器，只询问无法得知的内容。结束之前不写入任何内容；结束时写入 config.d/50-setup.toml 和 credentials/名称，config.toml 保持不变。再次运行会显示现有设置，只更改您改动的部分。

屏幕阅读器和简单终端可用 --accessible 逐行询问。--non-interactive 不询问，按其他选项执行。密钥不写在命令行上：用 --key-file 或标准输入给出。

退出状态：已写入为 0，命令行有误为 2，没有密钥、密钥被拒绝或没有该模型为 4，无法连接服务器为 7。4 和 7 时不写入任何内容。`),
			Example: T(`blunux-ai setup
# 묻지 않고, 키는 표준 입력에서
blunux-ai setup --non-interactive --provider deepseek --key-file - < 키
blunux-ai setup --non-interactive --provider claude --claude-mode oauth
blunux-ai setup --non-interactive --allow-whatsapp '+82 10-1234-5678' --automations off`,
				`blunux-ai setup
# nothing is asked, the key comes from standard input
blunux-ai setup --non-interactive --provider deepseek --key-file - < key
blunux-ai setup --non-interactive --provider claude --claude-mode oauth
blunux-ai setup --non-interactive --allow-whatsapp '+1 212-555-0123' --automations off`,
				`blunux-ai setup
# 不询问，密钥来自标准输入
blunux-ai setup --non-interactive --provider deepseek --key-file - < 密钥
blunux-ai setup --non-interactive --provider claude --claude-mode oauth
blunux-ai setup --non-interactive --allow-whatsapp '+86 138-0013-8000' --automations off`),
			Flags: map[string]Text{
				"accessible":      T("화면 낭독기와 단순한 터미널을 위해 한 줄씩 물어봐요 (TERM=dumb이면 저절로)", "ask line by line, for screen readers and simple terminals (by itself with TERM=dumb)", "逐行询问，适合屏幕阅读器和简单终端（TERM=dumb 时自动启用）"),
				"non-interactive": T("묻지 않고 다른 옵션이 말하는 대로 해요", "ask nothing: do what the other flags say", "不询问，按其他选项执行"),
				"provider":        T("답할 제공자: claude, deepseek, openai, glm, minimax, gemini, ollama, custom, offline 등", "who answers: claude, deepseek, openai, glm, minimax, gemini, ollama, custom, offline, …", "由谁回答：claude、deepseek、openai、glm、minimax、gemini、ollama、custom、offline 等"),
				"model":           T("모델의 id (없으면 제공자의 기본 모델)", "the model's id; default is the provider's own", "模型 id（省略时为提供方的默认模型）"),
				"base-url":        T("custom 같은 서버의 주소", "the server's address, for custom and the like", "custom 等服务器的地址"),
				"key-file":        T("키가 든 파일. -는 표준 입력이에요", "the file the key is in; - is standard input", "密钥所在的文件；- 为标准输入"),
				"claude-mode":     T("api(키) 또는 oauth(구독)", "api (by key) or oauth (by subscription)", "api（密钥）或 oauth（订阅）"),
				"language":        T("저장할 화면 언어: auto, ko, en, zh", "the interface's language that is kept: auto, ko, en, zh", "要保存的界面语言：auto、ko、en、zh"),
				"allow-whatsapp":  T("WhatsApp으로 말을 걸 수 있는 번호들, 쉼표로. 비우면 아무도 안 돼요", "numbers that may write by WhatsApp, with commas; empty for nobody", "可通过 WhatsApp 发消息的号码，逗号分隔；留空则无人"),
				"allow-telegram":  T("Telegram으로 말을 걸 수 있는 대화의 id들, 쉼표로", "Telegram chat ids that may write, with commas", "可发消息的 Telegram 对话 id，逗号分隔"),
				"allow-discord":   T("Discord로 말을 걸 수 있는 사람의 id들, 쉼표로", "Discord user ids that may write, with commas", "可发消息的 Discord 用户 id，逗号分隔"),
				"automations":     T("자동화를 켜거나 꺼요: on, off", "automations: on or off", "启用或停用自动化：on、off"),
				"insecure-http":   T("다른 컴퓨터로 http://로 키를 보내도 돼요", "a key may go to another computer over http://", "允许通过 http:// 将密钥发送到其他计算机"),
				"no-verify":       T("키가 되는지 제공자에게 물어보지 않아요", "do not ask the provider whether the key works", "不向提供方询问密钥是否有效"),
				"json":            T("JSON 문서 하나로 출력해요 (--non-interactive와 함께)", "print one JSON document (with --non-interactive)", "输出一个 JSON 文档（与 --non-interactive 一起）"),
			},
		},
	}
}

func aiConfig() map[string]Page {
	return map[string]Page{
		"blunux-ai config": {
			Short: T("설정을 확인하고, 보여 주고, 다른 곳으로 옮겨요", "Check the configuration, show it, take it elsewhere", "检查、显示和迁移配置"),
			Long: T(`설정을 데몬이 읽는 그대로 확인하고, 무엇이 쓰이는지 보여 주고, 내보내고 들여와요. 모든 열쇠말과 기본값은 blunux-ai-config(5)에 있어요. 실행 중인 데몬은 바뀐 파일을 스스로 읽고, 잘못이 있으면 마지막 올바른 설정을 계속 써요.`,
				`Read the configuration as the daemon would, show what counts, export and import it. All keys and their defaults are in blunux-ai-config(5). A running daemon reads changed files by itself, and keeps the last good ones where there is a mistake.`,
				`像守护进程一样读取配置，显示生效的设置，导出和导入。所有键及默认值见 blunux-ai-config(5)。运行中的守护进程会自动读取更改；有错误时继续使用最后一次正确的配置。`),
			Example: T(`# 고친 뒤에
blunux-ai config check
$EDITOR "$(blunux-ai config path)"
# 다른 컴퓨터로
blunux-ai config export 설정.toml`,
				`# after a change
blunux-ai config check
$EDITOR "$(blunux-ai config path)"
# to another computer
blunux-ai config export settings.toml`,
				`# 修改之后
blunux-ai config check
$EDITOR "$(blunux-ai config path)"
# 迁移到另一台电脑
blunux-ai config export 设置.toml`),
		},
		"blunux-ai config check": {
			Short: T("설정을 데몬처럼 읽고 잘못을 알려줘요", "Read the configuration as the daemon would, and tell what is wrong", "像守护进程一样读取配置并指出错误"),
			Long: T(`설정을 데몬처럼 읽고, 읽은 파일을 차례로 보여줘요. 잘못은 '파일:줄:칸: 까닭'으로 알려 주고 종료 코드는 1이에요.`,
				`Read the configuration as the daemon would, and print the files that were read, in order. A mistake is told as FILE:LINE:COLUMN: WHY, and the exit status is 1.`,
				`像守护进程一样读取配置，并按顺序显示读取的文件。错误以“文件:行:列: 原因”显示，退出状态为 1。`),
			Flags: map[string]Text{
				"verbose": T("모든 설정과 그것을 정한 파일도 보여줘요", "also print every setting and who set it", "同时显示每项设置及其来源"),
				"json":    FlagJSONThis,
			},
		},
		"blunux-ai config path": {Short: T("내 설정 파일의 위치를 출력해요", "Print the path of your configuration file", "输出您的配置文件的路径"), Flags: map[string]Text{"json": FlagJSONThis}},
		"blunux-ai config show": {
			Short: T("쓰이는 설정과 그것을 정한 곳을 보여줘요", "Print the settings that count, and who set each", "显示生效的设置及其来源"),
			Long: T(`쓰이는 설정을 TOML로 보여 주고, 그 뒤에 그것을 정한 파일과 줄을 적어요. KEY는 설정 하나(ai_agent.model)나 표(limits)예요. 키와 비밀번호는 보여주지 않아요.`,
				`Print the settings that count, as TOML; behind each stands the file and line that set it. KEY is one setting (ai_agent.model) or a table of them (limits). Keys and passwords are never shown.`,
				`以 TOML 显示生效的设置，后面注明设定它的文件和行。KEY 为一项设置（ai_agent.model）或一个表（limits）。密钥和密码从不显示。`),
			Example: T(`# 표 하나만
blunux-ai config show limits
blunux-ai config show ai_agent.provider`,
				`# only one table
blunux-ai config show limits
blunux-ai config show ai_agent.provider`,
				`# 只看一个表
blunux-ai config show limits
blunux-ai config show ai_agent.provider`),
			Flags: map[string]Text{"json": FlagJSONThis},
		},
	}
}

func aiConfigCarry() map[string]Page {
	return map[string]Page{
		"blunux-ai config export": {
			Short: T("내 설정과 자동화를 키 없이 파일 하나로 써요", "Write your own settings and automations into one file, without keys", "将您的设置和自动化写入一个文件，不含密钥"),
			Long: T(`내 파일들(config.toml, config.d, automations.toml, automations.d)이 말하는 것을, config import가 다른 곳에서 읽는 파일 하나로 써요. 키는 그 파일들에 없으므로 빠지고, [mcp.이름.env]에서 키처럼 보이는 것도 빠져요. 이미 있는 파일은 건드리지 않아요.`,
				`Write what your own files say (config.toml, config.d, automations.toml, automations.d) into one file that "config import" takes elsewhere. Keys are in none of them and are left out; so is what looks like one in [mcp.NAME.env]. A FILE that exists is left alone.`,
				`将您的文件（config.toml、config.d、automations.toml、automations.d）的内容写入一个文件，供 config import 在别处读取。密钥不在其中，[mcp.名称.env] 中看似密钥的内容也不导出。已存在的文件不会被改动。`),
			Example: T(`# 파일로, 또는 표준 출력으로
blunux-ai config export 설정.toml
blunux-ai config export | ssh 다른컴퓨터 blunux-ai config import -`,
				`# into a file, or to standard output
blunux-ai config export settings.toml
blunux-ai config export | ssh elsewhere blunux-ai config import -`,
				`# 写入文件，或输出到标准输出
blunux-ai config export 设置.toml
blunux-ai config export | ssh 另一台 blunux-ai config import -`),
		},
		"blunux-ai config import": {
			Short: T("파일의 설정과 자동화를 모두 살펴본 뒤에 들여와요", "Take settings and automations from a file, after a look at all of it", "检查整个文件后导入其中的设置和自动化"),
			Long: T(`파일에서 설정과 자동화를 들여와요: 내보낸 것, config.toml, 또는 agent-rs나 RRClaw의 설정이에요. 먼저 모두 살펴봐요. 잘못이 있으면 줄과 함께 알려 주고 아무것도 쓰지 않아요.

설정은 config.d/60-imported.toml에(config.toml은 그대로예요), 자동화는 automations.d/60-imported.toml에 써요. 거기 있던 것은 옆에 남겨 둬요. 자동화의 서명은 옮겨지지 않아요.`,
				`Take settings and automations from a file: an export, a config.toml, or the settings of agent-rs or RRClaw. All of it is looked over first; a mistake is told with its line and nothing is written.

Settings go to config.d/60-imported.toml (config.toml stays yours), automations to automations.d/60-imported.toml; what stood there before is kept beside it. Signatures of automations are not taken along.`,
				`从文件导入设置和自动化：导出的文件、config.toml，或 agent-rs、RRClaw 的配置。先检查全部内容；有错误时指出行号，不写入任何内容。

设置写入 config.d/60-imported.toml（config.toml 不变），自动化写入 automations.d/60-imported.toml；原有内容保留在旁边。自动化的签名不会一并导入。`),
			Example: T(`# 무엇이 바뀌는지만
blunux-ai config import --dry-run 설정.toml
blunux-ai config import ~/.config/rrclaw/config.toml`,
				`# only tell what would change
blunux-ai config import --dry-run settings.toml
blunux-ai config import ~/.config/rrclaw/config.toml`,
				`# 只说明会有哪些变化
blunux-ai config import --dry-run 设置.toml
blunux-ai config import ~/.config/rrclaw/config.toml`),
			Flags: map[string]Text{
				"dry-run": T("무엇이 바뀔지만 알려줘요", "only tell what would change", "只说明会有哪些变化"),
				"keys":    T("이전 프로그램의 파일에 있는 API 키를 묻지 않고 저장해요", "keep API keys that stand in a predecessor's file, without being asked", "不经询问保存旧程序文件中的 API 密钥"),
				"yes":     T("더 많은 것을 허락하는 설정도 묻지 않고 들여와요", "take in settings that allow more, too, without asking", "放宽权限的设置也不经询问导入"),
				"json":    FlagJSONThis,
			},
		},
	}
}

func aiDoctor() map[string]Page {
	return map[string]Page{
		"blunux-ai doctor": {
			Short: T("비서가 기대고 있는 것을 모두 점검하고, 고쳐도 안전한 것을 고치고, 보고서를 꾸려요", "Look over everything the assistant stands on, mend what is safe to mend, or pack a report", "检查助手所依赖的一切，修复可安全修复的，或打包报告"),
			Long: T(`비서가 기대고 있는 것을 점검해요: 파일, 설정, 키, 기록, 샌드박스, 서비스 관리자, 관리자 권한을 얻는 길, 데몬과 그 버전, 누가 답하고 그 서버에 닿는지(돈은 들지 않아요), pacman, 저널, 알림, 시계, 브리지, 터미널. 줄마다 ok, warn(되지만 약함), BROKEN 중 하나와 도움이 되는 명령을 알려줘요. 아무것도 바꾸지 않고 데몬을 시작하지도 않아요. 망가진 것이 있으면 종료 코드는 1이에요.

--fix는 그 명령들 가운데 해가 될 수 없는 것(자기 파일의 권한, 자기 유닛, 자기 죽은 소켓)을 하나씩 물어보고 실행해요. 네라고 하지 않으면 하지 않아요. 실행한 것은 명령 기록에 남아요. sudo와 pacman은 절대 쓰지 않아요.

--report [FILE]은 점검 결과, 버전, 설정, 유닛의 상태, 두 기록의 끝부분을 FILE에 꾸려요(없으면 blunux-ai-report-날짜.tar.gz, -는 표준 출력). 키, 대화, 메모는 빼고 이름과 경로는 바꿔 적어요. 아무 데도 보내지 않아요.

--offline은 내장 도우미(언어 모델이 없는 엔진)가 무엇을 알아듣는지 내 언어의 예와 함께 설명하고, 내가 더한 낱말이 읽히는지 알려줘요. 요청을 적으면 그것을 어떻게 알아들었는지, 먼저 부를 도구와 얼마나 확실한지와 까닭을 알려줘요. 아무것도 실행하지 않아요. 내 파일에 쓸 수 없는 줄이 있으면 알려 주고 종료 코드는 1이에요.`,
				`Look over what the assistant stands on: files, configuration, keys, log, sandbox, service manager, the way to root's rights, the daemon and its version, who would answer and whether its server is reached (that costs nothing), pacman, the journal, notifications, the clock, bridges, the terminal. Each line says ok, warn (works, but weaker) or BROKEN, and the command that helps. Nothing is changed and no daemon is started. The exit status is 1 when something is broken.

With --fix: offers those of the commands that can do no harm (the modes of its own files, its own units, its own dead socket), each with a question whose answer is no unless you say yes. What runs is in the command log. Never sudo, never pacman.

With --report [FILE]: packs what was found, versions, settings, the state of the units and the ends of both logs into FILE (default blunux-ai-report-DATE.tar.gz, - for standard output), without keys, conversations and notes, names and paths replaced. Nothing is sent anywhere.

With --offline: explain what the built-in helper (the engine without a language model) understands, with examples in your language, and whether your own words are read. With a REQUEST, tell how that is understood: the calls it would make first, how sure it is, and why. Nothing runs. Lines of your own files that cannot be used are named, and the exit status is 1.`,
				`检查助手所依赖的一切：文件、配置、密钥、日志、沙箱、服务管理器、取得管理员权限的途径、守护进程及其版本、由谁回答以及能否连上其服务器（不产生费用）、pacman、日志系统、通知、时钟、桥接、终端。每行显示 ok、warn（可用但较弱）或 BROKEN，以及有帮助的命令。不改动任何东西，也不启动守护进程。有故障时退出状态为 1。

--fix 逐一询问后执行其中不会造成损害的命令（自己文件的权限、自己的单元、自己失效的套接字）；不明确同意就不执行。执行过的记录在命令日志中。绝不使用 sudo 和 pacman。

--report [FILE] 将检查结果、版本、设置、单元状态和两份日志的末尾打包到 FILE（省略时为 blunux-ai-report-日期.tar.gz，- 为标准输出），不含密钥、对话和笔记，名称和路径会被替换。不会发送到任何地方。

--offline 用您的语言举例说明内置助手（不用语言模型的引擎）能理解什么，以及您自己的词语是否被读取。给出请求时，说明如何理解它：首先调用的工具、把握和依据。不执行任何东西。您的文件中有无法使用的行时会指出，退出状态为 1。`),
			Example: T(`# 모두 점검하고, 고쳐도 안전한 것을 고치기
blunux-ai doctor
blunux-ai doctor --fix
# 도와줄 사람에게 줄 보고서
blunux-ai doctor --report
blunux-ai doctor --offline 디스크 얼마나 남았어`,
				`# look over all of it, mend what is safe
blunux-ai doctor
blunux-ai doctor --fix
# a report for who helps
blunux-ai doctor --report
blunux-ai doctor --offline how much disk space is left`,
				`# 全部检查，并修复可安全修复的
blunux-ai doctor
blunux-ai doctor --fix
# 给帮忙的人的报告
blunux-ai doctor --report
blunux-ai doctor --offline 磁盘还剩多少`),
			Flags: map[string]Text{
				"offline": T("언어 모델이 없는 엔진을 살펴봐요", "look at the engine without a language model", "查看不用语言模型的引擎"),
				"fix":     T("해가 될 수 없는 명령을 하나씩 물어보고 실행해요", "offer to run those commands that can do no harm", "逐一询问后执行不会造成损害的命令"),
				"report":  T("남이 봐도 되는 것만 담은 보고서를 꾸려요", "pack a report for somebody else, without what is nobody's business", "打包一份可给他人看的报告"),
				"json":    FlagJSONThis,
			},
		},
	}
}

func aiStatus() map[string]Page {
	return map[string]Page{
		"blunux-ai status": {
			Short: T("데몬을 시작하지 않고 지금 어떤지 알려줘요", "Tell how the assistant is, without starting a daemon", "不启动守护进程，显示当前状况"),
			Long: T(`누가 답하고, 얼마나 기억하고, 서비스와 소켓이 어떤지 알려줘요. 실행 중인 데몬이 있으면 그것에게 묻고, 없으면 파일을 봐요. 데몬을 시작하지는 않아요.`,
				`Tell who answers, how much is remembered, and how service and socket are. A daemon that runs is asked; else the files are looked at. None is started.`,
				`显示由谁回答、记住了多少、服务和套接字的状态。有守护进程运行时询问它，否则查看文件。不会启动守护进程。`),
			Flags: map[string]Text{"json": FlagJSONThis},
		},
	}
}

func aiLogs() map[string]Page {
	return map[string]Page{
		"blunux-ai logs": {
			Short: T("데몬이 한 일이나 실행·거절된 명령을 파일에서 보여줘요", "Show what the daemon did, or which commands were run or refused, from the files", "从文件显示守护进程的日志，或执行和拒绝过的命令"),
			Long: T(`데몬의 기록의 마지막 줄들을, --commands면 실행했거나 거절된 명령의 기록을 보여줘요. 파일을 읽으므로 데몬이 없어도 돼요. -f는 파일이 자라는 동안 자정을 넘어서도 계속 보여줘요.`,
				`Show the last lines of the daemon's log, or with --commands of the commands that were run or refused. It reads the files, so no daemon is needed; with -f it goes on as they grow, also past midnight.`,
				`显示守护进程日志的最后几行；加 --commands 则显示执行和拒绝过的命令。直接读取文件，无需守护进程；加 -f 时随文件增长持续显示，跨过午夜也不中断。`),
			Example: T(`blunux-ai logs -f
# 마지막 명령 20개
blunux-ai logs --commands -n 20`,
				`blunux-ai logs -f
# the last 20 commands
blunux-ai logs --commands -n 20`,
				`blunux-ai logs -f
# 最近 20 个命令
blunux-ai logs --commands -n 20`),
			Flags: map[string]Text{
				"follow":   T("Ctrl-C까지, 기록이 자라는 대로 계속 보여줘요", "go on as the log grows, until Ctrl-C", "随日志增长持续显示，直到 Ctrl-C"),
				"lines":    T("마지막 몇 줄을 보여줄지", "how many of the last lines", "显示最后多少行"),
				"daemon":   T("데몬의 기록이에요 (말하지 않으면 이것)", "the daemon's log (the default)", "守护进程的日志（默认）"),
				"commands": T("명령의 기록이에요", "the log of commands", "命令的日志"),
				"json":     T("한 줄에 JSON 객체 하나씩 출력해요 (docs/json.md)", "print one JSON object a line (docs/json.md)", "每行输出一个 JSON 对象（docs/json.md）"),
			},
		},
	}
}
