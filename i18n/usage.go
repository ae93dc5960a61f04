package i18n

// Texts about models, costs and the budget.
var (
	CmdUsage     = T("모델에 든 토큰과 비용을 보여줘요", "Show what models took and cost", "显示模型的用量和费用")
	CmdModels    = T("고를 수 있는 모델을 보여줘요", "Show the models to choose from", "显示可选的模型")
	FlagSince    = T("언제부터: today, 7d, 2026-11-01, all", "from when: today, 7d, 2026-11-01, all", "起始：today、7d、2026-11-01、all")
	FlagBy       = T("무엇으로 나눌지: day, provider, model, session, channel, automation", "rows by day, provider, model, session, channel or automation", "分组：day、provider、model、session、channel、automation")
	UsageNothing = T("이 기간에는 모델에 물어본 것이 없어요.", "No model was asked in this time.", "这段时间没有询问过模型。")

	ColumnDay        = T("날짜", "day", "日期")
	ColumnProvider   = T("제공자", "provider", "提供方")
	ColumnModel      = T("모델", "model", "模型")
	ColumnSession    = T("대화", "session", "对话")
	ColumnChannel    = T("채널", "channel", "渠道")
	ColumnAutomation = T("자동화", "automation", "自动化")
	ColumnRequests   = T("요청", "requests", "请求")
	ColumnIn         = T("입력 토큰", "tokens in", "输入词元")
	ColumnCached     = T("(캐시)", "(cached)", "（缓存）")
	ColumnOut        = T("출력 토큰", "tokens out", "输出词元")
	ColumnCost       = T("비용", "cost", "费用")
	ColumnContext    = T("문맥", "context", "上下文")
	ColumnPriceIn    = T("입력 $/백만", "$/M in", "输入 $/百万")
	ColumnPriceOut   = T("출력 $/백만", "$/M out", "输出 $/百万")
	ColumnNoted      = T("확인한 날", "noted", "记录日期")
	RowTotal         = T("합계", "total", "合计")
	RowUnknown       = T("(없음)", "(none)", "（无）")
	UsageUnpriced    = T("요청 %s개는 가격을 몰라서 비용에 들어 있지 않아요. 가격 정하기: config.toml의 [providers.NAME.prices.\"MODEL\"]", "The price of %s {request|requests} is not known; the cost is without them. To set one: [providers.NAME.prices.\"MODEL\"] in config.toml", "有 %s 个请求的价格未知，未计入费用。设置价格：config.toml 中的 [providers.NAME.prices.\"MODEL\"]")

	BudgetLine        = T("오늘 예산 %s 중 %s 사용 (%d%%)", "Today's budget: %[2]s of %[1]s used (%[3]d%%)", "今日预算 %s，已用 %s（%d%%）")
	BudgetShort       = T("%s 중 %s (%d%%)", "%[2]s of %[1]s (%[3]d%%)", "%s 中的 %s（%d%%）")
	BudgetTokens      = T("토큰 %s개", "%s {token|tokens}", "%s 个词元")
	BudgetWarns       = T("오늘 모델에 쓸 예산의 %d%%를 썼어요: %s 중 %s.", "%d%% of today's budget for models is used: %[3]s of %[2]s.", "今日模型预算已使用 %d%%：%s 中的 %s。")
	BudgetThenLocal   = T("다 쓰면 돈이 들지 않는 모델과 내장 도우미만 답해요 (자정까지).", "When it is used up only models that cost nothing, and the built-in helper, answer until midnight.", "用完后，到午夜前只有免费模型和内置助手会回答。")
	BudgetThenStop    = T("다 쓰면 자정까지 답하지 않아요.", "When it is used up nothing is answered until midnight.", "用完后，到午夜前不再回答。")
	ErrBudget         = T("오늘 예산을 다 썼어요: %s 중 %s 사용.", "Today's budget is used up: %[2]s of %[1]s.", "今日预算已用完：%s，已用 %s。")
	ErrBudgetOwn      = T("이 자동화의 오늘 예산을 다 썼어요: %s 중 %s 사용.", "This automation's budget of today is used up: %[2]s of %[1]s.", "此自动化今日的预算已用完：%s，已用 %s。")
	ErrBudgetHint     = T("자정까지 기다리거나 config.toml의 [budget] %s{을/를} 바꾸세요. 쓴 내역: blunux-aictl usage --since today --by model", "Wait until midnight, or change %s in [budget] of config.toml. What took it: blunux-aictl usage --since today --by model", "请等到午夜，或修改 config.toml 中 [budget] 的 %s。明细：blunux-aictl usage --since today --by model")
	ErrSince          = T("시작을 알 수 없어요: %q. today, 7d(지난 7일), 2026-11-01, all 중 하나로 써 주세요.", "Not a beginning: %q. Give today, 7d (the last seven days), 2026-11-01 or all.", "无法识别的起始：%q。请用 today、7d（最近七天）、2026-11-01 或 all。")
	ErrBy             = T("%q{으로/로}는 나눌 수 없어요. 가능한 것: %s", "Cannot show rows by %q. What there is: %s", "不能按 %q 分组。可用：%s")
	ErrUsageHint      = T("예: blunux-aictl usage --since 7d --by provider", "For example: blunux-aictl usage --since 7d --by provider", "例如：blunux-aictl usage --since 7d --by provider")
	ErrUnknownModels  = T("그런 제공자가 없어요: %s. 있는 것: %s", "There is no provider %s. Known are: %s", "没有提供方 %s。已知的有：%s")
	ErrUnknownModHint = T("모두 보기: blunux-aictl models", "To see all: blunux-aictl models", "查看全部：blunux-aictl models")

	StatusToday  = T("오늘", "today", "今天")
	StatusNToday = T("요청 %s, 입력 %s, 출력 %s, %s", "%s {request|requests}, %s in, %s out, %s", "请求 %s，输入 %s，输出 %s，%s")
	StatusBudget = T("예산", "budget", "预算")

	ModelsAnswers     = T("지금 답해요: %s (%s)", "answers now: %s (%s)", "当前回答：%s（%s）")
	ModelsExplicit    = T("설정에서 골랐어요", "chosen by the configuration", "由配置选定")
	ModelsEnvironment = T("LLM_PROVIDER에서 골랐어요", "chosen by LLM_PROVIDER", "由 LLM_PROVIDER 选定")
	ModelsKey         = T("키가 있는 첫 번째예요", "the first whose key was found", "第一个找到密钥的")
	ModelsLocal       = T("이 컴퓨터에서 서버를 찾았어요", "a server on this computer was found", "在本机找到服务器")
	ModelsLogin       = T("로그인돼 있어요", "somebody is logged in", "已登录")
	ModelsNothing     = T("키도 서버도 없어서요", "there is no key and no server", "没有密钥也没有服务器")
	ModelsKeyThere    = T("키 있음", "key there", "有密钥")
	ModelsKeyNone     = T("키 필요 없음", "needs no key", "无需密钥")
	ModelsKeyGone     = T("키 없음: %s", "no key: %s", "没有密钥：%s")
	ModelsKeyBad      = T("키를 쓸 수 없음", "the key cannot be used", "密钥无法使用")
	ModelsPlan        = T("구독", "by plan", "订阅")
	ModelsFree        = T("무료", "free", "免费")
	ModelsOwn         = T("내 가격", "your price", "自定价格")
	ModelsDefault     = T("기본", "default", "默认")
	ModelsAny         = T("목록에 없는 이름도 model에 쓸 수 있어요 (config.toml, docs/configuration.md). 서버에 물어보기: blunux-aictl models PROVIDER", "Any other id works as model too (config.toml, docs/configuration.md). To ask a server: blunux-aictl models PROVIDER", "也可以在 model 中使用其他名称（config.toml，docs/configuration.md）。询问服务器：blunux-aictl models PROVIDER")
)

// providerReasons maps the reasons why a provider answers to texts.
var providerReasons = map[string]Text{
	"configured": ModelsExplicit, "environment": ModelsEnvironment, "key": ModelsKey, "local": ModelsLocal, "login": ModelsLogin, "nothing": ModelsNothing,
}

// ProviderReason translates the reason why a provider answers. An unknown code is returned unchanged.
func ProviderReason(code string, lang Lang) string {
	if text, ok := providerReasons[code]; ok {
		return text.In(lang)
	}
	return code
}

// Columns are the headings of the first column of usage, by the grouping.
var Columns = map[string]Text{
	"day": ColumnDay, "provider": ColumnProvider, "model": ColumnModel, "session": ColumnSession, "channel": ColumnChannel, "automation": ColumnAutomation,
}
