package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/ipc"
)

// smallDisk mounts a file system of half a mebibyte for the program's files.
func smallDisk(t *testing.T, home string) (mount string) {
	t.Helper()
	mount = filepath.Join(home, ".config/blunux-ai")
	require.NoError(t, os.MkdirAll(mount, 0o700))
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=512k,mode=0700"); err != nil {
		skip(t, "cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(mount, unix.MNT_DETACH)) })
	return mount
}

// startClient starts a daemon. kill, or the end of the test, kills it.
func (d *crashMachine) startClient() (c *ipc.Conn, kill func()) {
	d.t.Helper()
	cmd := d.start("")
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	kill = func() { d.kill(cmd, dead) }
	d.t.Cleanup(func() { _ = cmd.Process.Kill(); <-dead })
	c = d.dial(dead, 2*time.Minute)
	require.NotNil(d.t, c, "%s", d.read("daemon.log"))
	require.NoError(d.t, c.Write(ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Channel: "cli", Lang: "en", Caps: []string{ipc.CapAsk}})))
	_, err := c.Read()
	require.NoError(d.t, err)
	return c, kill
}

// say asks a new question, approves its command, and returns the word and the last frame.
func (d *crashMachine) say(c *ipc.Conn, verb string) (word string, last ipc.Message) {
	d.t.Helper()
	word = d.word()
	require.NoError(d.t, c.Write(ipc.Message{Type: ipc.TypeMessage, ID: word, Session: "desk", Body: verb + " " + word}))
	for {
		m, err := c.Read()
		require.NoError(d.t, err)
		if m.Type == ipc.TypeAsk {
			require.NoError(d.t, c.Write(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowOnce}))
		}
		if m.Re == word && m.Done {
			if m.Type == ipc.TypeResponse {
				d.ack(word)
			}
			return word, m
		}
	}
}

// TestWhereNothingCanBeKeptNothingIsAcknowledgedAndNothingRuns: the disk is full or becomes read-only, and
// later recovers. The daemon is also killed in between.
func TestWhereNothingCanBeKeptNothingIsAcknowledgedAndNothingRuns(t *testing.T) {
	t.Parallel()
	fill := filepath.Join("fill")
	for name, trouble := range map[string]struct {
		begin, end func(t *testing.T, mount string)
	}{
		"a full disk": {
			func(t *testing.T, mount string) {
				f, err := os.Create(filepath.Join(mount, fill))
				require.NoError(t, err)
				defer f.Close()
				for err == nil {
					_, err = f.Write(make([]byte, 4096))
				}
				require.ErrorIs(t, err, unix.ENOSPC)
			},
			func(t *testing.T, mount string) { require.NoError(t, os.Remove(filepath.Join(mount, fill))) },
		},
		"a disk that can only be read": {
			func(t *testing.T, mount string) {
				require.NoError(t, unix.Mount("", mount, "", unix.MS_REMOUNT|unix.MS_RDONLY, "size=512k"))
			},
			func(t *testing.T, mount string) {
				require.NoError(t, unix.Mount("", mount, "", unix.MS_REMOUNT, "size=512k"))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := tempHome(t)
			mount := smallDisk(t, home)
			d := newCrashMachine(t, home)
			c, kill := d.startClient()
			_, m := d.say(c, "say")
			require.Equal(t, ipc.TypeResponse, m.Type)
			_, m = d.say(c, "run")
			require.Equal(t, ipc.TypeResponse, m.Type)

			kill() // a file system with open files cannot become read-only
			trouble.begin(t, mount)
			for range 2 {
				c, kill = d.startClient() // it starts anyway
				// The last page of a file still has some room.
				require.Eventually(t, func() bool { _, m := d.say(c, "say"); return m.Error != nil }, time.Minute, time.Microsecond)
				tokens := d.read("tokens")
				for _, verb := range []string{"say", "run"} {
					_, m := d.say(c, verb)
					require.Equal(t, ipc.TypeError, m.Type, "%v", m.Body)
					require.Contains(t, m.Error.Hint, "df -h", "it says what helps")
				}
				require.Equal(t, tokens, d.read("tokens"))
				kill()
			}

			trouble.end(t, mount)
			c, kill = d.startClient()
			_, m = d.say(c, "say")
			require.Equal(t, ipc.TypeResponse, m.Type, "%v", m.Error)
			word, m := d.say(c, "run")
			require.Equal(t, ipc.TypeResponse, m.Type)
			require.Contains(t, d.read("tokens"), word)
			kill()
			d.finish()
			d.check()
		})
	}
}
