package ipc

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A connection that exceeds the budget fails. What it used is available to others after it is closed.
func TestThreat25UnfinishedLinesShareABudget(t *testing.T) {
	b := NewBudget(256 << 10)
	connect := func() (io.WriteCloser, *Conn) {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close(); there.Close() })
		return here, NewBoundedConn(there, b)
	}
	half := `{"type":"message","body":"` + strings.Repeat("x", 200<<10)
	slow, first := connect()
	got := make(chan Message)
	go func() {
		m, err := first.Read()
		require.NoError(t, err)
		got <- m
	}()
	_, err := io.WriteString(slow, half) // returns when all of it was read
	require.NoError(t, err)

	greedy, second := connect()
	go func() { _, _ = io.WriteString(greedy, half) }()
	_, err = second.Read()
	require.ErrorIs(t, err, ErrOverBudget)

	modest, third := connect()
	go func() { _, _ = io.WriteString(modest, `{"type":"action","body":"`+strings.Repeat("y", 2<<10)+"\"}\n") }()
	m, err := third.Read()
	require.NoError(t, err, "a short line needs none of it")
	require.Equal(t, TypeAction, m.Type)

	go func() { _, _ = io.WriteString(slow, "\"}\n") }()
	require.Len(t, (<-got).Body, 200<<10)
	large, fourth := connect()
	go func() { _, _ = io.WriteString(large, half+"\"}\n") }()
	m, err = fourth.Read()
	require.NoError(t, err, "what was held is given back")
	require.Len(t, m.Body, 200<<10)
	require.Equal(t, int64(256<<10), b.left.Load())
}
