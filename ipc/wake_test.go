package ipc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABellWakesWhoListensAndNeverWaits(t *testing.T) {
	l := place(t, map[string]string{})
	socket := filepath.Join(t.TempDir(), SocketName)
	WakeBridge(socket, "telegram") // without a listener
	b, err := l.ListenWake(socket, "telegram")
	require.NoError(t, err)
	for range 1000 { // more than the receiver has read
		WakeBridge(socket, "telegram")
	}
	<-b.Woken()
	fi, err := os.Stat(WakeSocketPath(socket, "telegram"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
	next, err := l.ListenWake(socket, "telegram") // an earlier bridge's socket is replaced
	require.NoError(t, err)
	require.NoError(t, b.Close())
	for range b.Woken() {
	}
	WakeBridge(socket, "telegram")
	<-next.Woken()
	require.NoError(t, next.Close())
	require.NoError(t, os.Remove(WakeSocketPath(socket, "telegram")))
	require.NoError(t, os.Symlink("/dev/null", WakeSocketPath(socket, "telegram")))
	_, err = l.ListenWake(socket, "telegram")
	require.ErrorContains(t, err, "symbolic link")
}

func TestABridgeIsReachedOverItsOwnSocketAlone(t *testing.T) {
	socket := filepath.Join(t.TempDir(), SocketName)
	l := place(t, map[string]string{"BLUNUX_AI_SOCK": socket})
	listener, err := l.ListenBridge(socket, "whatsapp")
	require.NoError(t, err)
	defer listener.Close()
	for _, dir := range []string{filepath.Dir(BridgeSocket(socket, "whatsapp")), filepath.Dir(filepath.Dir(BridgeSocket(socket, "whatsapp")))} {
		require.NoError(t, CheckDir(dir, l.UID))
	}
	c, err := Dialer{Locator: l, NoStart: true, Channel: "whatsapp"}.Dial(context.Background())
	require.NoError(t, err)
	c.Close()
	for _, channel := range []string{"", "telegram"} {
		_, err = Dialer{Locator: l, NoStart: true, Channel: channel}.Dial(context.Background())
		require.ErrorIs(t, err, ErrUnreachable)
	}
	channel, ok := BridgeOf(listener.Addr().String())
	require.True(t, ok)
	require.Equal(t, "whatsapp", channel)
	for _, other := range []string{socket, WakeSocketPath(socket, "whatsapp"), BridgeSocket(socket, "cli"), "/x/whatsapp/socket", ""} {
		_, ok := BridgeOf(other)
		require.False(t, ok, other)
	}
	_, err = l.ListenBridge("/tmp/"+strings.Repeat("x", 100)+".sock", "whatsapp")
	require.ErrorContains(t, err, "the limit is 107")
	require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(BridgeSocket(socket, "whatsapp"))), 0o755))
	_, err = l.ListenBridge(socket, "telegram")
	require.ErrorContains(t, err, "open to other users")
}
