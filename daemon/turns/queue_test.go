package turns

import (
	"testing"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/stretchr/testify/require"
)

func TestAQueueKeepsOrderAndQueuesRunSideBySide(t *testing.T) {
	qs := newQueues()
	add := func(key string, job func()) func() {
		remove, err := qs.add(key, job)
		require.NoError(t, err)
		return remove
	}
	gate, other := make(chan struct{}), make(chan struct{})
	var order []int
	add("a", func() { <-gate; order = append(order, 0) })
	var removes []func()
	for i := 1; i <= maxWaiting; i++ {
		removes = append(removes, add("a", func() { order = append(order, i) }))
	}
	_, err := qs.add("a", func() { t.Error("the 101st ran") })
	require.ErrorIs(t, err, settings.ErrBusy)
	add("b", func() { close(other) })
	<-other // b does not wait for a
	_, waiting := qs.size()
	require.Equal(t, maxWaiting, waiting)
	removes[6]() // a slot is free again
	add("a", func() { order = append(order, maxWaiting+1) })
	close(gate)
	qs.wait()
	require.Len(t, order, maxWaiting+1)
	require.NotContains(t, order, 7)
	require.IsIncreasing(t, order)
	add("a", func() {}) // an emptied queue accepts jobs again
	qs.wait()
}
