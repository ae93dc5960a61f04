package i18n

// Term is a name and its meaning.
type Term struct {
	Name    string
	Meaning Text
}

// Headings and texts of man pages. The name of the first section is one that mandb(8) recognizes in the
// language.
var (
	CmdMan         = T("man 문서의 원본을 디렉터리에 써요", "Write the sources of the man pages into a directory", "将手册页源文件写入目录")
	ManTitle       = T("blunux-ai 설명서", "blunux-ai Manual", "blunux-ai 手册")
	ManName        = T("이름", "NAME", "名称")
	ManSynopsis    = T("사용법", "SYNOPSIS", "概要")
	ManDescription = T("설명", "DESCRIPTION", "描述")
	ManCommands    = T("명령", "COMMANDS", "命令")
	ManFlags       = T("옵션", "OPTIONS", "选项")
	ManGlobalFlags = T("어디서나 쓰는 옵션", "GLOBAL OPTIONS", "全局选项")
	ManExamples    = T("예", "EXAMPLES", "示例")
	ManEnvironment = T("환경 변수", "ENVIRONMENT", "环境变量")
	ManFiles       = T("파일", "FILES", "文件")
	ManExit        = T("종료 코드", "EXIT STATUS", "退出状态")
	ManSeeAlso     = T("같이 보기", "SEE ALSO", "另见")
)

// ExitCodes are the exit statuses of both programs; see docs/exit-codes.md.
var ExitCodes = []Term{
	{"0", T("잘 됐어요.", "All went well.", "成功。")},
	{"1", T("실패했어요. 기록할 수 없거나 승인한 것과 달라서 아무것도 실행하지 않은 것도 여기에 들어가요.", "Failure; also: nothing was run because it could not be written down, or was not what had been approved.", "失败；也包括：因无法记录或与批准的内容不符而未执行。")},
	{"2", T("명령줄이 맞지 않거나, 질문이 비었거나 쓸 수 없어요.", "Wrong usage, an empty or unusable question.", "用法错误，或问题为空或不可用。")},
	{"3", T("데몬에 연결할 수 없거나, 답이 끝나기 전에 데몬이 사라졌어요.", "The daemon cannot be reached, or went away before the answer was finished.", "无法连接守护进程，或它在回答结束前消失。")},
	{"4", T("설정이 안 됐어요: 키가 없거나 거절됐거나 쓸 수 없고, 또는 설정에 잘못이 있어요.", "Not configured: no key, a key that was refused or must not be used, a mistake in the configuration.", "未配置：没有密钥、密钥被拒绝或不可用，或配置有误。")},
	{"5", T("승인이 거절됐거나 시간이 지났거나, 물어볼 사람이 없었어요. 올바른 bash가 아닌 명령도요.", "An approval was denied or expired, or nobody could be asked; a command that is not valid bash.", "批准被拒绝或过期，或无人可询问；命令不是有效的 bash。")},
	{"6", T("정책이 막았어요.", "Blocked by policy.", "被策略禁止。")},
	{"7", T("제공자가 실패했어요: 한도, 서버 오류, 연결 없음, 쓸 수 없는 답, 다 쓴 예산.", "The provider failed: rate limit, server error, no network, an unusable answer, a budget that is used up.", "提供方失败：限流、服务器错误、无网络、回答不可用、预算用完。")},
	{"8", T("허용된 횟수 안에 답이 없었어요.", "No answer within the allowed rounds.", "在允许的轮数内没有回答。")},
	{"9", T("알아듣지 못했어요. 내장 도우미가 되물은 경우도요.", "Not understood; also: the built-in helper asks back.", "未能理解；也包括内置助手反问的情况。")},
	{"10", T("아무것도 하지 못했어요: 프로그램이 없거나, 관리자 권한을 얻을 수 없거나, 내장 도우미가 할 수 없는 일이에요.", "Nothing was done: a program is missing, there are no administrator rights, or the built-in helper cannot do it.", "什么都没有做：缺少程序、无法获得管理员权限，或内置助手做不到。")},
	{"124", T("시간이 다 됐어요. 질문(--timeout)이나 명령이 너무 오래 걸렸어요.", "Timeout: of the question (--timeout) or of a command.", "超时：问题（--timeout）或命令耗时过长。")},
	{"130", T("취소했어요 (Ctrl-C).", "Cancelled (Ctrl-C).", "已取消（Ctrl-C）。")},
}

// ManVariables are the environment variables that both programs read.
var ManVariables = []Term{
	{"BLUNUX_AI_LANG", T("말할 언어: ko, en, zh. --lang보다 뒤, 설정보다 앞이에요.", "The language: ko, en or zh. After --lang, before the configuration.", "语言：ko、en、zh。次于 --lang，优先于配置。")},
	{"LC_ALL, LC_MESSAGES, LANG", T("언어를 정한 것이 없을 때 따르는 로캘이에요.", "The locale, where nothing else says the language.", "没有其他设定时采用的区域设置。")},
	{"BLUNUX_AI_HOME", T("설정과 상태가 있는 디렉터리예요. 없으면 $XDG_CONFIG_HOME/blunux-ai나 ~/.config/blunux-ai예요.", "The directory of configuration and state; else $XDG_CONFIG_HOME/blunux-ai or ~/.config/blunux-ai.", "配置和状态的目录；否则为 $XDG_CONFIG_HOME/blunux-ai 或 ~/.config/blunux-ai。")},
	{"BLUNUX_AI_SOCK", T("데몬의 소켓이에요. 없으면 $XDG_RUNTIME_DIR/blunux-ai.sock이에요.", "The daemon's socket; else $XDG_RUNTIME_DIR/blunux-ai.sock.", "守护进程的套接字；否则为 $XDG_RUNTIME_DIR/blunux-ai.sock。")},
	{"BLUNUX_AI_PROVIDER, BLUNUX_AI_MODEL", T("데몬이 쓸 제공자와 모델이에요. 설정 파일보다 앞이에요.", "The daemon's provider and model; before the files.", "守护进程使用的提供方和模型，优先于配置文件。")},
	{"BLUNUX_AI_AUTOMATIONS", T("on 또는 off. off면 저절로 실행되는 것이 없어요.", "on or off; off: nothing happens by itself.", "on 或 off；off 时不自动执行任何事。")},
	{"BLUNUX_AI_LOG", T("데몬의 기록이 얼마나 자세한지: trace, debug, info, warn, error.", "How much the daemon's log says: trace, debug, info, warn, error.", "守护进程日志的详细程度：trace、debug、info、warn、error。")},
	{"NO_COLOR", T("무엇이든 적혀 있으면 색을 쓰지 않아요.", "No colour, where it holds anything.", "设置为任意值时不使用颜色。")},
	{"VISUAL, EDITOR", T("편집기예요.", "The editor.", "编辑器。")},
}

// ManPlaces are the files of both programs.
var ManPlaces = []Term{
	{"~/.config/blunux-ai/config.toml, config.d/*.toml", T("내 설정이에요. blunux-ai-config(5)", "Your configuration; see blunux-ai-config(5).", "您的配置，见 blunux-ai-config(5)。")},
	{"~/.config/blunux-ai/automations.toml, automations.d/*.toml", T("저절로 실행되는 일이에요.", "What happens by itself.", "自动执行的事。")},
	{"~/.config/blunux-ai/credentials/", T("모델의 키예요. 파일마다 0600이어야 해요.", "Keys of models, a file of mode 0600 each.", "模型密钥，每个文件权限须为 0600。")},
	{"~/.config/blunux-ai/memory/", T("메모예요: SYSTEM.md, USER.md, MEMORY.md, daily/.", "Notes: SYSTEM.md, USER.md, MEMORY.md, daily/.", "笔记：SYSTEM.md、USER.md、MEMORY.md、daily/。")},
	{"~/.config/blunux-ai/sessions/", T("대화예요.", "Conversations.", "对话。")},
	{"~/.config/blunux-ai/logs/", T("실행한 명령의 기록(commands.log, audit.jsonl)과 데몬의 기록이에요.", "The record of commands (commands.log, audit.jsonl) and the daemon's log.", "命令记录（commands.log、audit.jsonl）和守护进程日志。")},
	{"$XDG_RUNTIME_DIR/blunux-ai.sock", T("데몬의 소켓이에요.", "The daemon's socket.", "守护进程的套接字。")},
}
