package tools_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
)

// watched takes a command through a gate with output events.
func (d *testGate) watched(task, text string) (tools.Outcome, string) {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, "run_command", command(text)), "s", d.dir)
	require.Nil(d.t, refused)
	j.Origin = tools.Origin{Task: task, Channel: "tui", Watched: true}
	var mu sync.Mutex
	var seen strings.Builder
	out := d.Run(d.t.Context(), j, allowing(), func(e tools.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen.WriteString(e.Output)
	})
	mu.Lock()
	defer mu.Unlock()
	return out, seen.String()
}

func TestAUnitsOutputIsSeenToo(t *testing.T) {
	s := newProcesses(t)
	out, seen := s.newGate().watched("t1", "touch x; echo "+planted+"; seq 1 40; echo bad >&2")
	require.Len(t, s.names(), 1, "it ran in a unit")
	require.Zero(t, out.Output.Steps[0].Exit)
	require.NotContains(t, seen, planted)
	require.Contains(t, seen, "[redacted:anthropic-key]\n1\n2\n")
	require.Contains(t, seen, "\n40\n")
	require.Contains(t, seen, "bad\n")
}
