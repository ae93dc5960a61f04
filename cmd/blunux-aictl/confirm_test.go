package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestTheQuestionShowsEverythingThereIsToDecideAbout(t *testing.T) {
	at := time.Date(2026, 2, 20, 9, 20, 0, 0, time.Local)
	asks := map[string]struct {
		question i18n.Text
		args     []any
		ask      ipc.Ask
	}{
		"install": {i18n.AskInstall, []any{"google-chrome"}, ipc.Ask{
			Command: "yay -S --noconfirm -- google-chrome", Class: "CONFIRM", Cwd: "/home/blu",
			Reasons: []string{"package-install"}, Covers: "yay -S --noconfirm -- google-chrome", Expires: at,
		}},
		"root": {i18n.AskUpdate, nil, ipc.Ask{
			Command: "sudo -n pacman -Syu --noconfirm", Class: "CONFIRM", Cwd: "/home/blu", Privileged: true,
			Reasons: []string{"system-update", "sudo"}, Expires: at,
		}},
		"hidden": {i18n.AskQuestion, nil, ipc.Ask{
			Command: "touch a\u202egnp.exe" + strings.Repeat(" ", 9) + "; rm\u200b b\nsecond\tline\x1b[2J", Class: "CONFIRM", Cwd: "/tmp/\u2066x",
			Reasons: []string{"control-character"}, Covers: "x", Expires: at,
		}},
	}
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for name, a := range asks {
			t.Run(string(lang)+"/"+name, func(t *testing.T) {
				d := &display{lang: lang}
				got := d.describe(a.question.In(lang, a.args...), a.ask) + d.keys(a.ask) + "\n" + d.help(a.ask) + "\n"
				file := "testdata/ask-" + name + "." + string(lang) + ".golden"
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			})
		}
	}
}

func TestThreat22NothingButTextReachesTheTerminal(t *testing.T) {
	require.Equal(t, "]8;;http://x\\link[2Jgone한글\n\tok", clean("\x1b]8;;http://x\x1b\\link\x1b[2J\u009bgone\u202e\u200b한글\n\tok\x07"))
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range clean(rapid.String().Draw(t, "text")) {
			require.True(t, r == '\n' || r == '\t' || !hidden(r))
		}
		for _, r := range visible(rapid.String().Draw(t, "command")) {
			require.True(t, r == '\n' || !hidden(r) && r != '\t')
		}
	})
}

func TestEveryWireErrorHasAnExitCode(t *testing.T) {
	a := &app{lang: i18n.English}
	for code, want := range map[ipc.Code]int{
		ipc.CodeNotConfigured: 4, ipc.CodeAuth: 4, ipc.CodeRateLimit: 7, ipc.CodeProvider: 7, ipc.CodeNetwork: 7,
		ipc.CodeBlocked: 6, ipc.CodeDenied: 5, ipc.CodeExpired: 5, ipc.CodeCancelled: 130, ipc.CodeTimeout: 124,
		ipc.CodeBusy: 1, ipc.CodeBadRequest: 2, ipc.CodeUnknownType: 1, ipc.CodeTooLarge: 2, ipc.CodeInternal: 1, "new": 1,
	} {
		got, text := a.explain(t.Context(), &ipc.Error{Code: code, Message: "what", Hint: "help"})
		require.Equal(t, want, got, code)
		require.Equal(t, "what\nhelp", text)
	}
}

func TestAnAnswerThatCameCanStillEndBadly(t *testing.T) {
	refused := func(reasons ...string) (out ipc.Outcome) {
		for _, r := range reasons {
			out.Steps = append(out.Steps, ipc.Step{State: ipc.ToolRefused, Reason: r})
		}
		return out
	}
	require.Zero(t, outcomeExit(ipc.Outcome{Steps: []ipc.Step{{State: ipc.ToolDone, Exit: 1}}}))
	require.Equal(t, exitBlocked, outcomeExit(refused("denied", "blocked")))
	require.Equal(t, exitDenied, outcomeExit(refused("queued")))
	require.Equal(t, exitDenied, outcomeExit(refused("expired")))
	require.Equal(t, exitDenied, outcomeExit(refused("mismatch", "unparsed")))
	require.Equal(t, exitFailure, outcomeExit(refused("log")))
	require.Equal(t, exitFailure, outcomeExit(refused("mismatch")))
	require.Zero(t, outcomeExit(refused("bad_input")))
	require.Equal(t, exitRounds, outcomeExit(ipc.Outcome{Stop: "max_rounds"}))
	require.Equal(t, exitBlocked, outcomeExit(ipc.Outcome{Stop: "refusal"}))
}
