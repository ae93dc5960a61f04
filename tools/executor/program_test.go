package executor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// TestTheShownCommandMeansTheSame runs the shown command line in bash and gets the same arguments back.
func TestTheShownCommandMeansTheSame(t *testing.T) {
	x := newExecutor(executor.Options{MaxBytes: 1 << 20, MaxLines: 1 << 20})
	arg := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("ab=%~-+:,./@_ '\"$`\\!*?[]{}()<>|&;#^\n\t크\u202e\u200b\x01\x7f"))),
		rapid.SampledFrom([]string{"", "time", "if", "!", "{", "a=b", "--x=~", "=x", "%1", "-", "+"}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		args := rapid.SliceOfN(arg, 1, 20).Draw(rt, "args")
		shown := shell.Command{Argv: append([]string{"printf", `%s\0`}, args...)}.String()
		r, err := x.Run(t.Context(), executor.Job{Command: shell.Command{Shell: shown}, Dir: "/", Timeout: plenty})
		require.NoError(rt, err)
		require.Zero(rt, r.Exit, "%s: %s", shown, r.Stderr)
		require.Equal(rt, args, strings.Split(strings.TrimSuffix(r.Stdout, "\x00"), "\x00"), "%s", shown)
	})
}
