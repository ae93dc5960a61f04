package wire

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// Bridges are listed whether they run or not, and a server's text cannot send escape sequences to a terminal.
func TestBridgesAreToldOutOfTheirFiles(t *testing.T) {
	home := t.TempDir()
	require.Equal(t, []ipc.BridgeStatus{}, remote.BridgesOf(home))
	for _, name := range []string{"whatsapp", "telegram"} {
		c, _ := channel.ByName(name)
		file := filepath.Join(state.Dir(home, name), c.Login)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	since := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	lock, err := state.Lock(state.Dir(home, "telegram"))
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, state.Write(state.Dir(home, "telegram"), state.State{Phase: state.Online, Since: since, Account: "@blu\x1b[2J", PID: 7, Undelivered: 3}))
	require.NoError(t, state.Write(state.Dir(home, "whatsapp"), state.State{Phase: state.Banned, Since: since, Detail: "403", PID: 8}))
	all := remote.BridgesOf(home)
	require.Equal(t, ipc.BridgeStatus{
		Channel: "whatsapp", Unit: "blunux-wa-bridge.service", Phase: "banned", Since: since, Detail: "403", NeedsPerson: true, Remedy: "blunux-wa-bridge login --again",
	}, all[0])
	require.NotContains(t, all[1].Account, "\x1b")
	require.True(t, all[1].Running)
	require.Equal(t, "online", all[1].Phase)
	require.Equal(t, 7, all[1].PID)

	require.NoError(t, os.WriteFile(filepath.Join(home, "whatsapp", "state.json"), []byte("{"), 0o600))
	require.NotEmpty(t, remote.BridgesOf(home)[0].Problem)
}
