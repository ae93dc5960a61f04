package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/internal/channel"
)

// loggedIn creates a channel's login file, and returns the channel's directory.
func loggedIn(t *testing.T, home, name string) string {
	t.Helper()
	c, ok := channel.ByName(name)
	require.True(t, ok)
	file := filepath.Join(state.Dir(home, name), c.Login)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	return state.Dir(home, name)
}

func TestNothingIsSetUpWhereNobodyLoggedIn(t *testing.T) {
	home := t.TempDir()
	require.Empty(t, state.Statuses(home))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "whatsapp/session"), 0o700)) // of the original bridge
	require.Empty(t, state.Statuses(home))
	_, ok := channel.ByName("signal")
	require.False(t, ok)
}

func TestABridgeIsFoundWhetherItRunsOrNot(t *testing.T) {
	home := t.TempDir()
	dir := loggedIn(t, home, "telegram")
	seen := state.Statuses(home)
	require.Len(t, seen, 1)
	require.Equal(t, state.Stopped, seen[0].Phase(), "it has never run")
	require.Equal(t, []string{"systemctl", "--user", "enable", "--now", "blunux-telegram-bridge.service"}, seen[0].Remedy())

	since := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	lock, err := state.Lock(dir)
	require.NoError(t, err)
	require.NoError(t, state.Write(dir, state.State{Channel: "telegram", Phase: state.Online, Since: since, Account: "@blu_bot", Unsent: 2}))
	seen = state.Statuses(home)
	require.True(t, seen[0].State.Running)
	require.Equal(t, state.Online, seen[0].Phase())
	require.Nil(t, seen[0].Remedy())
	require.False(t, seen[0].NeedsPerson())

	require.NoError(t, lock.Close()) // killed, so the file is outdated
	seen = state.Statuses(home)
	require.False(t, seen[0].State.Running)
	require.Equal(t, state.Stopped, seen[0].Phase())
	require.Equal(t, 2, seen[0].State.Unsent)
}

func TestEachPhaseThatWaitsForThePersonSaysWhatToDo(t *testing.T) {
	for phase, want := range map[state.Phase]struct{ whatsapp, telegram string }{
		state.NotLoggedIn: {"blunux-wa-bridge login", "blunux-telegram-bridge login"},
		state.LoggedOut:   {"blunux-wa-bridge login --again", "blunux-telegram-bridge login"},
		state.Banned:      {"blunux-wa-bridge login --again", "blunux-telegram-bridge login"},
		state.Replaced:    {"systemctl --user restart blunux-wa-bridge.service", "systemctl --user restart blunux-telegram-bridge.service"},
		state.Broken:      {"blunux-wa-bridge login", "blunux-telegram-bridge login"},
		state.Outdated:    {"", ""}, // needs a new package
		state.DiskFull:    {"systemctl --user enable --now blunux-wa-bridge.service", "systemctl --user enable --now blunux-telegram-bridge.service"},
	} {
		for channel, want := range map[string]string{"whatsapp": want.whatsapp, "telegram": want.telegram} {
			home := t.TempDir()
			dir := loggedIn(t, home, channel)
			require.NoError(t, state.Write(dir, state.State{Phase: phase}))
			seen := state.Statuses(home)
			require.Equal(t, phase, seen[0].Phase())
			require.True(t, seen[0].NeedsPerson())
			require.Equal(t, want, strings.Join(seen[0].Remedy(), " "), "%s %s", channel, phase)
		}
	}
}

func TestABridgeThatRunsGoesOnByItselfWhenThereIsRoom(t *testing.T) {
	home := t.TempDir()
	dir := loggedIn(t, home, "whatsapp")
	lock, err := state.Lock(dir)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, state.Write(dir, state.State{Phase: state.DiskFull}))
	require.True(t, state.Statuses(home)[0].NeedsPerson())
	require.Nil(t, state.Statuses(home)[0].Remedy())
}

func TestAStateThatCannotBeReadIsTold(t *testing.T) {
	home := t.TempDir()
	dir := loggedIn(t, home, "whatsapp")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.json"), []byte("{"), 0o600))
	seen := state.Statuses(home)
	require.Len(t, seen, 1)
	require.Error(t, seen[0].Err)
	require.Empty(t, seen[0].Phase())
	require.Nil(t, seen[0].Remedy())
	require.False(t, seen[0].NeedsPerson())
}

func TestALoginThatIsALinkIsNone(t *testing.T) {
	home := t.TempDir()
	dir := loggedIn(t, home, "telegram")
	require.NoError(t, os.Remove(filepath.Join(dir, "token")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "token")))
	require.Empty(t, state.Statuses(home))
}
