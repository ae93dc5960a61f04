package i18n

// Mistakes in a setting. The first argument is usually its key.
var (
	SettingOf       = T("%s: %s", "%s: %s", "%s：%s") // key and mistake
	SettingUnknown  = T("모르는 열쇠말이에요: %s", "unknown key %s", "未知的键：%s")
	SettingSyntax   = T("TOML로 읽을 수 없어요: %s", "%s", "不是有效的 TOML：%s")
	SettingType     = T("TOML의 %s인데, 이 열쇠말에는 %s{이/가} 와야 해요", "it is a TOML %s, the key takes: %s", "它是 TOML 的 %s，此键应为：%s")
	SettingOneOf    = T("%s = %q: %s 중 하나여야 해요", "%s = %q: must be one of %s", "%s = %q：应为以下之一：%s")
	SettingNumber   = T("%s = %d: 0(기본값)부터 %d까지여야 해요", "%s = %d: must be from 0 (the default) to %d", "%s = %d：应在 0（默认）到 %d 之间")
	SettingFrom1    = T("%s = %d: 1부터 %d까지여야 해요", "%s = %d: must be from 1 to %d", "%s = %d：应在 1 到 %d 之间")
	SettingPositive = T("%s = %d: 0보다 커야 해요", "%s = %d: must be positive", "%s = %d：应大于 0")
	SettingWarmth   = T("%s = %v: 0부터 2까지여야 해요", "%s = %v: must be from 0 to 2", "%s = %v：应在 0 到 2 之间")
	SettingDollars  = T("%s = %v: 0(한도 없음)부터 %d달러까지여야 해요", "%s = %v: must be from 0 (no limit) to %d {dollar|dollars}", "%s = %v：应在 0（无限制）到 %d 美元之间")
	SettingTokens   = T("%s = %d: 0(한도 없음)부터 %d까지여야 해요", "%s = %d: must be from 0 (no limit) to %d", "%s = %d：应在 0（无限制）到 %d 之间")
	SettingShare    = T("%s = %v: 0(알리지 않음)부터 1까지, 한도에 대한 비율이어야 해요", "%s = %v: must be from 0 (never) to 1, a share of the limit", "%s = %v：应在 0（从不）到 1 之间，为限额的比例")
	SettingPrice    = T("%s = %v: 토큰 백만 개의 달러 값으로, 0부터 %d까지여야 해요", "%s = %v: must be dollars for a million tokens, from 0 to %d", "%s = %v：应为每百万词元的美元价格，0 到 %d 之间")
	SettingOnOff    = T("%q: on이나 off여야 해요", "%q: must be on or off", "%q：应为 on 或 off")
	SettingTooMany  = T("%s: %d개보다 많아요", "%s: there are more than %d", "%s：超过 %d 个")
	SettingProgram  = T("%s: %q{은/는} 프로그램 하나의 이름도, 절대 경로도 아니에요", "%s: %q is neither the name of one program nor its absolute path", "%s：%q 既不是一个程序的名称，也不是其绝对路径")
	SettingHost     = T("%s: %q{은/는} 호스트의 이름도 주소도 아니에요", "%s: %q is neither the name nor the address of a host", "%s：%q 既不是主机名也不是地址")
	SettingAbsolute = T("%s: %q{은/는} 절대 경로이거나 ~/로 시작해야 해요", "%s: %q must be an absolute path, or begin with ~/", "%s：%q 应为绝对路径，或以 ~/ 开头")
	SettingHalfFull = T("ai_agent.autonomy = \"full\"인데 %s{이/가} 없어요. \"supervised\"처럼 모두 물어봐요", "ai_agent.autonomy = \"full\" without %s: everything is asked about, as with \"supervised\"", "ai_agent.autonomy = \"full\" 但没有 %s：与 \"supervised\" 一样全部询问")

	SettingNoServer = T("memory.embeddings.model에는 memory.embeddings.base_url이 있어야 해요: 어느 서버의 모델인지요", "memory.embeddings.model needs memory.embeddings.base_url: which server has the model", "memory.embeddings.model 需要 memory.embeddings.base_url：哪个服务器有该模型")
	SettingNoModel  = T("memory.embeddings.base_url에는 memory.embeddings.model이 있어야 해요: 서버의 어느 모델로 벡터를 만드는지요", "memory.embeddings.base_url needs memory.embeddings.model: which of the server's models makes the vectors", "memory.embeddings.base_url 需要 memory.embeddings.model：由服务器的哪个模型生成向量")
	SettingNearURL  = T("memory.embeddings.base_url = %q: https:// 주소이거나, 이 컴퓨터나 집 네트워크의 http:// 주소여야 해요", "memory.embeddings.base_url = %q: must be an https:// address, or an http:// one of this machine or the network at home", "memory.embeddings.base_url = %q：应为 https:// 地址，或本机、家庭网络的 http:// 地址")

	SettingChatID = T("%s: %q{은/는} 대화의 id가 아니에요. 숫자로 적어요", "%s: %q is not a chat's id: digits", "%s：%q 不是对话 id：应为数字")
	SettingGroup  = T("%s: %q{은/는} 그룹이에요. 그룹에서는 누구나 대신 답할 수 있어서 두 사람의 대화만 받아요", "%s: %q is a group: there anybody could answer for you, so only chats of two are listened to", "%s：%q 是群组：群里任何人都能替您回答，因此只接受两人对话")
	SettingPhone  = T("%s: %q{은/는} 전화번호가 아니에요. 나라 번호까지 7~15자리로 적어요, 예: +821012345678", "%s: %q is not a telephone number: 7 to 15 digits with the country's, such as +821012345678", "%s：%q 不是电话号码：应为含国家代码的 7 到 15 位数字，例如 +821012345678")
	SettingUserID = T("%s: %q{은/는} 사람의 id가 아니에요. 숫자로 적어요", "%s: %q is not a user's id: digits", "%s：%q 不是用户 id：应为数字")
)

// Mistakes in an MCP server, [mcp.NAME].
var (
	ServerName     = T("%s: 서버의 이름은 소문자로 시작하는 소문자, 숫자, 빼기표 32자까지예요", "%s: a server's name is at most 32 lower-case letters, digits and dashes, a letter first", "%s：服务器名称最多 32 个小写字母、数字和连字符，以字母开头")
	ServerTooMany  = T("mcp: 서버가 %d개보다 많아요", "mcp: there are more than %d {server|servers}", "mcp：服务器超过 %d 个")
	ServerNeither  = T("command = [\"프로그램\", …]이나 url = \"https://…\"가 있어야 해요", "it needs a command = [\"PROGRAM\", …] or a url = \"https://…\"", "需要 command = [\"程序\", …] 或 url = \"https://…\"")
	ServerBoth     = T("command가 이미 있어요. 둘 중 하나만 쓸 수 있어요", "there is a command already: only one of the two", "已有 command：两者只能用其一")
	ServerTimeout  = T("%d: 0(기본값)부터 %d초까지여야 해요", "%d must be from 0 (the default) to %d {second|seconds}", "%d：应在 0（默认）到 %d 秒之间")
	ServerURL      = T("%q: https://…이거나 이 컴퓨터의 http://…여야 하고, 이름이나 비밀번호가 들어 있으면 안 돼요", "%q must be https://…, or http://… on this computer, without a name or password in it", "%q：应为 https://…，或本机的 http://…，且不含用户名或密码")
	ServerEnv      = T("환경 변수는 command에만 쓸 수 있어요", "only a command has an environment", "只有 command 才有环境变量")
	ServerProgram  = T("%q{은/는} 프로그램이 아니에요", "%q is no program", "%q 不是程序")
	ServerControl  = T("제어 문자가 들어 있어요", "it holds a control character", "含有控制字符")
	ServerTool     = T("%q{은/는} 도구의 이름이 아니에요. 서버에 있는 그대로 글자, 숫자, _와 -로 적어요", "%q is no tool's name: letters, digits, _ and -, as the server has it", "%q 不是工具名称：应为字母、数字、_ 和 -，与服务器中的一致")
	ServerVariable = T("%q{은/는} 변수의 이름이 아니에요", "%q is no variable's name", "%q 不是变量名")
	ServerValue    = T("%q: 글이거나, $와 변수 이름 하나여야 해요", "%q must be a text, or $ and the name of one variable", "%q：应为文字，或 $ 加一个变量名")
	ServerNUL      = T("NUL이 들어 있어요", "it holds a NUL", "含有 NUL")
)

// Mistakes in a rule or a pattern of [security].
var (
	RuleNameless     = T("규칙에는 이름이 있어야 해요. 한 줄, %d자까지예요", "a rule needs a name, one line of at most %d {character|characters}", "规则需要名称，单行，最多 %d 个字符")
	RuleAction       = T("%q: %s 중 하나여야 해요", "%q must be one of %s", "%q：应为以下之一：%s")
	RuleExamples     = T("규칙에는 패턴이 찾는 명령과 찾지 않는 명령이 하나씩은 있어야 해요", "a rule needs at least one command that its pattern matches, and one that it does not", "规则至少需要一个与其模式匹配的命令和一个不匹配的命令")
	RuleExampleEmpty = T("예는 명령이고 비어 있을 수 없어요", "an example is a command and cannot be empty", "示例是命令，不能为空")
	RuleHits         = T("%q의 패턴이 이 명령을 찾아요", "the pattern of %q matches this command", "%q 的模式匹配了此命令")
	RuleMisses       = T("%q의 패턴이 이 명령을 찾지 못해요", "the pattern of %q does not match this command", "%q 的模式不匹配此命令")
	PatternEmpty     = T("패턴은 비어 있을 수 없어요", "a pattern cannot be empty", "模式不能为空")
	PatternLong      = T("패턴은 %d바이트까지예요", "a pattern can be at most %d {byte|bytes} long", "模式最多 %d 字节")
	PatternBad       = T("패턴을 읽을 수 없어요: %s", "%s", "模式无法解析：%s")
)

// Problems of a settings file or a key.
var (
	FileLink       = T("심볼릭 링크예요. 파일 자체를 거기에 두세요", "is a symbolic link; put the file itself there", "是符号链接；请把文件本身放在那里")
	FileOdd        = T("일반 파일이 아니에요", "is not a regular file", "不是普通文件")
	FileForeign    = T("내 파일이 아니라 uid %d의 것이에요. 실행하세요: sudo chown $(id -u) %s", "it belongs to uid %d, not to you; run: sudo chown $(id -u) %s", "属于 uid %d，不属于您；请运行：sudo chown $(id -u) %s")
	FileOpen       = T("다른 사용자가 쓸 수 있어요 (모드 %04o). 실행하세요: chmod go-w %s", "other users can write to it (mode %04o); run: chmod go-w %s", "其他用户可以写入（模式 %04o）；请运行：chmod go-w %s")
	KeyFileLink    = T("심볼릭 링크예요", "is a symbolic link", "是符号链接")
	KeyFileForeign = T("내 파일이 아니라 uid %d의 것이에요", "belongs to uid %d, not to you", "属于 uid %d，不属于您")
	KeyFileOpen    = T("다른 사용자가 읽을 수 있어요 (모드 %04o)", "other users can read it (mode %04o)", "其他用户可以读取（模式 %04o）")
	KeyFileNoKey   = T("한 줄에 키 하나가 들어 있지 않아요", "does not hold one key on one line", "其中不是单独一行的一个密钥")
	KeyFileRepair  = T("%s: %s. 실행하세요: %s", "%s: %s; run: %s", "%s：%s；请运行：%s")
)

// SettingTypes are the names of TOML's types.
var SettingTypes = map[string]Text{
	"integer":         T("정수", "integer", "整数"),
	"float":           T("소수", "float", "小数"),
	"boolean":         T("true나 false", "boolean", "布尔值"),
	"string":          T("문자열", "string", "字符串"),
	"array":           T("목록", "array", "数组"),
	"table":           T("표", "table", "表"),
	"list of strings": T("문자열의 목록", "list of strings", "字符串列表"),
	"list of tables":  T("표의 목록", "list of tables", "表的列表"),
}

// Problems of the program's directories.
var (
	PlaceNone    = T("파일을 둘 곳을 찾을 수 없어요: HOME이 없어요. BLUNUX_AI_HOME을 내 디렉터리로 정하세요", "cannot find a place for the program's files: HOME is not set; set BLUNUX_AI_HOME to a directory of your own", "找不到存放文件的位置：未设置 HOME；请将 BLUNUX_AI_HOME 设为您自己的目录")
	PlaceHalf    = T("%s에는 파일을 둘 수 없어요: 절대 경로가 아니에요. BLUNUX_AI_HOME과 HOME을 확인하세요", "cannot keep files in %s: it is not an absolute path; check BLUNUX_AI_HOME and HOME", "无法在 %s 存放文件：不是绝对路径；请检查 BLUNUX_AI_HOME 和 HOME")
	PlaceNotMade = T("%s{을/를} 만들 수 없어요: %v", "cannot make %s: %v", "无法创建 %s：%v")
	PlaceBad     = T("%s{을/를} 쓸 수 없어요: %v", "cannot use %s: %v", "无法使用 %s：%v")
	PlaceForeign = T("%s{을/를} 쓸 수 없어요: 내 것이 아니라 uid %d의 것이에요. BLUNUX_AI_HOME을 내 디렉터리로 정하세요", "cannot use %s: it belongs to uid %d, not to you; set BLUNUX_AI_HOME to a directory of your own", "无法使用 %s：属于 uid %d，不属于您；请将 BLUNUX_AI_HOME 设为您自己的目录")
	PlaceOpen    = T("%s{을/를} 다른 사람이 못 보게 할 수 없어요: %v", "cannot close %s to others: %v", "无法禁止他人访问 %s：%v")
)

// Reasons why the daemon cannot start.
var (
	DaemonInherits     = T("물려받은 파일을 놓을 수 없어요: %v", "cannot let go of inherited files: %v", "无法关闭继承的文件：%v")
	DaemonInUse        = T("%s에서 들을 수 없어요: 이미 다른 데몬이 듣고 있어요. 살펴보기: blunux-aictl status", "cannot listen on %s: a daemon is already listening; see: blunux-aictl status", "无法在 %s 监听：已有守护进程在监听；请查看：blunux-aictl status")
	DaemonCannotListen = T("%s에서 들을 수 없어요: %v", "cannot listen on %s: %v", "无法在 %s 监听：%v")
	DaemonNotOwn       = T("%s{을/를} 이 데몬의 것으로 할 수 없어요: %v", "cannot make %s this daemon's own: %v", "无法独占 %s：%v")
	DaemonOther        = T("다른 데몬(pid %[1]s)이 %[2]s에서 일하고 있어요. 먼저 끝내세요: kill %[1]s", "another daemon (pid %[1]s) works with %[2]s; stop it first: kill %[1]s", "另一个守护进程（pid %[1]s）正在使用 %[2]s；请先停止它：kill %[1]s")

	ConfigUnchanged = T("설정이 바뀌지 않았어요: %s", "configuration not changed: %s", "配置未更改：%s")
	ConfigReadAgain = T("설정을 다시 읽었어요", "configuration read again", "已重新读取配置")
)

// Reasons why other commands fail.
var (
	CannotFollow  = T("기록을 따라갈 수 없어요: %v", "cannot follow the log: %v", "无法跟踪日志：%v")
	CannotReport  = T("보고서를 쓸 수 없어요: %v", "cannot write the report: %v", "无法写入报告：%v")
	CannotReadKey = T("키를 읽을 수 없어요: %v", "cannot read the key: %v", "无法读取密钥：%v")
	CannotUseKey  = T("키로 쓸 수 없어요: 한 줄에 키 하나가 아니에요.", "cannot use the key: not one key on one line", "无法用作密钥：不是单独一行的一个密钥。")
	CannotLook    = T("자동화를 살펴볼 수 없어요: %v", "cannot look the automations over: %v", "无法检查自动化：%v")
)

// Reasons why a provider cannot answer, known before a request.
var (
	ProviderUnknown = T("모르는 제공자예요: %q. 쓸 수 있는 것: %s", "unknown provider %q; known are %s", "未知的提供方 %q；可用：%s")
	ProviderNoKey   = T("%s{을/를} 쓰려면 API 키가 필요해요. %s{을/를} 정하거나 키를 credentials/%s에 두세요 (모드 0600)", "%s needs an API key: set %s, or put the key into credentials/%s (mode 0600)", "使用 %s 需要 API 密钥：请设置 %s，或将密钥放入 credentials/%s（模式 0600）")
	ProviderOr      = T(" 또는 ", " or ", " 或 ")
)
