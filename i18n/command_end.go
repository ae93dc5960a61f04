package i18n

// CommandResult is the result of a command.
type CommandResult struct {
	Code    string // "timeout", "missing", "unknown" or "cancelled"; "" if it exited
	Exit    int    // its exit status
	Program string // name of a missing program
	Limit   int    // timeout in seconds; 0 if unknown
}

var (
	endedExit      = T("종료 코드 %d", "exit %d", "退出码 %d")
	endedTimeout   = T("제한 시간이 지나 멈췄어요", "timed out", "已超时停止")
	endedAfter     = T("%d초가 지나도 끝나지 않아 멈췄어요", "timed out after %d s", "超过 %d 秒，已停止")
	endedMissing   = T("%s{이/가} 설치돼 있지 않아요", "%s is not installed", "未安装 %s")
	endedUnknown   = T("도중에 멈췄어요", "stopped before its end", "中途停止")
	endedCancelled = T("취소했어요", "cancelled", "已取消")
)

// CommandEnd describes the result of a command.
func CommandEnd(lang Lang, e CommandResult) string {
	switch {
	case e.Code == "timeout" && e.Limit > 0:
		return endedAfter.In(lang, e.Limit)
	case e.Code == "timeout":
		return endedTimeout.In(lang)
	case e.Code == "missing" && e.Program != "":
		return endedMissing.In(lang, e.Program)
	case e.Code == "missing":
		return Refusal(e.Code, lang)
	case e.Code == "cancelled":
		return endedCancelled.In(lang)
	case e.Code == "unknown", e.Exit < 0:
		return endedUnknown.In(lang)
	}
	return endedExit.In(lang, e.Exit)
}
