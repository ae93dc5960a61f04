package commandlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatATaskRanIsKnownAfterwards(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	require.Zero(t, l.Position())
	ran, err := l.RunsSince("t1", 0)
	require.NoError(t, err)
	require.Empty(t, ran)

	begin := func(task, command string, class Class) Ref {
		ref, err := l.Begin(Entry{Class: class, Command: command, Task: task})
		require.NoError(t, err)
		return ref
	}
	begin("t1", "earlier", Safe)
	from := l.Position()
	first := begin("t1", "touch x\ny", Confirmed)
	begin("t2", "touch other", Confirmed)
	begin("t1", "rm -rf /", Blocked)
	require.NoError(t, l.End(first, Result{Exit: 3, Took: time.Second}))
	begin("t1", "sleep 9", Confirmed)

	ran, err = l.RunsSince("t1", from)
	require.NoError(t, err)
	require.Len(t, ran, 2)
	require.Equal(t, RecordedRun{Ref: first, Task: "t1", Class: Confirmed, Command: "touch x\ny", Ended: true, Exit: 3}, ran[0])
	require.Equal(t, "sleep 9", ran[1].Command)
	require.False(t, ran[1].Ended)
	ran, err = l.RunsSince("t1", l.Position()+100)
	require.NoError(t, err)
	require.Len(t, ran, 3, "a position behind the end is of another file")
}
