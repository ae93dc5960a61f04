package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
)

func TestACommandIsShownAsAPersonWouldTypeIt(t *testing.T) {
	for want, argv := range map[string][]string{
		"ps aux --sort=-%mem":                 {"ps", "aux", "--sort=-%mem"},
		"systemd-analyze time":                {"systemd-analyze", "time"},
		"yay -S --noconfirm -- htop":          {"yay", "-S", "--noconfirm", "--", "htop"},
		"journalctl --since '1 hour ago'":     {"journalctl", "--since", "1 hour ago"},
		"'a=b' c":                             {"a=b", "c"},
		"echo '' '~' '*' 'a;b' '$x' \"it's\"": {"echo", "", "~", "*", "a;b", "$x", "it's"},
		"pgrep 크롬":                            {"pgrep", "크롬"},
	} {
		require.Equal(t, want, tools.Command{Argv: argv}.String())
	}
	require.Equal(t, "df  -h", tools.Command{Shell: "df  -h"}.String())
	require.Equal(t, `echo $'a\x00b'`, tools.Command{Argv: []string{"echo", "a\x00b"}}.String(), "never run, but never two lines either")
}

// TestTheShownCommandMeansTheSame runs the shown command line in bash and gets the same arguments back.
func TestTheShownCommandMeansTheSame(t *testing.T) {
	x := newExecutor(tools.ExecutorOptions{MaxBytes: 1 << 20, MaxLines: 1 << 20})
	arg := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("ab=%~-+:,./@_ '\"$`\\!*?[]{}()<>|&;#^\n\t크\u202e\u200b\x01\x7f"))),
		rapid.SampledFrom([]string{"", "time", "if", "!", "{", "a=b", "--x=~", "=x", "%1", "-", "+"}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		args := rapid.SliceOfN(arg, 1, 20).Draw(rt, "args")
		shown := tools.Command{Argv: append([]string{"printf", `%s\0`}, args...)}.String()
		r, err := x.Run(t.Context(), tools.Job{Command: tools.Command{Shell: shown}, Dir: "/", Timeout: plenty})
		require.NoError(rt, err)
		require.Zero(rt, r.Exit, "%s: %s", shown, r.Stderr)
		require.Equal(rt, args, strings.Split(strings.TrimSuffix(r.Stdout, "\x00"), "\x00"), "%s", shown)
	})
}
