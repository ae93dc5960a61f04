package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/ipc"
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

// TestALongAnswerIsCut: ten megabytes of a daemon arrive shortened. The server refuses them of a machine that does not
// cut its answer.
func TestALongAnswerIsCut(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	m.stopBridge()
	m.link = &echo{events: make(chan ipc.LinkEvent, 64), body: strings.Repeat("가", 10<<20/3)}
	m.startBridge()
	text := s.ask("what is in the log?")[m.name].Text
	require.LessOrEqual(t, len(text), fleet.MaxText+len("\n…"))
	require.True(t, utf8.ValidString(text))
	require.True(t, strings.HasSuffix(text, "가\n…"))

	m.stopBridge()
	id, err := fleet.OpenIdentity(filepath.Join(m.dir, "machine.nk"))
	require.NoError(t, err)
	conn, err := nats.Connect("tls://"+s.server.Address(), id.Option(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect())
	require.NoError(t, err)
	defer conn.Close()
	require.ErrorIs(t, conn.Publish(m.name.Subject(fleet.Answered), make([]byte, 10<<20)), nats.ErrMaxPayload)
	m.link = nil
	m.startBridge()
	require.Contains(t, s.ask("how much memory is free?")[m.name].Text, "free -h")
}
