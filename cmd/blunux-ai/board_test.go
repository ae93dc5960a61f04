package main

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

var started = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func running() overview {
	return overview{
		State: ipc.StateRunning, Version: "1.2.3", Provider: "claude", Model: "claude-sonnet-4-6", Why: "key", Lang: "ko", Home: "/home/blu/.config/blunux-ai",
		Memory: memorySize{12595, 5}, Automations: 3, ConfigFiles: []string{"/home/blu/.config/blunux-ai/config.toml"},
		Service: unitOverview{Load: "loaded", Active: "active", Enabled: "enabled", PID: 42},
		Socket:  unitOverview{Load: "loaded", Active: "active", Enabled: "enabled", Path: "/run/user/1000/blunux-ai.sock"},
		Bridges: []ipc.BridgeStatus{{Channel: "whatsapp", Phase: "replaced", Since: started, NeedsPerson: true, Remedy: "blunux-wa-bridge login"}, {Channel: "telegram", Problem: "torn"}},
		Daemon:  &ipc.Status{State: ipc.StateRunning, Version: "1.2.3", PID: 42, Started: started, Running: 1, Approvals: 2},
	}
}

func shown(b board, o overview) string {
	var text strings.Builder
	_ = b.write(&text, o)
	return text.String()
}

func TestTheValuesStandBelowEachOther(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		names := i18n.Column(lang, term.LeastNames, i18n.OverviewNames...)
		b := board{lang: lang, now: started}
		lines := strings.Split(strings.TrimSpace(shown(b, running())), "\n")[1:]
		rows := b.rows(running())
		require.Len(t, lines, len(rows))
		for i, r := range rows {
			begin, whole := strings.CutSuffix(lines[i], r.value)
			require.True(t, whole, lines[i])
			require.Equal(t, 2+names+1, ansi.StringWidth(begin), "%s: %q", lang, lines[i])
		}
	}
}

func TestTheDotTellsTheState(t *testing.T) {
	for state, want := range map[string]string{
		ipc.StateRunning: "\x1b[32m●\x1b[0m", stateUnresponsive: "\x1b[31m●\x1b[0m", stateFailed: "\x1b[31m●\x1b[0m", stateResting: "○", ipc.StateNotRunning: "○",
	} {
		o := running()
		o.State = state
		require.True(t, strings.HasPrefix(shown(board{lang: i18n.English, coloured: true, columns: 80, now: started}, o), want+" blunux-ai"), state)
		require.NotContains(t, shown(board{lang: i18n.English, now: started}, o), "\x1b")
	}
}

// TestABridgeThatWaitsForThePersonSaysSo also covers the case without a running daemon.
func TestABridgeThatWaitsForThePersonSaysSo(t *testing.T) {
	o := running()
	o.State, o.Daemon = ipc.StateNotRunning, nil
	text := shown(board{lang: i18n.English, now: started}, o)
	require.Contains(t, text, "WhatsApp: another program is using this login: stop it and start the bridge again, since ")
	require.Contains(t, text, "! run: blunux-wa-bridge login\n")
	require.Contains(t, text, "Telegram: status unknown: torn\n")
}

func TestAnotherVersionIsSeen(t *testing.T) {
	o := running()
	o.Daemon.Version = "1.2.2"
	require.Contains(t, shown(board{lang: i18n.English, now: started}, o), "! 1.2.2")
}

// TestNoLineIsWiderThanTheTerminal includes text from other programs, which is also cleaned.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := running()
		o.Model = rapid.StringOfN(rapid.SampledFrom([]rune("abc 가나다\x1b[31m\u202e/-")), 0, 60, -1).Draw(rt, "model")
		o.Daemon.Problems = []string{o.Model}
		columns := rapid.IntRange(20, 120).Draw(rt, "columns")
		text := shown(board{lang: i18n.Korean, columns: columns, now: started}, o)
		require.NotContains(rt, text, "\x1b")
		require.NotContains(rt, text, "\u202e")
		for _, line := range strings.Split(text, "\n") {
			require.LessOrEqual(rt, ansi.StringWidth(line), columns, "%q", line)
		}
	})
}
