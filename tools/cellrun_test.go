package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestS1PartsRunAsTheShellWouldHaveThem compares command lists that are started part by part with bash running
// them as a whole.
func TestS1PartsRunAsTheShellWouldHaveThem(t *testing.T) {
	d := newTestGate(t)
	for text, want := range map[string]struct {
		out  string
		exit int
	}{
		"echo a; echo b":                           {"a\nb\n", 0},
		"false && echo a || echo b; echo c":        {"b\nc\n", 0},
		"true || echo a && echo b":                 {"b\n", 0},
		"false || false && echo a":                 {"", 1},
		"echo a | tr a b && echo c; false":         {"b\nc\n", 1},
		"! true || echo a":                         {"a\n", 0},
		"for i in 1 2; do echo $i; done; echo end": {"1\n2\nend\n", 0},
		"x=1; echo $x; echo $((x+1))":              {"1\n2\n", 0},
		"cat <<A; echo b\na\nA":                    {"a\nb\n", 0},
		"(exit 3); echo $?":                        {"3\n", 0},
		"ls /nonexistent 2>/dev/null; echo a":      {"a\n", 0},
	} {
		out := d.call("run_command", command(text), answering())
		require.Len(t, out.Output.Steps, 1, text)
		require.Equal(t, want.out, out.Output.Steps[0].Stdout, text)
		require.Equal(t, want.exit, out.Output.Steps[0].Exit, text)
	}
	piece := rapid.SampledFrom([]string{"true", "false", "echo a", "echo b | tr b c", "! true", "test a = b", "seq 2 | tail -1", "printf x", "grep -c a /nonexistent 2>/dev/null", "expr 1 - 1", "[ -d / ]"})
	joint := rapid.SampledFrom([]string{"; ", " && ", " || ", "\n"})
	rapid.Check(t, func(rt *rapid.T) {
		text := piece.Draw(rt, "first")
		for range rapid.IntRange(1, 5).Draw(rt, "more") {
			text += joint.Draw(rt, "joint") + piece.Draw(rt, "piece")
		}
		apart := d.call("run_command", command(text), answering())
		whole := d.call("run_command", command("{ "+text+"\n}"), answering())
		require.Len(rt, apart.Output.Steps, 1, text)
		require.Equal(rt, whole.Output.Steps[0].Stdout, apart.Output.Steps[0].Stdout, text)
		require.Equal(rt, whole.Output.Steps[0].Exit, apart.Output.Steps[0].Exit, text)
	})
}
