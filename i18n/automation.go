package i18n

import "strings"

// Texts about automations.
var (
	AutomationSays    = T("⏰ %s", "⏰ %s", "⏰ %s")
	AutomationAsks    = T("⏰ 자동화 '%s'에서 이 명령을 실행하려고 해요. 실행할까요?", "⏰ The automation \"%s\" wants to run this command. Allow it?", "⏰ 自动化“%s”想执行这个命令。允许吗？")
	AutomationExplain = T("아래 점검 결과가 나에게 무슨 뜻인지, 무엇을 하면 좋은지 세 문장 안으로 알려줘. 결과에 있는 수치만 쓰고, 꼭 필요할 때만 더 살펴봐.",
		"Tell me in at most three sentences what the finding below means for me and what is best done. Use only its figures, and look further only where needed.",
		"请用最多三句话告诉我下面的检查结果意味着什么、最好怎么做。只使用结果中的数字，必要时才进一步查看。")
	AutomationRan      = T("$ %s (%s)", "$ %s (%s)", "$ %s（%s）")
	AutomationQuiet    = T("🔕 '%s' 알림을 %s까지 쉬어요.", "🔕 \"%s\" is quiet until %s.", "🔕 “%s”的提醒将静音到%s。")
	AutomationWaits    = T("$ %s 승인을 기다려요: blunux-aictl approve %s", "$ %s waits for a yes: blunux-aictl approve %s", "$ %s 等待批准：blunux-aictl approve %s")
	AutomationNotRun   = T("$ %s 실행 안 함: %s", "$ %s not run: %s", "$ %s 未执行：%s")
	ErrAutomationTyped = T("%s 값을 읽을 수 없어요: %q. 예: %s", "%s = %q is not understood; for example %s", "无法识别 %s 的值：%q。例如：%s")
	// AutomationsUnconfigured comes with the mistake in the configuration.
	AutomationsUnconfigured = T("설정을 읽을 수 없어서 자동화가 시작되지 않아요: %s", "no automation runs until the configuration can be read: %s", "无法读取配置，自动化暂停运行：%s")
	AutomationNoRecipient   = T("'%s' 자동화가 알릴 %s 주소가 없어요. 대신 blunux-aictl notifications에 남겨요. config.toml의 [whatsapp] allowed_numbers나 [telegram] allowed_chats에, 아니면 notify에 \"%[2]s:주소\"로 적어 주세요",
		"the automation \"%s\" has nobody to tell by %s; it is kept for blunux-aictl notifications instead. Set [whatsapp] allowed_numbers or [telegram] allowed_chats in config.toml, or write \"%[2]s:ADDRESS\" in notify",
		"自动化“%s”没有可通知的 %s 地址，改为保留在 blunux-aictl notifications。请设置 config.toml 的 [whatsapp] allowed_numbers 或 [telegram] allowed_chats，或在 notify 中写 \"%[2]s:地址\"")
	AutomationFailed   = T("⏰ '%s' 점검을 하지 못했어요: %s", "⏰ \"%s\" could not look: %s", "⏰ “%s”无法检查：%s")
	AutomationManual   = T("직접 실행", "begun by hand", "手动执行")
	ErrNoAutomation    = T("%q{이라는/라는} 자동화가 없어요.", "There is no automation %q.", "没有名为 %q 的自动化。")
	ErrAutomationBusy  = T("이미 실행 중이에요.", "It is at work already.", "它已在执行中。")
	ErrAutomationThere = T("같은 이름의 자동화가 이미 있어요.", "There is an automation of that name already.", "已有同名的自动化。")
	namesThere         = T("있는 것: %s", "There are: %s", "现有：%s")
	namesNone          = T("아직 하나도 없어요. 예: blunux-aictl automations add --schedule 09:00 디스크 확인해줘", "There are none yet. For example: blunux-aictl automations add --schedule 09:00 check the disk", "目前还没有。例如：blunux-aictl automations add --schedule 09:00 检查磁盘")

	SignIntro = T("자동화 '%s'{이/가} 앞으로 묻지 않고 실행해도 되는 명령이에요. 한 글자라도 다르면 계속 물어봐요.",
		"These are the commands that the automation \"%s\" may run without asking from now on. Anything that differs in one character is asked about as before.",
		"以下是自动化“%s”今后可以不经询问直接执行的命令。只要有一个字符不同，仍会询问。")
	SignQuestion  = T("서명할까요? [예(y)/아니요(N)] ", "Sign them? [y/N] ", "签署吗？[是(y)/否(N)] ")
	SignNot       = T("서명하지 않았어요.", "Not signed.", "未签署。")
	SignDone      = T("✓ '%s'{을/를} 서명했어요. 목록이나 할 일을 고치면 다시 서명해야 해요. 되돌리기: blunux-ai automations withdraw", "✓ Signed \"%s\". Change its list or what it does, and it must be signed anew. To undo: blunux-ai automations withdraw", "✓ 已签署“%s”。修改列表或要做的事后需要重新签署。撤销：blunux-ai automations withdraw")
	SignWithdrawn = T("'%s'{은/는} 이제 명령마다 물어봐요.", "\"%s\" asks before each of its commands again.", "“%s”今后每条命令都会再次询问。")
	SignNothing   = T("'%s'에는 서명할 것이 없어요. automations.toml에 auto_apply = true 와 commands = [[\"명령\", \"인자\"]] 를 직접 적어 주세요 (docs/automations.md).",
		"There is nothing to sign in \"%s\": write auto_apply = true and commands = [[\"program\", \"argument\"]] into automations.toml by hand (docs/automations.md).",
		"“%s”中没有可签署的内容：请在 automations.toml 中手动写入 auto_apply = true 和 commands = [[\"程序\", \"参数\"]]（docs/automations.md）。")
	SignNever = T("'%s'{은/는} 서명할 수 없어요. 다음 명령은 서명해도 묻지 않고 실행되지 않아요:",
		"Cannot sign \"%s\": even signed, these commands would not run unasked:",
		"无法签署“%s”：以下命令即使签署也不会不经询问就执行：")
	SignHelps = T("프로그램을 인자와 함께 직접 적거나, 스크립트라면 첫 줄에 #!를 쓰고 chmod +x 한 뒤 전체 경로를 적어 주세요: [\"/home/나/스크립트.sh\"]",
		"List the program itself with its arguments. For a script: start it with a #! line, run chmod +x on it, and list its full path: [\"/home/you/script.sh\"]",
		"请直接列出程序及其参数。若是脚本：首行写 #!，运行 chmod +x，然后列出完整路径：[\"/home/用户/脚本.sh\"]")
	SignOwnRule = T("config.toml의 [security]에 적은 내 규칙을 고치거나, 이 명령을 목록에서 빼 주세요.",
		"Change your rule under [security] in config.toml, or remove the command from the list.",
		"请修改 config.toml 中 [security] 下的规则，或从列表中删除此命令。")
	SignBlocked  = T("이 명령은 어떤 경우에도 실행되지 않아요. 목록에서 빼 주세요.", "This command is never run. Remove it from the list.", "此命令在任何情况下都不会执行。请从列表中删除。")
	SignTerminal = T("서명은 사람이 터미널에서 직접 해야 해요.", "Signing takes a person at a terminal.", "签署必须由本人在终端进行。")

	DesktopMany   = T("알림 %d개", "%d {notification|notifications}", "%d 条通知")
	DesktopList   = T("전체 보기: blunux-aictl notifications", "All of them: blunux-aictl notifications", "查看全部：blunux-aictl notifications")
	DesktopAsk    = T("명령: %s\n승인: blunux-aictl approve %s", "Command: %s\nTo allow it: blunux-aictl approve %s", "命令：%s\n批准：blunux-aictl approve %s")
	DesktopLate   = T("이 버튼은 더 이상 쓸 수 없어요", "This button does not count any more", "此按钮已失效")
	ButtonApprove = T("승인", "Approve", "批准")
	ButtonDeny    = T("거절", "Deny", "拒绝")
	ButtonShow    = T("보기", "Show", "查看")
	ButtonSnooze  = T("하루 쉬기", "Snooze 1 day", "静音一天")
)

// automationReasons maps the reason codes of package automation for the result of a run to texts.
var automationReasons = map[string]Text{
	"missed":       T("그때 실행 중이 아니었어요", "nothing ran at the time", "当时没有运行"),
	"superseded":   T("더 늦은 것으로 대신했어요", "a later one stands for it", "由更晚的一次代替"),
	"too_often":    T("방금 실행했어요", "it had only just run", "刚刚执行过"),
	"too_many":     T("놓친 것이 너무 많아요", "too many were missed", "错过的次数太多"),
	"overlap":      T("앞의 것이 아직 실행 중이었어요", "the one before was still at work", "前一次尚未结束"),
	"timeout":      T("정해진 시간보다 오래 걸렸어요", "it took longer than it may", "超过了允许的时间"),
	"budget":       T("오늘 예산을 다 썼어요", "its budget of the day is used up", "今日预算已用完"),
	"error":        T("오류가 났어요", "it failed", "出错了"),
	"interrupted":  T("실행 중에 데몬이 죽었어요", "the daemon died at it", "执行期间守护进程中断"),
	"off":          T("컴퓨터가 꺼져 있거나 잠들어 있었어요", "the machine was off or asleep", "当时电脑关机或休眠"),
	"denied":       T("거절됐어요", "the answer was no", "被拒绝"),
	"expired":      T("시간 안에 답이 없었어요", "nobody answered in time", "未在时限内回答"),
	"waits":        T("승인을 기다려요", "it waits for a yes", "等待批准"),
	"busy":         T("다른 일이 너무 많았어요", "too much else was at work", "其他任务太多"),
	"rule_removed": T("자동화가 지워졌어요", "the automation was removed", "自动化已删除"),
}

// AutomationReason translates the reason for the result of a run. It returns "" for "".
func AutomationReason(lang Lang, code string) string {
	text, ok := automationReasons[code]
	if !ok {
		return code
	}
	return text.In(lang)
}

// AutomationNames lists the existing automations.
func AutomationNames(lang Lang, names []string) string {
	if len(names) == 0 {
		return namesNone.In(lang)
	}
	return namesThere.In(lang, strings.Join(names, ", "))
}
