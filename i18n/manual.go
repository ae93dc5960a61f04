package i18n

import (
	"maps"
	"sync"
)

// Page is text for the help and man page of a command, in addition to the command's own fields. Empty fields
// change nothing.
type Page struct {
	Short Text
	// Long is Markdown paragraphs, separated by empty lines. Indented lines are not joined.
	Long Text
	// Example is command lines, with comment lines (#) before them.
	Example Text
	// Flags describes the command's flags, by name.
	Flags map[string]Text
}

// IsZero reports whether there is no text.
func (x Text) IsZero() bool { return x == Text{} }

// pageSources lists the pages of every command, grouped by program.
var pageSources = []func() map[string]Page{
	aiItself, aiDaemon, aiCheck, aiPaths, aiMcp, aiMemory, aiAutomations, aictlItself,
	aictlAsk, aictlApprove, aictlAutomations, aictlMemory, aictlSessions, aictlLog, aictlStatus, aictlModels,
	aictlUsage, aictlPairing, aictlCall, aiSetup, aiConfig, aiConfigCarry, aiDoctor, aiStatus,
	aiLogs, aiChat,
	telegramItself, telegramLogin, telegramLogout, telegramStatus,
	whatsAppItself, whatsAppLogin, whatsAppLogout, whatsAppStatus,
}

// pages builds the pages on first use, because most runs of a client do not need them.
var pages = sync.OnceValue(func() map[string]Page {
	all := map[string]Page{}
	for _, some := range pageSources {
		maps.Copy(all, some())
	}
	return all
})

// PageOf returns the page of a command, by its full path ("blunux-aictl ask").
func PageOf(path string) Page { return pages()[path] }

// Texts that every help uses.
var (
	HelpUsage       = T("사용법:", "Usage:", "用法：")
	HelpAliases     = T("다른 이름:", "Aliases:", "别名：")
	HelpExamples    = T("예:", "Examples:", "示例：")
	HelpCommands    = T("명령:", "Commands:", "命令：")
	HelpFlags       = T("옵션:", "Flags:", "选项：")
	HelpGlobalFlags = T("어디서나 쓰는 옵션:", "Global flags:", "全局选项：")
	HelpFlagsHere   = T("[옵션]", "[flags]", "[选项]")
	HelpCommandHere = T("[명령]", "[command]", "[命令]")
	HelpDefault     = T(" (기본값 %s)", " (default %s)", "（默认 %s）")
	HelpMore        = T("명령 하나의 도움말: %s [명령] --help", "Help of one command: %s [command] --help", "查看某个命令的帮助：%s [命令] --help")

	CmdHelp       = T("명령 하나의 도움말을 보여줘요", "Show the help of a command", "显示某个命令的帮助")
	CmdVersion    = T("버전을 보여줘요", "Show the version", "显示版本")
	FlagHelp      = T("이 도움말을 보여줘요", "show this help", "显示此帮助")
	FlagVersion   = T("버전을 보여줘요", "show the version", "显示版本")
	FlagJSONThis  = T("JSON 문서 하나로 출력해요 (docs/json.md)", "print one JSON document (docs/json.md)", "输出一个 JSON 文档（docs/json.md）")
	CmdCompletion = T("셸의 자동 완성 스크립트를 출력해요", "Print the script that completes commands in your shell", "输出 shell 自动补全脚本")

	LongCompletion = T(`셸이 탭 키로 명령과 이름을 완성하게 하는 스크립트를 출력해요. 패키지로 설치했다면 이미 되어 있어요.

실행 중인 데몬이 있으면 승인 코드, 자동화와 대화의 이름도 완성해요. 그 때문에 데몬을 시작하지는 않아요.`,
		`Print the script that lets your shell complete commands and names with the Tab key. Where the program came as a package, that is done already.

Codes of approvals, names of automations and of conversations are completed while a daemon runs. None is started for that.`,
		`输出脚本，使 shell 可以用 Tab 键补全命令和名称。通过软件包安装时已经配置好。

守护进程运行时，还会补全确认代码、自动化名称和对话名称；不会为此启动守护进程。`)

	ExampleCompletion = T(`# bash: 이 셸에서 바로
source <(%[1]s completion bash)
# zsh: 다음 로그인부터
%[1]s completion zsh > ~/.local/share/zsh/site-functions/_%[1]s
# fish: 다음 셸부터
%[1]s completion fish > ~/.config/fish/completions/%[1]s.fish`,
		`# bash: in this shell, at once
source <(%[1]s completion bash)
# zsh: from the next login on
%[1]s completion zsh > ~/.local/share/zsh/site-functions/_%[1]s
# fish: from the next shell on
%[1]s completion fish > ~/.config/fish/completions/%[1]s.fish`,
		`# bash：在当前 shell 立即生效
source <(%[1]s completion bash)
# zsh：下次登录起生效
%[1]s completion zsh > ~/.local/share/zsh/site-functions/_%[1]s
# fish：下个 shell 起生效
%[1]s completion fish > ~/.config/fish/completions/%[1]s.fish`)
)

// ValueNames are the placeholders of flag values in help, by type.
var ValueNames = map[string]Text{
	"string":      T("글", "text", "文字"),
	"int":         T("수", "number", "数字"),
	"float":       T("소수", "decimal", "小数"),
	"duration":    T("시간", "time", "时长"),
	"strings":     T("목록", "list", "列表"),
	"stringArray": T("글", "text", "文字"),
}

// ValueForms describe the format of flag values, by type.
var ValueForms = map[string]Text{
	"string":      T("글", "a text", "文字"),
	"int":         T("정수 (예: 20)", "a whole number (for example 20)", "整数（如 20）"),
	"float64":     T("수 (예: 1.5)", "a number (for example 1.5)", "数字（如 1.5）"),
	"duration":    T("시간 (예: 30s, 5m, 2h)", "a time (for example 30s, 5m, 2h)", "时长（如 30s、5m、2h）"),
	"stringSlice": T("쉼표로 나눈 목록 (예: a,b)", "a list with commas (for example a,b)", "逗号分隔的列表（如 a,b）"),
	"stringArray": T("글", "a text", "文字"),
	"bool":        T("true 또는 false", "true or false", "true 或 false"),
}

// Mistakes in the command line. The first argument of those about arguments is the command's path.
var (
	MistakeCommand   = T("%[1]s에 '%[2]s' 명령은 없어요.", "%[1]s has no command '%[2]s'.", "%[1]s 没有命令“%[2]s”。")
	MistakeNoArgs    = T("%s{은/는} 다른 말 없이 써요: '%s'", "%s takes no arguments: '%s'", "%s 不带参数：“%s”")
	MistakeArgument  = T("%[1]s에 '%[2]s'{은/는} 쓸 수 없어요. 쓸 수 있는 것: %[3]s", "%[1]s does not take '%[2]s'. It takes: %[3]s", "%[1]s 不接受“%[2]s”。可用：%[3]s")
	MistakeFlag      = T("%s 옵션은 없어요.", "there is no flag %s.", "没有选项 %s。")
	MistakeNoValue   = T("%s 뒤에 값이 있어야 해요: %s", "%s needs a value: %s", "%s 需要一个值：%s")
	MistakeValue     = T("%[1]s의 값 '%[2]s'{을/를} 읽을 수 없어요. %[3]s{으로/로} 써 주세요.", "%[1]s cannot be '%[2]s'; it is %[3]s.", "%[1]s 的值“%[2]s”无效，应为：%[3]s。")
	MistakeSyntax    = T("'%s'{은/는} 옵션의 모양이 아니에요.", "'%s' is not how a flag is written.", "“%s”不是选项的写法。")
	MistakeExact     = T("%[1]s: 인자가 %[2]d개 있어야 하는데 %[3]d개예요.", "%[1]s: it takes %[2]d {argument|arguments}, not %[3]d.", "%[1]s：需要 %[2]d 个参数，实际 %[3]d 个。")
	MistakeFewest    = T("%[1]s: 인자가 %[2]d개는 있어야 하는데 %[3]d개예요.", "%[1]s: it takes at least %[2]d {argument|arguments}, not %[3]d.", "%[1]s：至少需要 %[2]d 个参数，实际 %[3]d 个。")
	MistakeMost      = T("%[1]s: 인자는 %[2]d개까지인데 %[3]d개예요.", "%[1]s: it takes at most %[2]d {argument|arguments}, not %[3]d.", "%[1]s：最多 %[2]d 个参数，实际 %[3]d 个。")
	MistakeRange     = T("%[1]s: 인자는 %[2]d개에서 %[3]d개까지인데 %[4]d개예요.", "%[1]s: it takes %[2]d to %[3]d {argument|arguments}, not %[4]d.", "%[1]s：需要 %[2]d 到 %[3]d 个参数，实际 %[4]d 个。")
	MistakeRequired  = T("%[1]s: 꼭 있어야 하는 옵션이 없어요: %[2]s", "%[1]s: it needs %[2]s.", "%[1]s：缺少必需的选项：%[2]s")
	MistakeExclusive = T("%[1]s: %[3]s{은/는} 함께 쓸 수 없어요 (하나만: %[2]s).", "%[1]s: %[3]s exclude each other (only one of %[2]s).", "%[1]s：%[3]s 不能同时使用（只能用其一：%[2]s）。")
	MistakeTogether  = T("%[1]s: %[2]s{은/는} 함께 써야 해요. 빠진 것: %[3]s", "%[1]s: %[2]s go together; %[3]s is missing.", "%[1]s：%[2]s 必须一起使用，缺少 %[3]s。")
	MistakeOneOf     = T("%[1]s: %[2]s 중 하나는 있어야 해요.", "%[1]s: it needs one of %[2]s.", "%[1]s：需要以下之一：%[2]s。")
	MistakeElsewhere = T("이 명령은 다른 프로그램에 있어요: %s", "Another program has that command: %s", "该命令属于另一个程序：%s")
	MistakeAsk       = T("물어보려면: %s", "To ask a question: %s", "要提问：%s")
	MistakeNear      = T("혹시 이것인가요: %s", "Did you mean: %s", "您是否想用：%s")

	MistakeLang      = T("--lang %s: ko, en, zh 중 하나로 써 주세요.", "--lang %s: not one of ko, en, zh.", "--lang %s：应为 ko、en、zh 之一。")
	MistakeBoth      = T("%s{과/와} %s{은/는} 함께 쓸 수 없어요.", "%s and %s exclude each other.", "%s 与 %s 不能同时使用。")
	MistakeLeast     = T("%s{은/는} %d 이상이어야 해요.", "%s must be at least %d.", "%s 至少为 %d。")
	MistakeBetween   = T("%s{은/는} %d부터 %d까지예요.", "%s must be from %d to %d.", "%s 应在 %d 到 %d 之间。")
	MistakePositive  = T("%s %s: 0보다 커야 해요.", "%s %s: must be more than 0.", "%s %s：必须大于 0。")
	MistakeChoice    = T("%s %s: %s 중 하나로 써 주세요.", "%s %s: not one of %s.", "%s %s：应为 %s 之一。")
	MistakeLineCount = T("--lines %d: 1부터 %d까지예요. --follow와 함께라면 0도 돼요.", "--lines %d: must be from 1 to %d, or 0 with --follow.", "--lines %d：应在 1 到 %d 之间，与 --follow 一起时可为 0。")
	MistakeWith      = T("%s{은/는} %s{과/와} 함께 써요.", "%s goes with %s.", "%s 须与 %s 一起使用。")
	MistakeLines     = T("--lines %d: 1 이상이거나, --follow와 함께라면 0이어야 해요.", "--lines %d: must be at least 1, or 0 with --follow.", "--lines %d：至少为 1，与 --follow 一起时可为 0。")
	MistakeNoWords   = T("%s: 내용을 적어 주세요.", "%s needs some words.", "%s：请写出内容。")
	MistakeTooLarge  = T("%d KiB보다 커요. 큰 파일은: blunux-ai memory import %s", "more than %d KiB; for large files: blunux-ai memory import %s", "超过 %d KiB；大文件请用：blunux-ai memory import %s")
	MistakeNotLine   = T("프로토콜의 한 줄이 아니에요: %v", "not a line of the protocol: %v", "不是协议的一行：%v")
	MistakeNoCommand = T("판정할 명령을 적어 주세요. 예: blunux-ai check \"rm -rf ~\"", "check needs a command; for example: blunux-ai check \"rm -rf ~\"", "请写出要判定的命令。例如：blunux-ai check \"rm -rf ~\"")
	MistakeNotJSON   = T("%d번째 줄은 JSON 문자열이 아니에요: %v", "line %d is not a JSON string: %v", "第 %d 行不是 JSON 字符串：%v")

	CannotWriteOut  = T("표준 출력에 쓸 수 없어요: %v", "cannot write to standard output: %v", "无法写入标准输出：%v")
	CannotWrite     = T("%s{을/를} 쓸 수 없어요: %v", "cannot write %s: %v", "无法写入 %s：%v")
	CannotRead      = T("%s{을/를} 읽을 수 없어요: %v", "cannot read %s: %v", "无法读取 %s：%v")
	LookAtFile      = T("이렇게 살펴보세요: ls -l %s", "See: ls -l %s", "请查看：ls -l %s")
	CannotReadStdin = T("표준 입력을 읽을 수 없어요: %v", "cannot read standard input: %v", "无法读取标准输入：%v")
	CannotEdit      = T("편집할 수 없어요: %v", "cannot edit: %v", "无法编辑：%v")
	NoRuleFile      = T("자동화 파일을 찾을 수 없어요. 파일 위치: blunux-ai paths", "no file of automations is known; see: blunux-ai paths", "找不到自动化文件；参见：blunux-ai paths")
	NotesChange     = T("메모가 계속 바뀌어서 내보낼 수 없어요: blunux-ai memory export", "the notes change all the time: blunux-ai memory export", "笔记不断变化，无法导出：blunux-ai memory export")
)
