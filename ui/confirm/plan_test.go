package confirm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// planConfirmation returns the question about a plan with each kind of step.
func planConfirmation() confirmation {
	steps := []ipc.PlanStep{
		{Command: "systemctl status nginx", Looks: true},
		{
			Command: "sudo -n cp --no-preserve=mode -- /home/blu/.blunux-ai/receipts/files/5891b5b522d5 /etc/nginx/nginx.conf",
			Check:   "cat /etc/nginx/nginx.conf", Back: ipc.BackYes,
			Detail: "-worker_processes 1;\n+worker_processes auto;\n+# 한글 설명\t끝\u202e\n… (+12)",
		},
		{Command: "pacman -S --noconfirm -- nginx-mod-brotli", Check: "pacman -Q -- nginx-mod-brotli", Back: ipc.BackCache, Needs: []int{1, 3}},
		{Command: "for d in a b; do\n  only reads\ndone", Back: ipc.BackNo, Needs: []int{1, 2}},
		{Command: "systemctl restart nginx", Check: "systemctl show nginx -p ActiveState", Back: ipc.BackNothing, Needs: []int{4, 2}},
	}
	commands := make([]string, len(steps))
	for i := range steps {
		steps[i].Number, steps[i].Of, commands[i] = i+1, len(steps), steps[i].Command
	}
	return confirmation{i18n.AskPlanFor(len(steps), "nginx 설정을 바꿔요"), ipc.Ask{
		Tool: "plan", Command: strings.Join(commands, "\n"), Plan: steps, Privileged: true, Reasons: []string{"plan", "sudo"},
		Warnings: []string{"undo-lost: nginx 1.28.0-1", "undo-later: U4K7P, U9XQ2"},
	}}
}

func TestAPlanIsOnlyLaidOutInStepsIfTheyAreItsCommands(t *testing.T) {
	ask := planConfirmation().ask
	require.Len(t, ask.Steps(), 5)
	ask.Plan[4].Command = "true"
	require.Empty(t, ask.Steps())
	n := Terminal{Columns: 80, Lang: i18n.English}.Notice("Run it?", ask)
	require.Contains(t, n.Screen(0), "systemctl restart nginx")
}

func TestAYesToAPlanCountsOnceAllOfItWasShown(t *testing.T) {
	c := planConfirmation()
	n := Terminal{Columns: 60, Rows: 16, Lang: i18n.English}.Notice(c.question.In(i18n.English), c.ask)
	require.Greater(t, n.Screens(), 2)
	var shown strings.Builder
	action, _, err := n.Decide(t.Context(), &shown, typing("y", "", "y"))
	require.NoError(t, err)
	require.Equal(t, ipc.ActionReject, action, "the input ended before the last screen")
	lines := append([]string{"y"}, make([]string, n.Screens()-1)...)
	action, _, err = n.Decide(t.Context(), &shown, typing(append(lines, "y")...))
	require.NoError(t, err)
	require.Equal(t, ipc.ActionAllowOnce, action)
	require.Contains(t, shown.String(), "restart nginx")
}

func TestAnyPlanIsShownCompletelyAndNoCommandLooksLikeANote(t *testing.T) {
	pieces := []string{"a", "rm -rf /", " ", "\t", "\n", "한글", "\u202e", "\x1b[2J", "⟩", "      only reads", "\n    ! x", strings.Repeat("x", 90)}
	text := func(t *rapid.T, name string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, name), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		steps := make([]ipc.PlanStep, rapid.IntRange(1, 12).Draw(t, "steps"))
		for i := range steps {
			steps[i] = ipc.PlanStep{
				Number: i + 1, Of: len(steps), Command: text(t, "command"), Looks: rapid.Bool().Draw(t, "looks"), Check: text(t, "check"),
				Back: rapid.SampledFrom([]string{ipc.BackYes, ipc.BackCache, ipc.BackNo, ipc.BackNothing}).Draw(t, "back"), Detail: text(t, "detail"),
			}
		}
		width, gutter := rapid.IntRange(1, 120).Draw(t, "width"), 4
		rows := PlanRows(steps, width, rapid.SampledFrom(languages).Draw(t, "lang"))
		var commands, notes string
		bytes := 0
		for _, r := range rows {
			requireWithin(t, r.Text, max(width, leastWidth))
			cells := []rune(r.Text + strings.Repeat(" ", 10))
			marked := strings.TrimSpace(string(cells[:gutter])) != ""
			require.Equal(t, r.Role == Command, marked, "%q", r.Text)
			rest := strings.TrimRight(string(cells[gutter:]), " ")
			if marked {
				commands, bytes = commands+rest, bytes+r.Bytes
			} else {
				notes += string(cells[gutter+2:])
			}
		}
		blank := strings.NewReplacer("␣", "", " ", "", "\n", "")
		want, size := "", 0
		for _, s := range steps {
			want, size = want+ipc.Visible(s.Command), size+len(s.Command)
		}
		require.Equal(t, blank.Replace(want), blank.Replace(commands))
		require.Equal(t, size, bytes)
		for _, s := range steps {
			require.Contains(t, blank.Replace(notes), blank.Replace(ipc.Visible(s.Detail)))
			require.True(t, s.Looks || strings.Contains(blank.Replace(notes), blank.Replace(ipc.VisibleLine(s.Check))))
		}
	})
}
