package automation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

// in is a phrase in the three languages.
type in struct{ ko, en, zh string }

func (want in) require(t *testing.T, words func(i18n.Lang) string) {
	t.Helper()
	require.Equal(t, want, in{words(i18n.Korean), words(i18n.English), words(i18n.Chinese)})
}

func TestSchedulesAreSaidInWords(t *testing.T) {
	for spec, want := range map[string]in{
		"0 9 * * *":            {"매일 오전 9시", "every day at 09:00", "每天 09:00"},
		"09:30":                {"매일 오전 9시 30분", "every day at 09:30", "每天 09:30"},
		"0 18 * * fri":         {"매주 금요일 오후 6시", "every Friday at 18:00", "每周五 18:00"},
		"0 18 * * 7":           {"매주 일요일 오후 6시", "every Sunday at 18:00", "每周日 18:00"},
		"0 9,18 * * *":         {"매일 오전 9시, 오후 6시", "every day at 09:00 and 18:00", "每天 09:00、18:00"},
		"0 12 * * 1-5":         {"평일 정오", "on weekdays at 12:00", "工作日 12:00"},
		"15 12 * * sat,sun":    {"주말 오후 12시 15분", "on weekends at 12:15", "周末 12:15"},
		"5 0 * * mon,wed,fri":  {"매주 월, 수, 금요일 오전 0시 5분", "every Monday, Wednesday and Friday at 00:05", "每周一、三、五 00:05"},
		"0 9 1 * *":            {"매월 1일 오전 9시", "on day 1 of every month at 09:00", "每月 1日 09:00"},
		"0 9 1,15 * *":         {"매월 1일, 15일 오전 9시", "on day 1 and 15 of every month at 09:00", "每月 1日、15日 09:00"},
		"@daily":               {"매일 자정", "every day at 00:00", "每天 00:00"},
		"@yearly":              {"매년 1월 1일 자정", "every year on 1 January at 00:00", "每年 1月1日 00:00"},
		"*/30 * * * *":         {"30분마다", "every 30 minutes", "每 30 分钟"},
		"0,30 * * * *":         {"30분마다", "every 30 minutes", "每 30 分钟"},
		"* * * * *":            {"매분", "every minute", "每分钟"},
		"@hourly":              {"매시 정각", "every hour on the hour", "每小时整点"},
		"20 * * * *":           {"매시 20분", "every hour at 20 minutes past", "每小时第 20 分"},
		"0 */6 * * *":          {"6시간마다 정각", "every 6 hours on the hour", "每 6 小时整点"},
		"30 */6 * * *":         {"6시간마다 30분에", "every 6 hours at 30 minutes past", "每 6 小时的第 30 分"},
		"@every 90m":           {"90분마다", "every 90 minutes", "每 90 分钟"},
		"@every 2h":            {"2시간마다", "every 2 hours", "每 2 小时"},
		"@every 3d":            {"3일마다", "every 3 days", "每 3 天"},
		"@every 150m":          {"2시간 30분마다", "every 2 h 30 min", "每 2 小时 30 分钟"},
		"TZ=Asia/Seoul 09:00":  {"매일 오전 9시 (Asia/Seoul)", "every day at 09:00 (Asia/Seoul)", "每天 09:00 (Asia/Seoul)"},
		"*/7 * * * *":          {"*/7 * * * *", "*/7 * * * *", "*/7 * * * *"},
		"0 9 15 * fri":         {"0 9 15 * fri", "0 9 15 * fri", "0 9 15 * fri"},
		"*/5 9-17 * * mon-fri": {"*/5 9-17 * * mon-fri", "*/5 9-17 * * mon-fri", "*/5 9-17 * * mon-fri"},
		"0 9 * 6 *":            {"0 9 * 6 *", "0 9 * 6 *", "0 9 * 6 *"},
	} {
		t.Run(spec, func(t *testing.T) {
			s, err := ParseSchedule(spec)
			require.NoError(t, err)
			want.require(t, s.Words)
		})
	}
}

func TestDueTimesAreSaidAsSeenFromNow(t *testing.T) {
	now := at(t, "Asia/Seoul", "2026-12-30 14:00")
	for due, want := range map[string]in{
		"2026-12-30 13:00":    {"지금", "now", "现在"},
		"2026-12-30 14:00:10": {"1분 뒤", "in 1 minute", "1 分钟后"},
		"2026-12-30 14:03":    {"3분 뒤", "in 3 minutes", "3 分钟后"},
		"2026-12-30 18:00":    {"오늘 오후 6시", "today at 18:00", "今天 18:00"},
		"2026-12-31 09:00":    {"내일 오전 9시", "tomorrow at 09:00", "明天 09:00"},
		"2027-01-01 09:00":    {"2027년 1월 1일(금) 오전 9시", "Fri 1 January 2027 at 09:00", "2027年1月1日（周五） 09:00"},
	} {
		want.require(t, func(lang i18n.Lang) string { return When(lang, now, at(t, "Asia/Seoul", due), now.Location()) })
	}
	in{"3월 6일(금) 오전 9시", "Fri 6 March at 09:00", "3月6日（周五） 09:00"}.require(t, func(lang i18n.Lang) string {
		return When(lang, at(t, "UTC", "2026-03-04 00:00"), at(t, "UTC", "2026-03-06 09:00"), time.UTC)
	})
}

func TestEventsAreReadAndSaid(t *testing.T) {
	for text, want := range map[string]struct {
		event Event
		words in
	}{
		"boot":                       {Event{Kind: EventBoot}, in{"부팅할 때", "when the computer starts", "开机时"}},
		" resume ":                   {Event{Kind: EventResume}, in{"절전에서 깨어날 때", "when the computer wakes up", "从睡眠唤醒时"}},
		"network_up":                 {Event{Kind: EventNetworkUp}, in{"네트워크에 연결될 때", "when the network connects", "网络连通时"}},
		"login":                      {Event{Kind: EventLogin}, in{"로그인할 때", "at login", "登录时"}},
		"unit_failed":                {Event{Kind: EventUnitFailed}, in{"유닛이 실패할 때", "when a unit fails", "有单元失败时"}},
		"unit_failed:nginx":          {Event{Kind: EventUnitFailed, Unit: "nginx.service"}, in{"nginx.service가 실패할 때", "when nginx.service fails", "nginx.service 失败时"}},
		"unit_failed:fstrim.timer":   {Event{Kind: EventUnitFailed, Unit: "fstrim.timer"}, in{"fstrim.timer가 실패할 때", "when fstrim.timer fails", "fstrim.timer 失败时"}},
		"unit_failed:backup-*":       {Event{Kind: EventUnitFailed, Unit: "backup-*"}, in{"backup-*가 실패할 때", "when backup-* fails", "backup-* 失败时"}},
		"unit_failed:getty@tty1":     {Event{Kind: EventUnitFailed, Unit: "getty@tty1.service"}, in{"getty@tty1.service가 실패할 때", "when getty@tty1.service fails", "getty@tty1.service 失败时"}},
		"file:/etc//hosts":           {Event{Kind: EventFile, Path: "/etc/hosts"}, in{"/etc/hosts가 바뀔 때", "when /etc/hosts changes", "/etc/hosts 更改时"}},
		"file:~/메모 a:b/../할 일.txt":   {Event{Kind: EventFile, Path: "~/할 일.txt"}, in{"~/할 일.txt가 바뀔 때", "when ~/할 일.txt changes", "~/할 일.txt 更改时"}},
		"process:4711:118293:ffmpeg": {Event{Kind: EventProcess, Process: ProcessID{4711, 118293, "ffmpeg"}}, in{"ffmpeg가 끝날 때", "when ffmpeg ends", "ffmpeg 结束时"}},
		"unit:backup":                {Event{Kind: EventUnit, Unit: "backup.service"}, in{"backup.service가 끝나거나 실패할 때", "when backup.service ends or fails", "backup.service 结束或失败时"}},
		"download:~/Downloads/":      {Event{Kind: EventDownload, Path: "~/Downloads"}, in{"~/Downloads의 다운로드가 끝날 때", "when the downloads in ~/Downloads are done", "~/Downloads 中的下载完成时"}},
		"ready:/tmp/film.mkv":        {Event{Kind: EventReady, Path: "/tmp/film.mkv"}, in{"/tmp/film.mkv가 다 만들어질 때", "when /tmp/film.mkv is complete", "/tmp/film.mkv 写完时"}},
		"host:nas.local":             {Event{Kind: EventHost, Host: "nas.local"}, in{"nas.local이 응답할 때", "when nas.local answers", "nas.local 有响应时"}},
		"host:fe80::1":               {Event{Kind: EventHost, Host: "fe80::1"}, in{"fe80::1이 응답할 때", "when fe80::1 answers", "fe80::1 有响应时"}},
		"low:20":                     {Event{Kind: EventLow, Percent: 20}, in{"배터리가 20%까지 줄어들 때", "when the battery is down to 20%", "电池降到 20% 时"}},
		"battery:80":                 {Event{Kind: EventBattery, Percent: 80}, in{"배터리가 80%까지 충전될 때", "when the battery is charged to 80%", "电池充到 80% 时"}},
	} {
		t.Run(text, func(t *testing.T) {
			e, err := ParseEvent(text)
			require.NoError(t, err)
			require.Equal(t, want.event, e)
			want.words.require(t, e.Words)
			again, err := ParseEvent(e.String())
			require.NoError(t, err)
			require.Equal(t, e, again)
		})
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	for text, want := range map[string]EventError{
		"":                 {Code: "unknown"},
		"bot":              {Code: "unknown", Part: "bot", Near: "boot"},
		"network-up":       {Code: "unknown", Part: "network-up", Near: "network_up"},
		"boot:now":         {Code: "argument", Part: "boot"},
		"unit_failed:":     {Code: "unit"},
		"unit_failed:a b":  {Code: "unit", Part: "a b"},
		"unit_failed:[":    {Code: "unit", Part: "["},
		"unit_failed:../x": {Code: "unit", Part: "../x"},
		"file":             {Code: "path"},
		"file:relative":    {Code: "path", Part: "relative"},
		"file:/a\x1b[31m":  {Code: "path", Part: "/a\x1b[31m"},
		"file:~other/x":    {Code: "path", Part: "~other/x"},
		"file:/etc/":       {Code: "path", Part: "/etc/"},
		"process:ffmpeg":   {Code: "process", Part: "ffmpeg"}, // a name is resolved when the reminder is made
		"process:0:1:a":    {Code: "process", Part: "0:1:a"},
		"unit:a*":          {Code: "unit", Part: "a*"},
		"ready:x":          {Code: "path", Part: "x"},
		"host:-f":          {Code: "host", Part: "-f"},
		"host:a b":         {Code: "host", Part: "a b"},
		"low:-1":           {Code: "low", Part: "-1"},
		"battery:0":        {Code: "battery", Part: "0"},
		"battery:full":     {Code: "battery", Part: "full"},
	} {
		_, err := ParseEvent(text)
		var e *EventError
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, want, *e, text)
		require.NotContains(t, e.Text(i18n.Korean), "\x1b")
	}
}

func TestAnEventIsMatchedWithUnits(t *testing.T) {
	for text, units := range map[string][2]string{
		"unit_failed":          {"a.service", ""},
		"unit_failed:nginx":    {"nginx.service", "nginx.socket"},
		"unit_failed:backup-*": {"backup-home.service", "restore.service"},
	} {
		e, err := ParseEvent(text)
		require.NoError(t, err)
		require.True(t, e.Matches(units[0]), text)
		require.True(t, units[1] == "" || !e.Matches(units[1]), text)
	}
	e, err := ParseEvent("file:~/x")
	require.NoError(t, err)
	require.Equal(t, "/home/kim/x", e.At("/home/kim").Path)
	require.False(t, e.Matches("x.service"))
}
