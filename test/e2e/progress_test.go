package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// slowPlot scripts a slow model.
const slowPlot = `
[[step]]
delay = "2500ms"
text = "at last"
`

func TestU4AtATerminalASlowModelShowsThatItWorks(t *testing.T) {
	t.Parallel()
	d := newMachine(t, slowPlot)
	shown := d.watch("ask", "anything")
	require.Regexp(t, `\r\x1b\[K[|/\\-] \S.*: working · [12] s · Ctrl-C to cancel`, shown)
	require.Regexp(t, `\r\x1b\[Kat last`, shown, "the line must be gone before the answer")
	d = newMachine(t, slowPlot)
	require.NotContains(t, d.watch("ask", "-q", "anything"), "working")
}
