package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
)

// TestU11HowACommandEndedIsKnown: step, event and model text distinguish a timeout, a missing program and an
// exit status.
func TestU11HowACommandEndedIsKnown(t *testing.T) {
	d := newTestGate(t, func(o *tools.Options) { o.Timeouts.Command = time.Second })
	for form, want := range map[string]struct{ ended, program, text string }{
		"sleep 500":            {"timeout", "", "[timed out after 1 s, killed]"},
		"duf-that-is-not-here": {"", "", ""},
		"lsgpu":                {"missing", "lsgpu", "the program lsgpu is not installed"},
		"false":                {"", "", "[exit 1]"},
	} {
		d.events = nil
		out := d.call("run_command", command(form), answering())
		if want.text == "" {
			continue // it needs a confirmation, and is refused before that
		}
		require.Contains(t, out.Text, want.text, form)
		require.NotContains(t, out.Text, "143")
		require.Equal(t, want.ended, out.Output.Steps[0].EndReason(), form)
		last := d.events[len(d.events)-1]
		require.Equal(t, want.ended, last.Ended, form)
		require.Equal(t, want.program, last.Program, form)
	}
}
