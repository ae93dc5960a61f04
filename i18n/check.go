package i18n

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// checkTitles are the names of the conditions that automations watch without a model.
var checkTitles = map[string]Text{
	"disk":             T("디스크", "Disk space", "磁盘空间"),
	"inodes":           T("파일 개수 한도(inode)", "Inodes", "inode"),
	"memory":           T("메모리", "Memory", "内存"),
	"failed_units":     T("실패한 서비스", "Failed services", "失败的服务"),
	"journal_errors":   T("시스템 오류 기록", "Errors in the journal", "系统日志错误"),
	"updates":          T("업데이트", "Updates", "更新"),
	"security_updates": T("보안 업데이트", "Security updates", "安全更新"),
	"reboot":           T("재부팅", "Reboot", "重启"),
	"smart":            T("디스크 건강", "Disk health", "磁盘健康"),
	"temperature":      T("온도", "Temperature", "温度"),
	"battery":          T("배터리", "Battery", "电池"),
	"certificates":     T("인증서", "Certificates", "证书"),
	"backup":           T("백업", "Backup", "备份"),
	"logins":           T("로그인 실패", "Failed logins", "登录失败"),
	"pacnew":           T("병합할 설정 파일", "Configuration files to merge", "待合并的配置文件"),
	"orphans":          T("쓰이지 않는 패키지", "Orphaned packages", "孤立软件包"),
	"network":          T("네트워크", "Network", "网络"),
	"health":           T("건강 점검", "Health check", "健康检查"),
}

// CheckTitle returns the name of a condition. ok is false for an unknown one.
func CheckTitle(lang Lang, name string) (title string, ok bool) {
	x, ok := checkTitles[name]
	return x.In(lang), ok
}

// Findings of the conditions.
var (
	CheckDisk           = T("%[1]s 디스크가 %[2]s 찼어요(남은 공간 %[3]s).", "The disk %[1]s is %[2]s full (%[3]s free).", "磁盘 %[1]s 已用 %[2]s（剩余 %[3]s）。")
	CheckInodes         = T("%[1]s에 만들 수 있는 파일 개수를 %[2]s 썼어요.", "%[2]s of the files %[1]s can hold are used up (inodes).", "%[1]s 的 inode 已用 %[2]s。")
	CheckMemory         = T("메모리를 %[1]s 쓰고 있어요(남은 메모리 %[2]s).", "Memory is %[1]s used (%[2]s available).", "内存已用 %[1]s（可用 %[2]s）。")
	CheckPressure       = T("메모리가 모자라 지난 1분의 %[1]s 동안 모든 일이 멈춰 있었어요.", "For want of memory everything stood still for %[1]s of the last minute.", "内存不足：过去一分钟有 %[1]s 的时间所有任务都在等待。")
	CheckSwap           = T("메모리가 빠듯하고 스왑도 %[1]s 찼어요.", "Memory is scarce, and swap is %[1]s full.", "内存紧张，交换空间也已用 %[1]s。")
	CheckUnit           = T("서비스 %[1]s{이/가} 실패했어요.", "The service %[1]s failed.", "服务 %[1]s 失败了。")
	CheckUnitAbout      = T("서비스 %[1]s{이/가} 실패했어요(%[2]s).", "The service %[1]s failed (%[2]s).", "服务 %[1]s 失败了（%[2]s）。")
	CheckUserUnit       = T("내 서비스 %[1]s{이/가} 실패했어요.", "Your service %[1]s failed.", "您的用户服务 %[1]s 失败了。")
	CheckUserUnitAbout  = T("내 서비스 %[1]s{이/가} 실패했어요(%[2]s).", "Your service %[1]s failed (%[2]s).", "您的用户服务 %[1]s 失败了（%[2]s）。")
	CheckErrorRate      = T("지난 1시간 동안 시스템 오류가 %[1]s개 기록됐어요(기준 %[2]s개).", "Errors in the journal in the last hour: %[1]s (limit: %[2]s).", "过去一小时系统日志有 %[1]s 条错误（上限 %[2]s）。")
	CheckNewError       = T("처음 보는 오류(%[1]s, %[3]s번): %[2]s", "A new error (%[1]s, ×%[3]s): %[2]s", "新出现的错误（%[1]s，%[3]s 次）：%[2]s")
	CheckNewErrors      = T("그 밖에 처음 보는 오류가 %[1]s가지 더 있어요.", "More kinds of errors not seen before: %[1]s.", "另有 %[1]s 种新出现的错误。")
	CheckUpdates        = T("업데이트가 %[1]s개 있어요: %[2]s.", "Updates to install: %[1]s (%[2]s).", "有 %[1]s 个更新：%[2]s。")
	CheckUpdatesOld     = T("업데이트가 %[1]s개 있어요: %[2]s. %[3]s에 받은 목록 기준이에요.", "Updates to install: %[1]s (%[2]s), by the list fetched on %[3]s.", "有 %[1]s 个更新：%[2]s。依据 %[3]s 获取的列表。")
	CheckSecurity       = T("알려진 보안 문제가 고쳐진 업데이트가 %[1]s개 있어요: %[2]s.", "Updates that mend known weaknesses: %[1]s (%[2]s).", "有 %[1]s 个更新修复了已知漏洞：%[2]s。")
	CheckGuarded        = T("보안에 중요한 패키지의 업데이트가 %[1]s개 있어요: %[2]s. 이름만 보고 고른 거예요. arch-audit를 설치하면 정확히 알 수 있어요.", "Updates of packages that matter for security: %[1]s (%[2]s). That goes by names alone; with arch-audit it would be known.", "有 %[1]s 个安全相关软件包的更新：%[2]s。仅按名称判断；安装 arch-audit 可准确得知。")
	CheckRebootKernel   = T("새 커널 %[2]s{이/가} 설치됐고 아직 %[1]s{으로/로} 돌고 있어요. 재부팅하면 바뀌어요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보세요.", "The new kernel %[2]s is installed, and %[1]s still runs until a reboot. Before you reboot, ask \"can I reboot?\".", "已安装新内核 %[2]s，当前仍运行 %[1]s。重启后生效。重启前请先问“可以重启吗”。")
	CheckRebootModules  = T("돌고 있는 커널 %[1]s의 모듈이 지워졌어요. 재부팅할 때까지 새 장치가 인식되지 않을 수 있어요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보세요.", "The modules of the running kernel %[1]s are gone: new devices may not work until a reboot. Before you reboot, ask \"can I reboot?\".", "运行中的内核 %[1]s 的模块已被删除，重启前新设备可能无法识别。重启前请先问“可以重启吗”。")
	CheckSmartFailing   = T("디스크 %[1]s{이/가} 곧 고장 난다고 스스로 알렸어요. 지금 백업하세요.", "The disk %[1]s says it is about to fail. Back it up now.", "磁盘 %[1]s 报告自己即将损坏。请立即备份。")
	CheckSmartWarning   = T("디스크 %[1]s{이/가} 경고를 내고 있어요.", "The disk %[1]s gives a warning.", "磁盘 %[1]s 发出警告。")
	CheckSmartSectors   = T("디스크 %[1]s에 읽지 못한 곳이 %[2]s군데 있어요. 백업을 확인하세요.", "Places the disk %[1]s could not read: %[2]s. See to your backup.", "磁盘 %[1]s 有 %[2]s 处无法读取。请检查备份。")
	CheckSmartWorn      = T("디스크 %[1]s{이/가} 수명의 %[2]s{을/를} 썼어요.", "The disk %[1]s has used up %[2]s of its life.", "磁盘 %[1]s 的寿命已用 %[2]s。")
	CheckHot            = T("%[1]s 온도가 %[2]s{이에요/예요}(기준 %[3]s).", "%[1]s is at %[2]s (limit: %[3]s).", "%[1]s 的温度为 %[2]s（上限 %[3]s）。")
	CheckBattery        = T("배터리 %[1]s의 용량이 처음의 %[2]s밖에 안 남았어요.", "The battery %[1]s holds only %[2]s of what it was made for.", "电池 %[1]s 的容量只剩最初的 %[2]s。")
	CheckCertificate    = T("인증서 %[1]s{이/가} %[2]s에 끝나요(%[3]s 남음).", "The certificate %[1]s ends on %[2]s (in %[3]s).", "证书 %[1]s 将于 %[2]s 到期（还有 %[3]s）。")
	CheckExpired        = T("인증서 %[1]s{이/가} %[2]s에 끝났어요.", "The certificate %[1]s ended on %[2]s.", "证书 %[1]s 已于 %[2]s 到期。")
	CheckBackupStale    = T("%[1]s에 %[2]s 넘게 새 백업이 없어요.", "%[1]s has had no new backup for more than %[2]s.", "%[1]s 已超过 %[2]s 没有新备份。")
	CheckBackupMissing  = T("백업 위치 %[1]s{이/가} 없어요. 드라이브가 연결돼 있나요?", "The place of the backup, %[1]s, is not there. Is the drive attached?", "备份位置 %[1]s 不存在。驱动器已连接吗？")
	CheckLogins         = T("지난 %[2]s 동안 로그인 실패가 %[1]s번 있었어요: %[3]s.", "Failed logins in the last %[2]s: %[1]s (%[3]s).", "过去 %[2]s 有 %[1]s 次登录失败：%[3]s。")
	CheckPacnew         = T("병합할 설정 파일이 %[1]s개 있어요: %[2]s.", "Configuration files to merge: %[1]s (%[2]s).", "有 %[1]s 个配置文件待合并：%[2]s。")
	CheckOrphans        = T("아무것도 쓰지 않는 패키지가 %[1]s개 있어요: %[2]s.", "Packages that nothing needs: %[1]s (%[2]s).", "有 %[1]s 个软件包不再被需要：%[2]s。")
	CheckNetworkNone    = T("네트워크에 연결돼 있지 않아요.", "There is no network connection.", "没有网络连接。")
	CheckNetworkGateway = T("공유기(%[1]s)가 응답하지 않아요.", "The router (%[1]s) does not answer.", "路由器（%[1]s）没有响应。")
	CheckMoreNames      = T("%[1]s 외 %[2]s개", "%[1]s and %[2]s more", "%[1]s 等 %[2]s 个")
)

// Names of figures.
var (
	CheckFigureDisk     = T("디스크 %[1]s", "Disk %[1]s", "磁盘 %[1]s")
	CheckFigureInodes   = T("inode %[1]s", "Inodes %[1]s", "inode %[1]s")
	CheckFigureMemory   = T("메모리", "Memory", "内存")
	CheckFigureSwap     = T("스왑", "Swap", "交换空间")
	CheckFigureUnits    = T("실패한 서비스", "Failed services", "失败的服务")
	CheckFigureErrors   = T("하루 동안 오류", "Errors in a day", "一天内的错误")
	CheckFigureUpdates  = T("업데이트", "Updates", "更新")
	CheckFigureSecurity = T("보안 업데이트", "Security updates", "安全更新")
	CheckFigureHeat     = T("최고 온도", "Hottest", "最高温度")
	CheckFigureBattery  = T("배터리 용량 %[1]s", "Battery capacity %[1]s", "电池容量 %[1]s")
	CheckFigureLogins   = T("로그인 실패", "Failed logins", "登录失败")
	CheckFigurePacnew   = T("병합할 설정", "To merge", "待合并")
	CheckFigureOrphans  = T("안 쓰는 패키지", "Orphans", "孤立软件包")
	CheckFigureWear     = T("수명 사용 %[1]s", "Wear %[1]s", "寿命消耗 %[1]s")
	CheckFigureCount    = T("%[1]s개", "%[1]s", "%[1]s 个")
	CheckFigureSame     = T("지난번과 같음", "as last time", "与上次相同")
	CheckFigureSince    = T("지난번보다 %[1]s", "%[1]s since last time", "较上次 %[1]s")
	CheckPoints         = T("%[1]s%%p", "%[1]s pp", "%[1]s 个百分点")
)

// Lines of a report.
var (
	CheckFine        = T("모두 괜찮아요.", "all is well.", "一切正常。")
	CheckFineSeen    = T("본 것은 모두 괜찮아요.", "what could be seen is well.", "能查看的都正常。")
	CheckNothingSeen = T("아무것도 확인하지 못했어요.", "nothing could be looked at.", "什么都没能查看。")
	CheckCritical    = T("급한 일이 있어요.", "something is urgent.", "有紧急情况。")
	CheckWarns       = T("살펴볼 일이 있어요.", "something needs a look.", "有需要处理的事。")
	CheckHasFindings = T("알려드릴 것이 있어요.", "there is something to know.", "有需要了解的事。")
	CheckBetter      = T("문제가 해결됐어요.", "what was the matter is over.", "问题已解决。")
	CheckHeadline    = T("%s: %s", "%s: %s", "%s：%s")
	CheckWorse       = T("더 나빠졌어요. %s", "Worse: %s", "恶化：%s")
	CheckStill       = T("아직 그대로예요. %s", "Still: %s", "仍然如此：%s")
	CheckOver        = T("해결됨: %s", "Over: %s", "已解决：%s")
	CheckFix         = T("해결: %s", "Try: %s", "可尝试：%s")
	CheckMore        = T("그 밖에 %s개가 더 있어요.", "And %s more.", "另有 %s 项。")
	CheckUnseen      = T("확인 못 함: %s", "Not looked at: %s", "未能查看：%s")
	CheckSince       = T("%s 이후:", "Since %s:", "自 %s 以来：")
	CheckNow         = T("지금:", "Now:", "当前：")
)

// Reasons why a condition could not be checked.
var (
	CheckMissing     = T("%[1]s(%[2]s 패키지가 없어요)", "%[1]s (the package %[2]s is not installed)", "%[1]s（未安装软件包 %[2]s）")
	CheckMissingBare = T("%[1]s(설치돼 있지 않아요)", "%[1]s (not installed)", "%[1]s（未安装）")
	CheckRefused     = T("%[1]s(묻지 않고는 읽지 않아요)", "%[1]s (not read unasked)", "%[1]s（未经询问不读取）")
	CheckRights      = T("%[1]s(볼 권한이 없어요)", "%[1]s (no right to see it)", "%[1]s（没有查看权限）")
	CheckUnreadable  = T("%[1]s(출력을 이해하지 못했어요)", "%[1]s (its output was not understood)", "%[1]s（无法理解其输出）")
	CheckFailed      = T("%[1]s(실행에 실패했어요)", "%[1]s (it failed)", "%[1]s（运行失败）")
	CheckAbsent      = T("%[1]s(찾을 수 없어요)", "%[1]s (not found)", "%[1]s（未找到）")
	CheckUnsupported = T("%[1]s(알려주지 않아요)", "%[1]s (does not tell)", "%[1]s（不提供信息）")
	CheckPartly      = T("%[1]s(일부만 봤어요)", "%[1]s (seen in part)", "%[1]s（只查看了一部分）")
	CheckCut         = T("%[1]s(너무 많아요)", "%[1]s (too much)", "%[1]s（内容过多）")
)

// Mistakes in the parameters of a condition.
var (
	CheckParamUnused = T("%[1]s 조건은 %[2]s{을/를} 쓰지 않아요.", "the condition %[1]s does not use %[2]s", "条件 %[1]s 不使用 %[2]s")
	CheckParamRange  = T("%[1]s 조건의 %[2]s{은/는} %[3]s부터 %[4]s까지예요.", "%[2]s of the condition %[1]s is from %[3]s to %[4]s", "条件 %[1]s 的 %[2]s 取值为 %[3]s 到 %[4]s")
	CheckWithinRange = T("%[1]s 조건의 within은 1분부터 365일까지예요.", "within of the condition %[1]s is from a minute to 365 days", "条件 %[1]s 的 within 取值为 1 分钟到 365 天")
	CheckParamNeeded = T("%[1]s 조건에는 %[2]s{이/가} 있어야 해요.", "the condition %[1]s needs %[2]s", "条件 %[1]s 需要 %[2]s")
	CheckParamMany   = T("%[1]s 조건의 paths는 %[2]d개까지예요.", "the condition %[1]s takes at most %[2]d {path|paths}", "条件 %[1]s 的 paths 最多 %[2]d 个")
	CheckParamPath   = T("%[1]s 조건의 경로 %[2]s{은/는} 쓸 수 없어요. /나 ~/로 시작해야 해요.", "the condition %[1]s cannot use the path %[2]s: it begins with / or ~/", "条件 %[1]s 不能使用路径 %[2]s：须以 / 或 ~/ 开头")
)

var (
	checkDays      = T("%s일", "%s {day|days}", "%s 天")
	checkHours     = T("%s시간", "%s {hour|hours}", "%s 小时")
	checkMinutes   = T("%s분", "%s {minute|minutes}", "%s 分钟")
	checkOneDay    = T("%s일", "%s day", "%s 天")
	checkOneHour   = T("%s시간", "%s hour", "%s 小时")
	checkOneMinute = T("%s분", "%s minute", "%s 分钟")
	checkToday     = T("오늘 %s", "%s today", "今天 %s")
	checkYesterday = T("어제 %s", "%s yesterday", "昨天 %s")
	checkOnDay     = T("%[1]s월 %[2]s일 %[3]s", "%[3]s on %[1]s %[2]s", "%[1]s 月 %[2]s 日 %[3]s")
	checkDate      = T("%[1]s년 %[2]s월 %[3]s일", "%[2]s %[3]s, %[1]s", "%[1]s 年 %[2]s 月 %[3]s 日")
)

// CheckNumber formats a number with at most one decimal and commas between thousands.
func CheckNumber(v float64) string {
	tenths := math.Round(v * 10)
	if math.IsNaN(tenths) || math.Abs(tenths) > 1e15 {
		return "?"
	}
	whole := int64(tenths) / 10
	if rest := int64(math.Abs(tenths)) % 10; rest != 0 {
		sign := ""
		if tenths < 0 && whole == 0 {
			sign = "-"
		}
		return fmt.Sprintf("%s%s.%d", sign, Count(whole), rest)
	}
	return Count(whole)
}

// CheckPercent formats a percentage without decimals. It never rounds up to 100 %.
func CheckPercent(v float64) string {
	n := math.Round(v)
	if n >= 100 && v < 100 {
		n = 99
	}
	return strconv.FormatFloat(n, 'f', 0, 64) + "%"
}

// CheckSize formats bytes in the largest fitting power of 1024.
func CheckSize(n int64) string {
	units, v, i := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}, float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	if v >= 10 {
		v = math.Round(v)
	}
	return CheckNumber(v) + " " + units[i]
}

// CheckSpan formats a duration in its largest whole unit, at most days.
func CheckSpan(lang Lang, d time.Duration) string {
	count := func(one, many Text, n int64) string {
		if n == 1 {
			many = one
		}
		return many.In(lang, Count(n))
	}
	switch {
	case d >= 24*time.Hour && (d%(24*time.Hour) == 0 || d >= 48*time.Hour):
		return count(checkOneDay, checkDays, int64(d/(24*time.Hour)))
	case d >= time.Hour:
		return count(checkOneHour, checkHours, int64(d/time.Hour))
	}
	return count(checkOneMinute, checkMinutes, max(1, int64(d/time.Minute)))
}

// CheckMoment formats a time relative to now: today, yesterday, or with its date.
func CheckMoment(lang Lang, at, now time.Time) string {
	clock := fmt.Sprintf("%d:%02d", at.Hour(), at.Minute())
	year, month, dom := at.Date()
	y, m, d := now.Date()
	days := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(time.Date(year, month, dom, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour)
	switch days {
	case 0:
		return checkToday.In(lang, clock)
	case 1:
		return checkYesterday.In(lang, clock)
	}
	return checkOnDay.In(lang, monthOf(lang, month), strconv.Itoa(dom), clock)
}

// CheckDate formats a date.
func CheckDate(lang Lang, at time.Time) string {
	year, month, dom := at.Date()
	return checkDate.In(lang, strconv.Itoa(year), monthOf(lang, month), strconv.Itoa(dom))
}

// monthOf returns the number of a month, for languages whose dates do not name it.
func monthOf(lang Lang, month time.Month) string {
	if lang == Korean || lang == Chinese {
		return strconv.Itoa(int(month))
	}
	return month.String()[:3]
}
