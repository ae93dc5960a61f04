package i18n

// Texts of setup. Titles and choices fit 40 columns; longer texts are wrapped when they are shown.
var (
	SetupWelcome = T("blunux-ai를 준비할게요. 마지막에 저장하기 전에는 아무것도 바꾸지 않아요.",
		"This sets blunux-ai up. Nothing changes before you save at the end.", "来设置 blunux-ai。最后保存之前不会改动任何东西。")
	SetupKeysHelp     = T("↑↓ 고르기 · Enter 확인 · Esc 그만두기", "↑↓ choose · Enter go on · Esc leave", "↑↓ 选择 · Enter 确认 · Esc 退出")
	SetupTypeHelp     = T("Enter 확인 · Esc 그만두기", "Enter go on · Esc leave", "Enter 确认 · Esc 退出")
	SetupNumber       = T("번호 [%d] › ", "number [%d] › ", "编号 [%d] › ")
	SetupBadNumber    = T("1부터 %d까지의 번호를 적어 주세요.", "Type a number from 1 to %d.", "请输入 1 到 %d 的编号。")
	SetupYesNo        = T("[예(Y)/아니요(n)] › ", "[yes(Y)/no(n)] › ", "[是(Y)/否(n)] › ")
	SetupNoYes        = T("[예(y)/아니요(N)] › ", "[yes(y)/no(N)] › ", "[是(y)/否(N)] › ")
	SetupKeep         = T("Enter: 그대로, -: 비우기", "Enter keeps it, - empties it", "回车保留，- 清空")
	SetupUnclear      = T("예 또는 아니요로 답해 주세요.", "Answer yes or no.", "请回答是或否。")
	SetupYes          = T("예", "Yes", "是")
	SetupNo           = T("아니요", "No", "否")
	SetupTypeBackHelp = T("Enter 확인 · 뒤로: Esc, 또는 < 입력 후 Enter · Ctrl-C 그만두기", "Enter go on · back: Esc, or < and Enter · Ctrl-C leave", "Enter 确认 · 返回：Esc，或输入 < 后按 Enter · Ctrl-C 退出")
	SetupBack         = T("뒤로", "Back", "返回")
	SetupHidden       = T("(보이지 않게 입력해요)", "(what you type is not shown)", "（输入内容不会显示）")
	SetupAborted      = T("그만뒀어요. 아무것도 바꾸지 않았어요.", "Stopped. Nothing was changed.", "已退出，未作任何更改。")
	SetupBroken       = T("지금 설정을 읽을 수 없어요. 먼저 고쳐 주세요: %v", "The settings as they are cannot be used; mend them first: %v", "当前配置无法使用，请先修正：%v")
	SetupNoTTY        = T("여기에는 물어볼 터미널이 없어요. 예: blunux-ai setup --non-interactive --provider claude --key-file -",
		"there is no terminal to ask at; for example: blunux-ai setup --non-interactive --provider claude --key-file -",
		"这里没有可以提问的终端。例如：blunux-ai setup --non-interactive --provider claude --key-file -")

	SetupFoundKey      = T("%s 키를 찾았어요. 이걸로 쓸까요?", "Found a key for %s. Use it?", "找到了 %s 的密钥，使用它吗？")
	SetupFoundEnv      = T("환경 변수 %s에 있어요. 데몬이 언제 시작돼도 쓸 수 있게 본인만 읽는 파일에도 저장해요.", "It is in the variable %s. It is also kept in a file only you can read, so that the daemon has it however it is started.", "它在环境变量 %s 中。为了守护进程无论如何启动都能使用，也会存到只有你能读的文件。")
	SetupFoundFile     = T("credentials 폴더에 저장돼 있어요.", "It is in the credentials directory.", "它在 credentials 目录中。")
	SetupFoundLogin    = T("로그인된 Claude Code가 있어요. 쓸까요?", "Claude Code is logged in. Use it?", "Claude Code 已登录，使用它吗？")
	SetupFoundLocal    = T("Ollama에 모델이 있어요. 이걸로 쓸까요?", "Ollama has a model. Use it?", "Ollama 有模型，使用它吗？")
	SetupFoundModel    = T("모델: %s", "model: %s", "模型：%s")
	SetupFoundSeveral  = T("바로 쓸 수 있는 것을 %d개 찾았어요(✓ 표시).", "%d of these can be used right away (✓).", "其中 %d 个可以直接使用（✓）。")
	SetupFoundNothing  = T("키나 로그인을 찾지 못했어요. 키 없이 쓰려면 내장 도우미를 고르세요.", "No key and no login was found. The built-in helper needs neither.", "没有找到密钥或登录。内置助手两者都不需要。")
	SetupUseIt         = T("예, 이걸로 끝낼게요", "Yes, that is all", "是，就这样")
	SetupMore          = T("쓰고, 설정 더 보기", "Yes, and more settings", "是，再看更多设置")
	SetupOther         = T("다른 걸 고를게요", "Something else", "选别的")
	SetupProvider      = T("누가 답할까요?", "Who is to answer?", "由谁来回答？")
	SetupTerms         = T("구독은 API와 약관이 달라요. 설치된 claude 프로그램에게 대신 물어보는 평범한 사용이고, 한도는 구독의 한도예요. 자동으로 도는 일이 많으면 API 키가 맞아요.", "A subscription has other terms than the API. This is ordinary use of the installed claude program, within your plan's limits. For much that runs by itself an API key is the right thing.", "订阅的条款与 API 不同。这里只是正常使用已安装的 claude 程序，受订阅额度限制。自动任务较多时应使用 API 密钥。")
	SetupInstall       = T("claude가 없어요. 설치할까요?", "claude is not installed. Install it?", "未安装 claude，安装吗？")
	SetupRuns          = T("실행할 명령: %s", "This runs: %s", "将执行：%s")
	SetupNoNPM         = T("npm이 없어요. 먼저 터미널에서: sudo pacman -S npm", "npm is not installed. First, in a terminal: sudo pacman -S npm", "未安装 npm。请先在终端执行：sudo pacman -S npm")
	SetupInstallFailed = T("설치하지 못했어요: %v. 권한 때문이면: npm install -g --prefix ~/.npm-global @anthropic-ai/claude-code", "It could not be installed: %v. If rights are missing: npm install -g --prefix ~/.npm-global @anthropic-ai/claude-code", "安装失败：%v。若因权限：npm install -g --prefix ~/.npm-global @anthropic-ai/claude-code")
	SetupLogin         = T("로그인이 필요해요. 터미널에서 claude 를 실행하고 /login 하세요.", "It wants a login: run claude in a terminal, then /login.", "需要登录：在终端运行 claude，然后 /login。")
	SetupLoggedIn      = T("claude에 로그인돼 있어요.", "claude is logged in.", "claude 已登录。")

	SetupServer        = T("서버 주소 (base_url)", "The server's address (base_url)", "服务器地址 (base_url)")
	SetupServerHelp    = T("예: http://127.0.0.1:8080/v1 (llama.cpp, vLLM, LM Studio)", "for example http://127.0.0.1:8080/v1 (llama.cpp, vLLM, LM Studio)", "例如 http://127.0.0.1:8080/v1（llama.cpp、vLLM、LM Studio）")
	SetupBadServer     = T("쓸 수 없는 주소예요: %v", "This address cannot be used: %v", "无法使用该地址：%v")
	SetupKeyAsk        = T("%s 키", "The key of %s", "%s 的密钥")
	SetupKeyHelp       = T("키 받는 곳: %s", "Get one at %s", "获取密钥：%s")
	SetupKeyKeep       = T("비워 두면 지금 키를 그대로 써요.", "Leave it empty to keep the key there is.", "留空则保留现有密钥。")
	SetupKeyNone       = T("필요 없으면 비워 두세요.", "Leave it empty if none is needed.", "不需要则留空。")
	SetupBadKey        = T("키는 빈칸 없는 한 줄이에요.", "A key is one line without blanks.", "密钥是一行且没有空格。")
	SetupChecking      = T("확인하고 있어요…", "Checking…", "正在确认…")
	SetupValid         = T("✓ 쓸 수 있는 키예요.", "✓ The key works.", "✓ 密钥可用。")
	SetupAnswers       = T("✓ 서버가 답해요.", "✓ The server answers.", "✓ 服务器有响应。")
	SetupSpent         = T("(모델 목록이 없는 서버라 몇 토큰짜리 질문으로 확인했어요.)", "(The server lists no models, so it was asked a question of a few tokens.)", "（服务器没有模型列表，用几个词元的提问确认了。）")
	SetupRefused       = T("✗ 거절된 키예요: %s", "✗ The key was refused: %s", "✗ 密钥被拒绝：%s")
	SetupNoNetwork     = T("✗ 서버에 닿지 않아요: %s", "✗ The server cannot be reached: %s", "✗ 无法连接服务器：%s")
	SetupTroubleName   = T("주소를 찾지 못해요(DNS)", "its address is not found (DNS)", "找不到地址（DNS）")
	SetupTroubleProxy  = T("프록시가 막아요", "a proxy does not let it through", "代理不放行")
	SetupTroubleClock  = T("이 컴퓨터의 시계가 틀려서 인증서를 믿지 못해요", "this computer's clock does not fit its certificate", "本机时钟与证书不符")
	SetupTroubleTrust  = T("인증서를 믿을 수 없어요", "its certificate is not trusted", "不信任其证书")
	SetupTroubleClosed = T("그 주소에서 듣고 있는 서버가 없어요", "no server listens at that address", "该地址没有服务器在监听")
	SetupTroubleRoute  = T("그곳까지 가는 길이 없어요. 인터넷 연결을 봐 주세요", "no way leads there; is there a network?", "没有通往该处的网络路径，请检查网络")
	SetupTroubleLate   = T("제시간에 대답하지 않아요", "it does not answer in time", "未及时应答")
	SetupTroubleOther  = T("연결이 이어지지 않아요", "the connection does not hold", "连接中断")
	SetupLimited       = T("✓ 키는 맞지만 지금은 요청이 너무 많대요: %s", "✓ It is a key, but too much was asked just now: %s", "✓ 密钥正确，但目前请求过多：%s")
	SetupNoModel       = T("✗ 그 모델이 없어요: %s", "✗ There is no such model: %s", "✗ 没有该模型：%s")
	SetupOdd           = T("✗ 서버의 말: %s", "✗ The server says: %s", "✗ 服务器说：%s")
	SetupWhatNow       = T("어떻게 할까요?", "What now?", "怎么办？")
	SetupAgain         = T("다시 입력하기", "Enter it again", "重新输入")
	SetupAnyway        = T("그래도 저장하기", "Save it anyway", "仍然保存")
	SetupNoVerify      = T("그래도 저장하려면: --no-verify", "to save it anyway: --no-verify", "仍要保存：--no-verify")

	SetupModel     = T("어떤 모델을 쓸까요?", "Which model?", "使用哪个模型？")
	SetupRecommend = T("%s (추천)", "%s (recommended)", "%s（推荐）")
	SetupTypeModel = T("직접 적기", "Type another", "自行输入")
	SetupModelName = T("모델 이름", "The model's name", "模型名称")
	SetupBadModel  = T("이름은 빈칸 없는 한 줄이에요.", "A name is one line without blanks.", "名称是一行且没有空格。")

	SetupHub          = T("설정", "Settings", "设置")
	SetupHubSave      = T("저장하고 끝내기", "Save and finish", "保存并完成")
	SetupHubLeave     = T("그만두기 (바꾸지 않음)", "Leave, change nothing", "退出（不更改）")
	SetupHubProvider  = T("누가 답하나: %s", "Who answers: %s", "回答者：%s")
	SetupHubModel     = T("모델: %s", "Model: %s", "模型：%s")
	SetupHubKey       = T("키: %s", "Key: %s", "密钥：%s")
	SetupHubLanguage  = T("언어: %s", "Language: %s", "语言：%s")
	SetupHubWhatsApp  = T("WhatsApp: %s", "WhatsApp: %s", "WhatsApp：%s")
	SetupHubTelegram  = T("Telegram: %s", "Telegram: %s", "Telegram：%s")
	SetupHubAutomatic = T("자동화: %s", "Automations: %s", "自动化：%s")
	SetupDefault      = T("추천 모델", "the recommended one", "推荐模型")
	SetupAuto         = T("자동", "automatic", "自动")
	SetupHave         = T("있음", "there", "有")
	SetupHaveNone     = T("없음", "none", "无")
	SetupNoSender     = T("아무도 안 됨", "nobody", "无人")
	SetupPeople       = T("%d명", "%d allowed", "%d 人")
	SetupOn           = T("켜짐", "on", "开")
	SetupOff          = T("꺼짐", "off", "关")
	SetupRights       = T("관리자 권한: %s", "Root's rights: %s", "管理员权限：%s")
	SetupSandbox      = T("읽기 명령의 울타리: %s", "What holds reading commands: %s", "只读命令的沙箱：%s")
	SetupLanguage     = T("화면의 언어", "The interface's language", "界面语言")

	SetupWhatsApp   = T("WhatsApp으로 말 걸 수 있는 번호", "Numbers that may write by WhatsApp", "可通过 WhatsApp 联系的号码")
	SetupNumberHelp = T("쉼표로 여러 개. 예: +82 10-1234-5678. 비우면 아무도 안 되고, 말을 건 사람은 하루 한 번 코드를 받아요: blunux-aictl pairing approve 코드", "Several with commas, as +82 10-1234-5678. Empty: nobody; who writes gets a code once a day: blunux-aictl pairing approve CODE", "多个用逗号分隔，如 +82 10-1234-5678。留空则无人；发消息的人每天会收到一个代码：blunux-aictl pairing approve 代码")
	SetupTelegram   = T("Telegram 채팅 ID", "Telegram chat ids", "Telegram 聊天 ID")
	SetupChatHelp   = T("쉼표로 여러 개, 숫자로. 모르면 비워 두세요: 봇에게 말을 걸면 코드를 받아요(blunux-aictl pairing approve 코드).", "Several with commas, digits. Leave it empty where you do not know: who writes to the bot gets a code (blunux-aictl pairing approve CODE).", "多个用逗号分隔，数字。不知道就留空：给机器人发消息会收到代码（blunux-aictl pairing approve 代码）。")
	SetupBadPhone   = T("%s{은/는} 전화번호가 아니에요. 예: +82 10-1234-5678", "%s is no telephone number; for example +82 10-1234-5678", "%s 不是电话号码。例如 +82 10-1234-5678")
	SetupNoCountry  = T("%s{은/는} 나라 번호가 없어요. +82처럼 앞에 붙여 주세요.", "%s lacks its country: begin with +82 or the like", "%s 缺少国家代码，请以 +82 之类开头")
	SetupBadID      = T("%s{은/는} ID가 아니에요. 숫자로 적어 주세요.", "%s is no id: digits, please", "%s 不是 ID，请用数字")

	SetupAutomations     = T("자동화를 켤까요?", "Are automations to run?", "启用自动化吗？")
	SetupAutomationsHelp = T("규칙 %d개: 매일 아침 상태, 업데이트, 보안, 디스크 같은 것을 살펴보고 알려요. 돈은 들지 않아요. 고치는 곳: automations.toml", "%d {rule|rules} that {looks|look} at health, updates, security and disk and {tells|tell} you, at no cost. Yours to edit: automations.toml", "%d 条规则：查看状态、更新、安全、磁盘并通知你，不产生费用。可编辑：automations.toml")

	SetupSummary   = T("이렇게 저장할게요", "This will be saved", "将保存以下内容")
	SetupSaveAsk   = T("저장할까요?", "Save it?", "保存吗？")
	SetupChange    = T("%s: %s → %s", "%s: %s → %s", "%s：%s → %s")
	SetupWritesKey = T("%s 에 키를 저장해요(본인만 읽기).", "The key goes to %s (yours alone).", "密钥写入 %s（仅本人可读）。")
	SetupWrites    = T("%s 에 설정을 써요. config.toml은 그대로예요.", "The settings go to %s; config.toml stays as it is.", "设置写入 %s；config.toml 不变。")
	SetupNothing   = T("바꿀 것이 없어요.", "There is nothing to change.", "没有需要更改的内容。")
	SetupOverruled = T("주의: %s{은/는} %s 에서 정해져 있어서 그 값이 쓰여요.", "Note: %s is decided by %s, whose value counts.", "注意：%s 由 %s 决定，以其为准。")
	SetupShadow    = T("주의: 환경 변수 %s의 키가 파일보다 먼저 쓰여요.", "Note: the key in the variable %s goes before the file.", "注意：环境变量 %s 中的密钥优先于文件。")

	SetupSaved    = T("저장했어요.", "Saved.", "已保存。")
	SetupReloaded = T("돌고 있던 데몬이 새 설정을 읽었어요.", "The running daemon has read the new settings.", "运行中的守护进程已读取新设置。")
	SetupNoReload = T("데몬이 새 설정을 쓰지 못해요: %v", "The daemon cannot use the new settings: %v", "守护进程无法使用新设置：%v")
	SetupMemory   = T("이 컴퓨터의 정보를 memory/SYSTEM.md에 적었어요.", "What is known of this machine is in memory/SYSTEM.md.", "本机信息已写入 memory/SYSTEM.md。")
	SetupSocket   = T("로그인할 때 데몬을 준비해 둘까요?", "Keep the daemon ready at login?", "登录时准备好守护进程吗？")
	SetupDone     = T("이제 말을 걸어 보세요: blunux-ai chat\n예: '디스크 얼마나 남았어?'", "Now talk to it: blunux-ai chat\nFor example: how full is the disk?", "现在可以对话了：blunux-ai chat\n例如：磁盘还剩多少？")
	SetupHint     = T("아직 설정하지 않아서 내장 도우미가 답해요. 설정: blunux-ai setup", "Nothing is set up yet, so the built-in helper answers. To change that: blunux-ai setup", "尚未设置，由内置助手回答。设置：blunux-ai setup")

	SetupUnknown   = T("모르는 제공자예요: %s. 쓸 수 있는 것: %s", "There is no provider %s. Known are: %s", "没有提供方 %s。可用：%s")
	SetupNeedsKey  = T("%s에는 키가 필요해요: --key-file FILE 또는 - (표준 입력), 환경 변수 %s", "%s needs a key: --key-file FILE, or - for standard input, or the variable %s", "%s 需要密钥：--key-file FILE，或 - 表示标准输入，或环境变量 %s")
	SetupNeedsURL  = T("custom에는 서버 주소가 필요해요: --base-url http://127.0.0.1:8080/v1", "custom needs its server: --base-url http://127.0.0.1:8080/v1", "custom 需要服务器地址：--base-url http://127.0.0.1:8080/v1")
	SetupNeedsName = T("custom에는 모델 이름이 필요해요: --model 이름", "custom needs a model: --model NAME", "custom 需要模型：--model NAME")
)

// providerNames are the providers in a list of choices, at most 34 cells wide.
var providerNames = map[string]Text{
	"claude":      T("Claude (API 키, 추천)", "Claude (API key, recommended)", "Claude（API 密钥，推荐）"),
	"claude-code": T("Claude (구독)", "Claude (subscription)", "Claude（订阅）"),
	"ollama":      T("Ollama (이 컴퓨터)", "Ollama (on this computer)", "Ollama（本机）"),
	"custom":      T("다른 서버 (OpenAI 호환)", "Another server (OpenAI-like)", "其他服务器（兼容 OpenAI）"),
	"offline":     T("내장 도우미", "Built-in helper", "内置助手"),
}

// ProviderName returns a provider's name for a list of choices, or else its label.
func ProviderName(name, label string, lang Lang) string {
	if text, ok := providerNames[name]; ok {
		return text.In(lang)
	}
	return label
}
