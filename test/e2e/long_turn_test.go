package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestATurnThatOutlastsAHundredSeconds first gets the reply "still working"; its result is polled later. The
// turn really takes that long; package daemon tests the same in virtual time.
func TestATurnThatOutlastsAHundredSeconds(t *testing.T) {
	if !soaking() {
		t.Skip("make soak runs it")
	}
	t.Parallel()
	d := newMachine(t, "[[step]]\nuser = \"long\"\ndelay = \"104s\"\ntext = \"there it is\"\n")
	d.start()
	p := d.newPeer()
	w := <-p.ask(phone, "a long one")
	require.NotNil(t, w.Response, "%+v", w)
	require.Equal(t, "Still working. I'll send the result when it's done.", w.Response.Body)
	require.InDelta(t, 110_000, w.Millis, 10_000, "the peer gives up after 120 s")
	require.Equal(t, []notice{{phone, "there it is"}}, p.pollExactly(1))
}
