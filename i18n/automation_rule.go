package i18n

import (
	"fmt"
	"strings"
	"time"
)

// Why a text is not a schedule, by reason code, and what is accepted. The argument is the faulty part.
var (
	scheduleFaults = map[string]Text{
		"empty":      T("시간이 비어 있어요. 예: \"0 9 * * *\"(매일 오전 9시)", "it is empty; for example \"0 9 * * *\" is every day at 09:00", "时间为空。例如 \"0 9 * * *\" 表示每天 09:00"),
		"long":       T("너무 길어요. %s바이트까지예요", "it is too long; at most %s {byte|bytes}", "太长了，最多 %s 字节"),
		"fields":     T("칸이 %s개예요. cron은 다섯 칸이에요: 분 시 일 월 요일, 예: \"0 9 * * 5\"", "it has %s {field|fields}; cron has five: minute hour day month weekday, such as \"0 9 * * 5\"", "有 %s 个字段；cron 有五个：分 时 日 月 周，例如 \"0 9 * * 5\""),
		"seconds":    T("칸이 여섯 개예요. 초는 쓰지 않아요. 첫 칸이 초라면: \"%s\"", "it has six fields, and there are no seconds here; if the first is seconds: \"%s\"", "有六个字段，这里不用秒。如果第一个是秒，请写：\"%s\""),
		"field":      T("%q{을/를} 읽을 수 없어요. 숫자, 1-5, 1,3,5, */10, mon이나 jan처럼 써요", "%q is not understood; write a number, 1-5, 1,3,5, */10, or a name such as mon or jan", "无法理解 %q；请写数字、1-5、1,3,5、*/10，或 mon、jan 这样的名称"),
		"range":      T("%q{은/는} 범위를 벗어났어요. 분 0-59, 시 0-23, 일 1-31, 월 1-12, 요일 0-7이고 작은 쪽을 먼저 써요", "%q is out of range: minutes are 0-59, hours 0-23, days 1-31, months 1-12, weekdays 0-7, the smaller one first", "%q 超出范围：分 0-59，时 0-23，日 1-31，月 1-12，周 0-7，小的在前"),
		"step":       T("%q의 간격이 그 칸보다 커요. 그만큼 띄우려면 \"@every 90m\"처럼 써요", "the step of %q is greater than its field; for longer gaps write \"@every 90m\"", "%q 的间隔大于该字段；更长的间隔请写 \"@every 90m\""),
		"clock":      T("%q{은/는} 시각이 아니에요. 09:00처럼 00:00부터 23:59까지 써요", "%q is no time of day; write one from 00:00 to 23:59, such as 09:00", "%q 不是时刻；请写 00:00 到 23:59，例如 09:00"),
		"macro":      T("%q{은/는} 없는 말이에요. @hourly, @daily, @weekly, @monthly, @yearly, \"@every 90m\"{이/가} 있어요", "%q is unknown; there are @hourly, @daily, @weekly, @monthly, @yearly and \"@every 90m\"", "没有 %q；可用 @hourly、@daily、@weekly、@monthly、@yearly 和 \"@every 90m\""),
		"every":      T("@every 뒤의 %q{을/를} 읽을 수 없어요. 90m, 2h, 1d처럼 써요", "the %q of @every is not understood; write 90m, 2h or 1d", "无法理解 @every 后的 %q；请写 90m、2h 或 1d"),
		"too_often":  T("%q{은/는} 너무 잦아요. 가장 짧은 간격은 1분이에요", "%q is too often; a minute is the shortest", "%q 太频繁，最短为一分钟"),
		"too_rarely": T("%q{은/는} 너무 길어요. 366일까지예요", "%q is too long; at most 366 days", "%q 太长，最多 366 天"),
		"never":      T("%q(일 월)인 날짜는 없어요. 달의 마지막 날이 아니라 있는 날을 적어요. 예: \"28 2\"", "no date is %q (day month); name one there is, such as \"28 2\"", "没有 %q（日 月）这个日期；请写存在的日期，例如 \"28 2\""),
		"zone":       T("%q{이/가} 어떤 시간대인지 몰라요. Asia/Seoul처럼 써요(timedatectl list-timezones)", "the time zone %q is unknown; write one such as Asia/Seoul (timedatectl list-timezones)", "未知的时区 %q；请写 Asia/Seoul 这样的名称（timedatectl list-timezones）"),
		"reboot":     T("@reboot 대신 on = [\"boot\"]{을/를} 써요", "instead of @reboot write on = [\"boot\"]", "请用 on = [\"boot\"] 代替 @reboot"),
	}
	eventFaults = map[string]Text{
		"unknown":  T("%q{은/는} 없는 일이에요. boot, resume, network_up, login, unit_failed, unit_failed:이름, file:/경로가 있어요", "there is no event %q; there are boot, resume, network_up, login, unit_failed, unit_failed:NAME and file:/PATH", "没有事件 %q；可用 boot、resume、network_up、login、unit_failed、unit_failed:名称 和 file:/路径"),
		"argument": T("%q 뒤에는 아무것도 붙이지 않아요", "%q takes nothing behind it", "%q 后面不能带内容"),
		"unit":     T("%q{은/는} systemd 유닛 이름이 아니에요. unit_failed:nginx처럼 써요", "%q is no name of a systemd unit; write unit_failed:nginx", "%q 不是 systemd 单元名；请写 unit_failed:nginx"),
		"path":     T("%q{은/는} 파일의 전체 경로가 아니에요. file:/etc/hosts나 file:~/메모.txt처럼 써요", "%q is no full path of a file; write file:/etc/hosts or file:~/notes.txt", "%q 不是文件的完整路径；请写 file:/etc/hosts 或 file:~/notes.txt"),
	}
	didYouMean = T("혹시 %q인가요?", "did you mean %q?", "是不是 %q？")
)

// ScheduleError says why a text is not a schedule.
func ScheduleError(lang Lang, code, part string) string {
	return byCode(lang, scheduleFaults, code, part)
}

// EventError says why a text is not an event, and suggests similar ones.
func EventError(lang Lang, code, part, near string) string {
	text := byCode(lang, eventFaults, code, part)
	if near != "" {
		text += "; " + didYouMean.In(lang, near)
	}
	return text
}

// byCode formats a text of a table. It ignores the arguments if the text has no verbs, and returns code and
// arguments if the code is unknown.
func byCode(lang Lang, table map[string]Text, code string, args ...any) string {
	text, ok := table[code]
	if !ok {
		return strings.TrimSpace(code + " " + fmt.Sprintln(args...))
	}
	if !strings.Contains(text.en, "%") {
		return text.In(lang)
	}
	return text.In(lang, args...)
}

// Schedules in words.
var (
	everyMinute  = T("매분", "every minute", "每分钟")
	everyMinutes = T("%d분마다", "every %d {minute|minutes}", "每 %d 分钟")
	everyHour    = T("한 시간마다", "every hour", "每小时")
	everyHours   = T("%d시간마다", "every %d {hour|hours}", "每 %d 小时")
	everyDays    = T("%d일마다", "every %d {day|days}", "每 %d 天")
	everySpan    = T("%s마다", "every %s", "每 %s")
	hourSharp    = T("매시 정각", "every hour on the hour", "每小时整点")
	hourPast     = T("매시 %d분", "every hour at %d {minute|minutes} past", "每小时第 %d 分")
	hoursSharp   = T("%d시간마다 정각", "every %d {hour|hours} on the hour", "每 %d 小时整点")
	hoursPast    = T("%d시간마다 %d분", "every %d {hour|hours} at %d {minute|minutes} past", "每 %d 小时的第 %d 分")
	atTimes      = T("%s %s", "%s at %s", "%s %s")
	daysAll      = T("매일", "every day", "每天")
	daysWork     = T("평일", "on weekdays", "工作日")
	daysWeekend  = T("주말", "at weekends", "周末")
	daysWeek     = T("매주 %s요일", "every %s", "每周%s")
	daysMonth    = T("매월 %s", "on day %s of every month", "每月 %s")
	dayYear      = T("매년 %d월 %d일", "every year on %[1]d/%[2]d", "每年 %d月%d日")
	eventTexts   = map[string]Text{
		"boot":        T("부팅할 때", "when the machine starts", "开机时"),
		"resume":      T("절전에서 깨어날 때", "when the machine wakes up", "唤醒时"),
		"network_up":  T("네트워크에 연결될 때", "when the network is up", "网络连通时"),
		"login":       T("로그인할 때", "at login", "登录时"),
		"unit_failed": T("서비스가 실패할 때", "when a unit fails", "有单元失败时"),
	}
	eventUnit = T("%s{이/가} 실패할 때", "when %s fails", "%s 失败时")
	eventFile = T("%s{이/가} 바뀔 때", "when %s changes", "%s 改变时")

	whenNow      = T("지금", "now", "现在")
	whenIn       = T("%d분 뒤", "in %d {minute|minutes}", "%d 分钟后")
	whenInOne    = T("1분 뒤", "in 1 minute", "1 分钟后")
	whenToday    = T("오늘 %s", "today at %s", "今天 %s")
	whenTomorrow = T("내일 %s", "tomorrow at %s", "明天 %s")
	whenDate     = T("%s %s", "on %s at %s", "%s %s")
)

var (
	weekdayKorean  = [7]string{"일", "월", "화", "수", "목", "금", "토"}
	weekdayChinese = [7]string{"日", "一", "二", "三", "四", "五", "六"}
)

// Every formats an interval: "30분마다".
func Every(lang Lang, d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == time.Minute:
		return everyMinute.In(lang)
	case d == time.Hour:
		return everyHour.In(lang)
	case d == day:
		return daysAll.In(lang)
	case d%day == 0:
		return everyDays.In(lang, int(d/day))
	case d%time.Hour == 0:
		return everyHours.In(lang, int(d/time.Hour))
	case d%time.Minute == 0 && d < 2*time.Hour:
		return everyMinutes.In(lang, int(d/time.Minute))
	}
	return everySpan.In(lang, spanParts(lang, d))
}

var spanTexts = [4]Text{T("%d일", "%d d", "%d 天"), T("%d시간", "%d h", "%d 小时"), T("%d분", "%d min", "%d 分钟"), T("%d초", "%d s", "%d 秒")}

// spanParts writes out a duration: "1시간 30분".
func spanParts(lang Lang, d time.Duration) string {
	var parts []string
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if n := int(d / unit); n > 0 {
			parts = append(parts, spanTexts[i].In(lang, n))
		}
		d %= unit
	}
	return strings.Join(parts, " ")
}

// EveryHours formats an interval in hours with the minute of the hour.
func EveryHours(lang Lang, hours, minute int) string {
	switch {
	case hours == 1 && minute == 0:
		return hourSharp.In(lang)
	case hours == 1:
		return hourPast.In(lang, minute)
	case minute == 0:
		return hoursSharp.In(lang, hours)
	}
	return hoursPast.In(lang, hours, minute)
}

// Clock formats a time of day: "오전 9시", "오후 6시 30분", "09:00".
func Clock(lang Lang, hour, minute int) string {
	if lang != Korean {
		return fmt.Sprintf("%02d:%02d", hour, minute)
	}
	switch {
	case hour == 0 && minute == 0:
		return "자정"
	case hour == 12 && minute == 0:
		return "정오"
	}
	half, shown := "오전", hour
	if hour >= 12 {
		half, shown = "오후", (hour+11)%12+1
	}
	if minute == 0 {
		return fmt.Sprintf("%s %d시", half, shown)
	}
	return fmt.Sprintf("%s %d시 %d분", half, shown, minute)
}

// AtTimes joins days and times of day.
func AtTimes(lang Lang, days string, times []string) string {
	return atTimes.In(lang, days, joined(lang, times))
}

func joined(lang Lang, list []string) string {
	if lang == Chinese {
		return strings.Join(list, "、")
	}
	if lang == English && len(list) > 1 {
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// DaysAll says every day.
func DaysAll(lang Lang) string { return daysAll.In(lang) }

// DaysOfWeek lists days of the week; 0 is Sunday.
func DaysOfWeek(lang Lang, days []int) string {
	switch fmt.Sprint(days) {
	case "[1 2 3 4 5]":
		return daysWork.In(lang)
	case "[0 6]":
		return daysWeekend.In(lang)
	}
	var list []string
	for _, d := range days {
		switch lang {
		case Korean:
			list = append(list, weekdayKorean[d])
		case Chinese:
			list = append(list, weekdayChinese[d])
		default:
			list = append(list, time.Weekday(d).String())
		}
	}
	return daysWeek.In(lang, joined(lang, list))
}

// DaysOfMonth lists days of the month.
func DaysOfMonth(lang Lang, days []int) string {
	var list []string
	for _, d := range days {
		switch lang {
		case Korean:
			list = append(list, fmt.Sprintf("%d일", d))
		case Chinese:
			list = append(list, fmt.Sprintf("%d日", d))
		default:
			list = append(list, fmt.Sprint(d))
		}
	}
	return daysMonth.In(lang, joined(lang, list))
}

// DayOfYear names a day of the year.
func DayOfYear(lang Lang, month, day int) string {
	if lang == English {
		return fmt.Sprintf("every year on %d %s", day, time.Month(month))
	}
	return dayYear.In(lang, month, day)
}

// EventText says when an event happens. argument is the unit or the file.
func EventText(lang Lang, kind, argument string) string {
	switch {
	case kind == "unit_failed" && argument != "":
		return eventUnit.In(lang, argument)
	case kind == "file":
		return eventFile.In(lang, argument)
	}
	return byCode(lang, eventTexts, kind)
}

// WhenNow says that something is due.
func WhenNow(lang Lang) string { return whenNow.In(lang) }

// WhenIn says in how many minutes something is due.
func WhenIn(lang Lang, minutes int) string {
	if minutes == 1 {
		return whenInOne.In(lang)
	}
	return whenIn.In(lang, minutes)
}

// WhenAt says on which day (days from now) and at what time something is due.
func WhenAt(lang Lang, days int, sameYear bool, due time.Time) string {
	clock := Clock(lang, due.Hour(), due.Minute())
	switch days {
	case 0:
		return whenToday.In(lang, clock)
	case 1:
		return whenTomorrow.In(lang, clock)
	}
	return whenDate.In(lang, date(lang, sameYear, due), clock)
}

func date(lang Lang, sameYear bool, t time.Time) string {
	year, month, day := t.Date()
	switch lang {
	case Korean:
		text := fmt.Sprintf("%d월 %d일(%s)", month, day, weekdayKorean[t.Weekday()])
		if !sameYear {
			return fmt.Sprintf("%d년 %s", year, text)
		}
		return text
	case Chinese:
		text := fmt.Sprintf("%d月%d日（周%s）", month, day, weekdayChinese[t.Weekday()])
		if !sameYear {
			return fmt.Sprintf("%d年%s", year, text)
		}
		return text
	}
	text := fmt.Sprintf("%.3s %d %s", t.Weekday(), day, month)
	if !sameYear {
		return fmt.Sprintf("%s %d", text, year)
	}
	return text
}

// Problems of a file of rules by code: problem, reason, solution.
var (
	ruleProblems = map[string]Text{
		"toml":          T("TOML로 읽을 수 없어요(%s). 이 줄을 고쳐 주세요", "it cannot be read as TOML (%s); mend this line", "无法作为 TOML 读取（%s）；请修正这一行"),
		"link":          T("링크는 따라가지 않아요. 파일 자체를 거기에 두세요: cp --remove-destination \"$(readlink -f %[1]s)\" %[1]s", "it is a link, which is not followed; put the file itself there: cp --remove-destination \"$(readlink -f %[1]s)\" %[1]s", "它是链接，不会跟随；请放文件本身：cp --remove-destination \"$(readlink -f %[1]s)\" %[1]s"),
		"not_regular":   T("보통 파일이 아니에요. 다른 곳으로 옮겨 주세요", "it is not a regular file; move it away", "它不是普通文件；请移走"),
		"unreadable":    T("읽을 수 없어요: %s", "it cannot be read: %s", "无法读取：%s"),
		"owner":         T("당신의 것이 아니라 uid %d의 것이에요: sudo chown $(id -u) %s", "it belongs to uid %d, not to you: sudo chown $(id -u) %s", "它属于 uid %d，而不是您：sudo chown $(id -u) %s"),
		"writable":      T("다른 사용자가 고칠 수 있어요(모드 %s): chmod go-w %s", "others can write to it (mode %s): chmod go-w %s", "其他用户可以写入（权限 %s）：chmod go-w %s"),
		"too_large":     T("%d MiB보다 커요. 나눠 주세요", "it is larger than %d MiB; divide it", "大于 %d MiB；请拆分"),
		"unknown_table": T("%q{은/는} 여기에 없는 이름이에요. 규칙은 [[automation]] 아래에 써요", "%q is unknown here; rules stand below [[automation]]", "这里没有 %q；规则写在 [[automation]] 下面"),
		"not_list":      T("%q{은/는} 목록이에요. 대괄호를 두 번 써요: [[automation]]", "%q is a list; write two brackets: [[automation]]", "%q 是列表；请写双方括号：[[automation]]"),
		"change":        T("[[change]]는 명령이 쓰는 파일에만 있어요. 규칙에서 직접 바꿔 주세요", "[[change]] counts in the file that commands write only; change the rule itself", "[[change]] 只在命令写的文件中有效；请直接修改规则"),
		"unknown_key":   T("%q{은/는} 없는 키예요. 오타라면 고치고, 아니면 지워 주세요", "the key %q is unknown; correct or remove it", "未知的键 %q；请更正或删除"),
		"unknown_near":  T("%q{은/는} 없는 키예요. 혹시 %q인가요?", "the key %q is unknown; did you mean %q?", "未知的键 %q；是不是 %q？"),
		"type":          T("%q에는 이런 값을 써요: %s", "%q takes a value such as %s", "%q 的值应类似 %s"),
		"both":          T("%q{과/와} %q{은/는} 같은 것이에요. 하나만 남겨 주세요", "%q and %q are the same; keep one", "%q 和 %q 是同一个；请只保留一个"),
		"name":          T("이름이 필요해요. 글자, 숫자, 빈칸, -, _로 1~64자예요", "a rule needs a name: 1 to 64 letters, digits, spaces, - and _", "规则需要名称：1 到 64 个字母、数字、空格、- 和 _"),
		"duplicate":     T("이 이름은 %s에 이미 있고 그것만 써요. 다른 이름을 주세요", "the name is taken at %s, which counts; give this one another", "该名称已在 %s 使用，以那个为准；请换个名称"),
		"no_deed":       T("할 일이 없어요. action이나 check를 적어 주세요", "there is nothing to do; write an action or a check", "没有要做的事；请写 action 或 check"),
		"no_begin":      T("언제 시작할지 없어요. schedule이나 on을 적어 주세요", "nothing begins it; write a schedule or on", "没有开始的时机；请写 schedule 或 on"),
		"schedule":      T("schedule을 읽을 수 없어요: %s", "the schedule is not understood: %s", "无法理解 schedule：%s"),
		"event":         T("on을 읽을 수 없어요: %s", "on is not understood: %s", "无法理解 on：%s"),
		"bounds":        T("%q{은/는} %s부터 %s까지예요", "%q goes from %s to %s", "%q 的范围是 %s 到 %s"),
		"choice":        T("%q{은/는} %q일 수 없어요. 이 중에서 골라요: %s", "%q cannot be %q; it is one of %s", "%q 不能是 %q；可选：%s"),
		"text":          T("%q{이/가} 비었거나 너무 길거나 제어 문자가 있어요. 보통 글로 적어 주세요", "%q is empty, too long or holds control characters; write plain text", "%q 为空、过长或含有控制字符；请写普通文字"),
		"path":          T("%q{은/는} 전체 경로가 아니에요. /나 ~/로 시작해요", "%q is no full path; begin with / or ~/", "%q 不是完整路径；请以 / 或 ~/ 开头"),
		"check":         T("%q 점검은 없어요. 있는 것은 docs/automations.md에 있어요", "there is no check %q; see docs/automations.md for those there are", "没有检查项 %q；可用的见 docs/automations.md"),
		"refused":       T("이 점검에는 맞지 않아요: %s", "it does not fit the check: %s", "不适合该检查：%s"),
		"quiet":         T("quiet을 읽을 수 없어요. \"23:00-07:00\"처럼 써요", "quiet is not understood; write it as \"23:00-07:00\"", "无法理解 quiet；请写成 \"23:00-07:00\""),
		"none":          T("none은 혼자 써요. 다른 알림을 지우거나 none을 지워 주세요", "none stands alone; remove it or the other channels", "none 须单独使用；请删除它或其他渠道"),
		"commands":      T("commands는 명령마다 낱말 목록이에요: [[\"systemctl\", \"restart\", \"nginx\"]]", "commands is a list of lists of words: [[\"systemctl\", \"restart\", \"nginx\"]]", "commands 是词列表的列表：[[\"systemctl\", \"restart\", \"nginx\"]]"),
		"dropin":        T("%q{은/는} automations.toml에서만 써요. 규칙을 거기로 옮겨 주세요", "%q counts in automations.toml only; move the rule there", "%q 只在 automations.toml 中有效；请把规则移到那里"),
		"no_commands":   T("auto_apply는 commands에 적은 것만 실행해요. 적은 것이 없어서 아무것도 스스로 실행하지 않아요", "auto_apply runs what stands in commands, and nothing does: nothing is run unasked", "auto_apply 只运行 commands 中的内容，而其中没有：不会自动运行任何命令"),
		"self":          T("자동화는 자동화를 만들거나 바꾸지 않아요. action에서 빼 주세요", "automations do not manage automations; take that out of the action", "自动化不能管理自动化；请从 action 中去掉"),
	}
	ruleStale = T("고칠 때까지 지난번에 읽은 내용을 써요", "until then what was read last is used", "在此之前使用上次读到的内容")
)

// RuleProblem describes a problem of a file of rules.
func RuleProblem(lang Lang, code string, stale bool, args ...any) string {
	text := byCode(lang, ruleProblems, code, args...)
	if stale {
		text += "; " + ruleStale.In(lang)
	}
	return text
}
