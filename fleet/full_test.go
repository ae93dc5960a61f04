package fleet_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
)

// TestAServerWithoutRoomOnItsDiskSaysSo: the server's directory is a file system of a few megabytes, which questions fill.
// What was accepted is answered, and with room again the fleet goes on.
func TestAServerWithoutRoomOnItsDiskSaysSo(t *testing.T) {
	if !runInNamespace(t, "--mount", "mount --make-rprivate /") {
		return
	}
	if os.Getenv(inNamespace) == "" {
		t.Skip("no mount namespace here")
	}
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"))
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	s := &site{t: t, dir: dir, machines: map[fleet.Machine]*machine{}}
	s.start("127.0.0.1:0")
	t.Cleanup(func() {
		s.console.Close()
		s.server.Close()
	})
	m := s.join("pc-1", "")
	m.stopBridge() // its questions wait
	all := []fleet.Machine{m.name}
	text := "how much memory is free? " + strings.Repeat("?", fleet.MaxQuestion-100)
	var err error
	accepted := 0
	for err == nil && accepted < 2000 {
		r := fleet.Request{ID: fmt.Sprint("q", accepted), Text: text, Lang: "en", Sent: time.Now()}
		if err = s.console.Send(t.Context(), m.name, r); err == nil {
			accepted++
		}
	}
	require.ErrorIs(t, err, console.ErrFull)
	t.Logf("full after %d questions", accepted)

	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	var id string
	require.Eventually(t, func() bool {
		id, err = s.console.Ask(t.Context(), all, "how much memory is free?", "en")
		return err == nil
	}, patience, 100*time.Millisecond, "with room again")
	m.startBridge()
	s.collect(fmt.Sprint("q", accepted-1), all)
	require.Contains(t, s.collect(id, all)[m.name].Text, "free -h")
}
