package commandlog

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestD4TheJournalHasACommandBeforeItRuns(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	require.NoError(t, err)
	defer c.Close()
	j := Journald{Socket: socket}
	require.NoError(t, j.Ready())
	require.NoError(t, j.Begin(Entry{Class: Safe, Command: "printf 'a\nMESSAGE=forged\n'", Task: "t1"}))
	buf := make([]byte, 4096)
	n, err := c.Read(buf)
	require.NoError(t, err)
	require.Contains(t, string(buf[:n]), "MESSAGE=command SAFE printf 'a\\nMESSAGE=forged\\n'\n")
	require.Contains(t, string(buf[:n]), "BLUNUX_AI_TASK=t1\n")
	require.Contains(t, string(buf[:n]), "BLUNUX_AI_COMMAND\n\x1a\x00\x00\x00\x00\x00\x00\x00printf")
	require.Error(t, Journald{Socket: socket + "x"}.Ready())
	require.Error(t, Journald{Socket: socket + "x"}.Begin(Entry{Class: Safe, Command: "df -h"}))
}
