package i18n

// Texts of `blunux-ai status` and `blunux-ai logs`, which need no daemon.
var (
	OverviewOnDemand     = T("쉬는 중, 다음 요청에 깨어나요", "resting, the next request wakes it", "休眠中，下次请求时唤醒")
	OverviewUnresponsive = T("대답이 없어요", "does not answer", "无应答")
	OverviewFailed       = T("시작하지 못했어요", "could not start", "启动失败")
	OverviewService      = T("서비스", "service", "服务")
	OverviewSocket       = T("소켓", "socket", "套接字")
	OverviewNotes        = T("기억", "memory", "记忆")
	OverviewNNotes       = T("%s (파일 %d개)", "%s (files: %d)", "%s（文件 %d 个）")
	OverviewNoUnits      = T("systemd에 닿지 않아요", "systemd cannot be reached", "无法连接 systemd")
	OverviewNoAnswer     = T("지금은 답하지 못해요: %v", "cannot answer now: %v", "目前无法应答：%v")

	LogsNothing = T("기록이 아직 없어요.", "Nothing is logged yet.", "暂无日志。")
)

// OverviewNames are the row names of `blunux-ai status`.
var OverviewNames = []Text{
	StatusProvider, OverviewNotes, OverviewService, OverviewSocket, StatusAutomations, StatusBridges, StatusTasks, StatusApprovals, StatusNotifications,
	StatusConfig, StatusLanguage, StatusFiles, StatusProblem,
}
