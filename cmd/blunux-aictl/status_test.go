package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

var noon = time.Date(2026, 2, 20, 12, 0, 0, 0, time.Local)

func fullStatus() ipc.Status {
	return ipc.Status{
		State: ipc.StateRunning, Version: "1.0", PID: 4711, Started: noon.Add(-26 * time.Hour), Provider: "claude", Model: "claude-opus-4-5",
		Lang: "ko", Home: "/home/블루/.config/blunux-ai", ConfigFiles: []string{"/etc/blunux-ai/config.toml", "/home/블루/.config/blunux-ai/config.toml"},
		ConfigError: "/home/블루/.config/blunux-ai/config.toml:3:1: unknown key limits.x", Approvals: 1, Notifications: 2, Dropped: 3,
		Sandbox: "namespaces + landlock 7 + seccomp", Privilege: "run0", TokensIn: 1834, TokensOut: 96, Turns: 2,
		Today:   ipc.UsageSum{Requests: 12, In: 1234567, Out: 890, CostUSD: 0.83, Unpriced: 1},
		Budget:  &ipc.DayBudget{Day: "2026-02-20", Limit: "daily_usd", DailyUSD: 1, CostUSD: 0.83, Share: 0.83},
		Process: ipc.Process{RSS: 26 << 20, Heap: 3 << 20, Goroutines: 11, OpenFiles: 16},
		Idle:    ipc.Idle{ExitsIn: 600, Activities: []string{"task 1", "automation 2"}},
		Connections: []ipc.ConnectionUsage{
			{Client: "blunux-aictl/1.0", Channel: "cli", PID: 9, Since: noon, Traffic: ipc.Traffic{BytesIn: 142, BytesOut: 2048, FramesIn: 2, FramesOut: 1}, Requests: 2, Self: true},
		},
		Bridges: []ipc.BridgeStatus{
			{Channel: "telegram", Running: true, Phase: "online", Since: noon.Add(-time.Hour), Account: "@blu_bot", Unsent: 2, Undelivered: 1},
			{Channel: "whatsapp", Phase: "logged_out", Since: noon.Add(-time.Hour), NeedsPerson: true, Remedy: "blunux-wa-bridge login --again"},
		},
		Tasks:   []ipc.TaskUsage{{ID: "t5d5442b8f59f", State: "RUNNING", Age: 65, Rounds: 2, TokensIn: 10, TokensOut: 3, Commands: 1}},
		Log:     ipc.LogTarget{To: "journal", Level: "info", File: "/home/블루/.config/blunux-ai/logs/blunux-ai.log.2026-02-20", FileLevel: "debug", Problem: "no space left on device"},
		LastLog: []string{"2026-02-20T11:59:59.000+09:00 WRN 경고 \x1b[2Jerror=\"디스크가 꽉 찼어요\""}, LastCommands: []string{"[2026-02-20T02:59:59Z] SAFE        df -h"},
		Problems: []string{"cannot read the outbox"},
	}
}

func shownStatus(lang i18n.Lang, columns int) string {
	var b strings.Builder
	newSheet(&b, lang, columns).status(fullStatus(), noon)
	return b.String()
}

func TestStatusFitsTerminalsOfEveryWidth(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, columns := range []int{10, 13, 20, 31, 39, 40, 41, 60, 79, 80, 81, 132} {
			text := shownStatus(lang, columns)
			for line := range strings.Lines(text) {
				require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), columns, "%s at %d: %q", lang, columns, line)
			}
			require.NotContains(t, text, "\x1b")
			one := strings.Join(strings.Fields(text), "")
			for _, want := range []string{"claude-opus-4-5", "config.toml:3:1:unknownkeylimits.x", "run0", "t5d5442b8f59f", "df-h", "26.0MiB", "@blu_bot", "blunux-wa-bridgelogin"} {
				require.Contains(t, one, want, "%s at %d", lang, columns)
			}
			require.Contains(t, one, map[i18n.Lang]string{i18n.Korean: "디스크가가득찼어요", i18n.English: "thediskisfull", i18n.Chinese: "磁盘已满"}[lang])
		}
	}
}

func TestStatusStandsInColumns(t *testing.T) {
	for lang, want := range map[i18n.Lang]string{
		i18n.Korean:  "  모델        claude claude-opus-4-5\n  언어        ko\n",
		i18n.English: "  model         claude claude-opus-4-5\n  language      ko\n",
		i18n.Chinese: "  模型        claude claude-opus-4-5\n  语言        ko\n",
	} {
		require.Contains(t, shownStatus(lang, 0), want)
	}
	require.Contains(t, shownStatus(i18n.Korean, 0), "  유휴 종료   10m 뒤 (지금은 작업 1개, 자동화 2개 때문에 유지 중)\n")
	require.Contains(t, shownStatus(i18n.Korean, 0), "  오늘        요청 12, 입력 1,234,567, 출력 890, ≥$0.8300\n  예산        $1.0000 중 $0.8300 (83%)\n")
	require.Contains(t, shownStatus(i18n.English, 0), "  today         12 requests, 1,234,567 in, 890 out, ≥$0.8300\n  budget        $0.8300 of $1.0000 (83%)\n")
	require.Contains(t, shownStatus(i18n.English, 0), "(1d 2h, pid 4711)")
	require.Contains(t, shownStatus(i18n.English, 0), "  messengers    Telegram: connected, as @blu_bot, since 2026-02-20 11:00:00, 2 not sent yet, 1 not passed to the daemon yet\n"+
		"                WhatsApp: logged out: log in again, since 2026-02-20 11:00:00\n                ! run: blunux-wa-bridge login --again\n")
	require.Contains(t, shownStatus(i18n.Korean, 0), "  메신저      Telegram: 연결됨, 계정 @blu_bot, 2026-02-20 11:00:00부터, 전송 대기 2개, 데몬 전달 대기 1개\n")
	require.Contains(t, shownStatus(i18n.English, 0), "blunux-aictl/1.0 cli pid 9 0s  2 requests, 142 B received, 2.0 KiB sent (this one)")
}

func TestASpanHasItsTwoLargestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 61 * time.Second: "1m 1s", 10 * time.Minute: "10m",
		time.Hour + 2*time.Minute + 3*time.Second: "1h 2m", 49 * time.Hour: "2d 1h", 48 * time.Hour: "2d",
	} {
		require.Equal(t, want, span(d))
	}
}
