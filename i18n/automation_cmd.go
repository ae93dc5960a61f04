package i18n

// Texts of the command automations.
var (
	CmdAutomations        = T("저절로 실행되는 일을 보고 정해요", "See and set up what happens by itself", "查看和设置自动执行的事")
	CmdAutomationsList    = T("자동화를 모두 보여줘요", "List the automations", "列出全部自动化")
	CmdAutomationsShow    = T("자동화 하나를 자세히 보여줘요", "Show all about one automation", "显示一个自动化的全部内容")
	CmdAutomationsRun     = T("지금 한 번 실행해요", "Run one now", "立即执行一次")
	CmdAutomationsHistory = T("언제 실행됐고 어떻게 끝났는지 보여줘요", "Show when they ran and how that ended", "显示执行时间和结果")
	CmdAutomationsNext    = T("다음에 실행될 때를 순서대로 보여줘요", "Show what is due next, in order", "按顺序显示接下来的执行时间")
	CmdAutomationsAdd     = T("자동화를 새로 만들어요. 할 일은 말로 적어요", "Set up a new one; say what to do in words", "新建自动化，用文字说明要做的事")
	CmdAutomationsEdit    = T("automations.toml을 편집기로 열거나, 자동화 하나를 바꿔요", "Open automations.toml in your editor, or change one", "用编辑器打开 automations.toml，或更改一个自动化")
	CmdAutomationsEnable  = T("멈춘 자동화를 다시 켜요", "Resume one", "恢复一个自动化")
	CmdAutomationsDisable = T("자동화를 멈춰요", "Pause one", "暂停一个自动化")
	CmdAutomationsRemove  = T("자동화를 지워요", "Remove one", "删除一个自动化")
	CmdAutomationsSnooze  = T("한동안 알리지 않게 해요 (30m, 12h, 1d, 2w. 0은 끝내요)", "Have one tell nothing for a while (30m, 12h, 1d, 2w; 0 ends that)", "一段时间内不通知（30m、12h、1d、2w；0 为结束）")

	FlagRuleName     = T("이름 (없으면 할 일에서 만들어요)", "its name (made of what it does when left out)", "名称（省略时由任务生成）")
	FlagRuleSchedule = T("언제: cron 다섯 칸이나 HH:MM", "when: five cron fields, or HH:MM for every day", "时间：五段 cron，或每天的 HH:MM")
	FlagRuleOn       = T("이 일이 일어나면: boot, resume 등", "when this happens: boot, resume and others", "当此事发生时：boot、wake 等")
	FlagRuleCheck    = T("모델 없이 살펴볼 조건: disk, memory, updates 등", "a condition that is watched without a model: disk, memory, updates and others", "不用模型即可监视的条件：disk、memory、updates 等")
	FlagRuleOver     = T("조건의 한계 (disk는 90이 90%)", "what the condition is held to (90 is 90 % of a disk)", "条件的上限（disk 的 90 即 90%）")
	FlagRuleWithin   = T("조건의 기간 (예: 14d)", "the condition's time (for example 14d)", "条件的期限（如 14d）")
	FlagRulePath     = T("조건이 살펴볼 곳", "where the condition looks", "条件查看的位置")
	FlagRuleNotify   = T("알릴 곳: desktop, telegram:주소, none 등 (여러 번 쓸 수 있어요)", "who is told: desktop, telegram:ADDRESS, none and others (may be repeated)", "通知到：desktop、telegram:地址、none 等（可重复）")
	FlagRuleCatchUp  = T("놓친 때를 어떻게 할지: none, latest, all", "what becomes of missed times: none, latest, all", "错过的时间如何处理：none、latest、all")
	FlagRuleQuiet    = T("알리지 않는 시간 (예: 22:00-07:00)", "when nobody is told (for example 22:00-07:00)", "不通知的时段（如 22:00-07:00）")
	FlagRuleTimeout  = T("이만큼 걸리면 그만둬요 (예: 10m)", "give up after this long (for example 10m)", "超过此时间即放弃（如 10m）")
	FlagRuleJitter   = T("이만큼까지 늦게 시작해요", "begin up to this much later", "最多推迟这么久开始")
	FlagRuleBudget   = T("모델이 하루에 쓸 수 있는 돈 (달러)", "what models may cost a day, in dollars", "模型每天可花费的美元")
	FlagRuleLanguage = T("알릴 언어: ko, en, zh", "the language it tells in: ko, en, zh", "通知所用语言：ko、en、zh")
	FlagRuleWait     = T("끝날 때까지 기다려 결과를 보여줘요", "wait until it has ended and show what came of it", "等待结束并显示结果")
	FlagRows         = T("몇 줄까지", "how many rows at most", "最多多少行")

	NoAutomations      = T("자동화가 없어요. 예: blunux-aictl automations add --schedule 09:00 디스크 확인해줘", "There are no automations. For example: blunux-aictl automations add --schedule 09:00 check the disk", "没有自动化。例如：blunux-aictl automations add --schedule 09:00 检查磁盘")
	NoAutomation       = T("%q{은/는} 없는 자동화예요. 있는 것: %s", "There is no automation %q. There are: %s", "没有自动化 %q。现有：%s")
	NoAutomationAtAll  = T("%q{은/는} 없는 자동화예요. 다른 것도 없어요.", "There is no automation %q, nor any other.", "没有自动化 %q，也没有其他自动化。")
	NoAutomationRuns   = T("아직 실행된 적이 없어요.", "None has run yet.", "还没有执行过。")
	NoAutomationNext   = T("예정된 것이 없어요.", "Nothing is due.", "没有待执行的。")
	AutomationAsleep   = T("데몬을 깨워 줄 타이머가 없어요. 때가 되어도 데몬이 다시 시작될 때까지 기다려요.", "Nothing wakes the daemon: what is due waits until it is started again.", "没有定时器唤醒守护进程：到期的事要等它下次启动。")
	AutomationNoTime   = T("언제인지가 없어요: --schedule이나 --on", "it needs to know when: --schedule or --on", "缺少时间：--schedule 或 --on")
	AutomationNoAction = T("무엇을 할지가 없어요: 할 일을 적거나 --check", "it needs to know what: words, or --check", "缺少内容：写明任务或 --check")
	AutomationEditOne  = T("바꿀 것과 함께 이름을 적어 주세요", "name the automation that is to change", "请写明要更改的自动化")
	AutomationNoEditor = T("편집기를 찾을 수 없어요. EDITOR를 정하거나 이 파일을 직접 여세요: %s", "no editor was found; set EDITOR, or open this file by hand: %s", "找不到编辑器；请设置 EDITOR，或手动打开此文件：%s")
	AutomationAdded    = T("등록했어요: %s", "Set up: %s", "已设置：%s")
	AutomationChanged  = T("바꿨어요: %s", "Changed: %s", "已更改：%s")
	AutomationEnabled  = T("다시 켰어요: %s", "Resumed: %s", "已恢复：%s")
	AutomationDisabled = T("멈췄어요: %s", "Paused: %s", "已暂停：%s")
	AutomationRemoved  = T("지웠어요: %s", "Removed: %s", "已删除：%s")
	AutomationSnoozed  = T("%[2]s까지 알리지 않아요: %[1]s", "Silent until %[2]s: %[1]s", "在 %[2]s 之前不通知：%[1]s")
	AutomationAwake    = T("다시 알려요: %s", "Tells again: %s", "重新通知：%s")
	AutomationStarted  = T("시작했어요: %s", "Started: %s", "已开始：%s")

	AskNewAutomation    = T("이렇게 저절로 실행되게 할까요?", "Have this happen by itself?", "要让它自动执行吗？")
	AskChangeAutomation = T("자동화를 이렇게 바꿀까요?", "Change the automation like this?", "要这样更改自动化吗？")
	AskRemoveAutomation = T("이 자동화를 지울까요?", "Remove this automation?", "要删除这个自动化吗？")

	ColumnNext    = T("다음", "NEXT", "下次")
	ColumnLeft    = T("남음", "LEFT", "剩余")
	ColumnLast    = T("지난번", "LAST", "上次")
	ColumnState   = T("상태", "STATE", "状态")
	ColumnRule    = T("이름", "NAME", "名称")
	ColumnWhen    = T("언제", "WHEN", "时间")
	ColumnDue     = T("예정", "DUE", "预定")
	ColumnTook    = T("걸림", "TOOK", "用时")
	ColumnWhy     = T("까닭", "WHY", "原因")
	ColumnExpense = T("비용", "COST", "费用")

	RuleOn      = T("켜짐", "on", "启用")
	RuleOff     = T("멈춤", "paused", "暂停")
	RuleRunning = T("실행 중", "running", "执行中")
	RuleSilent  = T("조용히", "silent", "静音")
	RuleFiring  = T("알리는 중", "firing", "告警中")
	RuleFailed  = T("실패", "failed", "失败")

	RuleWhen     = T("언제", "when", "时间")
	RuleWhat     = T("할 일", "does", "任务")
	RuleWatches  = T("조건", "watches", "监视")
	RuleNotifies = T("알림", "tells", "通知")
	RuleUnasked  = T("자동 실행", "runs unasked", "直接执行")
	RuleUnsigned = T("서명되지 않아서 물어봐요", "not signed, so it asks", "未签署，会询问")
	RuleLocation = T("적힌 곳", "stands in", "位置")
	RuleBounds   = T("한도", "bounds", "限制")
	RuleHolds    = T("지금 상태", "now", "当前")
	RuleNext     = T("다음", "next", "下次")
	RuleLast     = T("지난번", "last", "上次")
)

// runStates maps the state of an ipc.AutomationRun to a text.
var runStates = map[string]Text{
	"RAN":     T("실행됨", "ran", "已执行"),
	"LATE":    T("늦게 실행됨", "ran late", "延迟执行"),
	"SKIPPED": T("건너뜀", "skipped", "跳过"),
	"FAILED":  T("실패", "failed", "失败"),
	"RUNNING": T("실행 중", "running", "执行中"),
}

// RunState translates the state of a run. An unknown state is returned unchanged.
func RunState(state string, lang Lang) string {
	if text, ok := runStates[state]; ok {
		return text.In(lang)
	}
	return state
}
