package ipc

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// place returns a locator with private directories.
func place(t *testing.T, env map[string]string) Locator {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "run"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "tmp"), 0o755))
	return Locator{
		Getenv: func(k string) string { return env[k] }, UID: os.Getuid(),
		RunDir: filepath.Join(dir, "run"), TempDir: filepath.Join(dir, "tmp"),
	}
}

func TestTheSocketIsLookedForInOrder(t *testing.T) {
	env := map[string]string{}
	l := place(t, env)
	uid := strconv.Itoa(l.UID)

	path, err := l.Path()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(l.TempDir, "blunux-ai-"+uid, SocketName), path)

	run := filepath.Join(l.RunDir, uid)
	require.NoError(t, os.Mkdir(run, 0o700))
	path, err = l.Path()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(run, SocketName), path)

	env["XDG_RUNTIME_DIR"] = filepath.Join(t.TempDir(), "xdg")
	path, err = l.Path()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(run, SocketName), path, "a runtime directory that is not there is passed over")

	require.NoError(t, os.Mkdir(env["XDG_RUNTIME_DIR"], 0o700))
	path, err = l.Path()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(env["XDG_RUNTIME_DIR"], SocketName), path)

	env["BLUNUX_AI_SOCK"] = "/elsewhere/x.sock"
	path, err = l.Path()
	require.NoError(t, err)
	require.Equal(t, "/elsewhere/x.sock", path)

	env["BLUNUX_AI_SOCK"] = "relative.sock"
	_, err = l.Path()
	require.ErrorContains(t, err, "not an absolute path")
}

func TestThreat14ADirectoryThatIsNotOursAloneIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"open to other users": func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chmod(dir, 0o755))
		},
		"symbolic link": func(t *testing.T, dir string) { require.NoError(t, os.Symlink(t.TempDir(), dir)) },
		"not a directory": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		},
		"belongs to uid": func(t *testing.T, dir string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chown(dir, 4243, 4243))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := place(t, nil)
			spoil(t, filepath.Join(l.TempDir, "blunux-ai-"+strconv.Itoa(l.UID)))
			_, err := l.Path()
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, "BLUNUX_AI_SOCK", "the error says what helps")
		})
	}
}

func listenAt(t *testing.T, l Locator) (string, *Listener) {
	t.Helper()
	path, err := l.Path()
	require.NoError(t, err)
	listener, err := l.Listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return path, listener
}

func TestThreat13TheSocketIsClosedToOthers(t *testing.T) {
	path, _ := listenAt(t, place(t, nil))
	fi, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), fi.Mode().Perm())
	fi, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), fi.Mode().Perm())
}

func TestALiveSocketIsNeverTakenOver(t *testing.T) {
	l := place(t, nil)
	path, _ := listenAt(t, l)
	_, err := l.Listen(path)
	require.ErrorIs(t, err, ErrInUse)

	// Also if the other daemon has no lock.
	require.NoError(t, os.Remove(path+".lock"))
	_, err = l.Listen(path)
	require.ErrorIs(t, err, ErrInUse)
}

func TestASocketThatAKilledDaemonsChildStillHasIsWaitedFor(t *testing.T) {
	l := place(t, nil)
	path, dying := listenAt(t, l)
	dying.SetUnlinkOnClose(false)
	time.AfterFunc(lockGrace/5, func() { dying.Close() })
	_, err := l.Listen(path)
	require.NoError(t, err)
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	l := place(t, nil)
	path, err := l.Path()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())

	listener, err := l.Listen(path)
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	_, err = os.Lstat(path)
	require.ErrorIs(t, err, fs.ErrNotExist, "closing removes the file")
}

func TestThreat14NotOurSocketIsLeft(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, path string){
		"symbolic link": func(t *testing.T, path string) { require.NoError(t, os.Symlink("/nowhere", path)) },
		"not a socket":  func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600)) },
		"belongs to uid 4243": func(t *testing.T, path string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a socket away")
			}
			s, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			require.NoError(t, err)
			t.Cleanup(func() { s.Close() })
			require.NoError(t, os.Chown(path, 4243, 4243))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := place(t, nil)
			path, err := l.Path()
			require.NoError(t, err)
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			plant(t, path)
			before, err := os.Lstat(path)
			require.NoError(t, err)

			_, err = l.Listen(path)
			require.ErrorContains(t, err, name)
			_, err = Dialer{Locator: l}.Dial(t.Context())
			require.ErrorIs(t, err, ErrUnreachable)
			require.ErrorContains(t, err, name)

			after, err := os.Lstat(path)
			require.NoError(t, err)
			require.True(t, os.SameFile(before, after))
		})
	}
}

func TestThePeerIsWhoTheKernelSays(t *testing.T) {
	l := place(t, nil)
	_, listener := listenAt(t, l)
	client, err := Dialer{Locator: l, NoStart: true}.Dial(t.Context())
	require.NoError(t, err)
	defer client.Close()
	served, err := listener.AcceptUnix()
	require.NoError(t, err)
	defer served.Close()
	peer, err := PeerOf(served)
	require.NoError(t, err)
	require.Equal(t, Peer{UID: os.Getuid(), PID: os.Getpid()}, peer)
}

func TestDialSaysWhatItTried(t *testing.T) {
	l := place(t, nil)
	_, err := Dialer{Locator: l, Daemon: "/bin/false"}.Dial(t.Context())
	require.ErrorIs(t, err, ErrUnreachable)
	require.ErrorContains(t, err, "connect: no socket there")
	require.ErrorContains(t, err, "/bin/false daemon: exit status 1")

	_, err = Dialer{Locator: l, Daemon: "/bin/sleep", StartTimeout: 2 * time.Second}.Dial(t.Context())
	require.ErrorIs(t, err, ErrUnreachable)
	require.ErrorContains(t, err, "output:", "the daemon's last words are passed on")
}

func TestARequestEndsWithItsLastFrameOrTellsItIsLost(t *testing.T) {
	here, there := net.Pipe()
	c := &Client{Conn: NewConn(here)}
	defer c.Close()
	daemon := NewConn(there)
	go func() {
		m, _ := daemon.Read()
		_ = daemon.Write(Message{Type: TypeDelta, Re: m.ID, Body: "a"})
		_ = daemon.Write(Message{Type: TypeResponse, Re: "other", Done: true})
		_ = daemon.Write(Message{Type: TypeResponse, Re: m.ID, Done: true, Body: "ab"})
		_, _ = daemon.Read()
		there.Close()
	}()
	var seen []string
	last, err := c.Do(t.Context(), Message{Type: TypeMessage}, func(m Message) error { seen = append(seen, m.Type); return nil })
	require.NoError(t, err)
	require.Equal(t, "ab", last.Body)
	require.Equal(t, []string{TypeDelta, TypeResponse}, seen)

	_, err = c.Do(t.Context(), Message{Type: TypeMessage}, nil)
	require.ErrorIs(t, err, ErrLost)
}

func TestCancellingAMessageTellsTheDaemon(t *testing.T) {
	here, there := net.Pipe()
	c := &Client{Conn: NewConn(here)}
	defer c.Close()
	daemon := NewConn(there)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan Message, 1)
	go func() {
		m, _ := daemon.Read()
		cancel()
		k, _ := daemon.Read()
		got <- k
		_ = daemon.Write(Message{Type: TypeError, Re: m.ID, Done: true, Error: &Error{Code: CodeCancelled}})
	}()
	last, err := c.Do(ctx, Message{Type: TypeMessage, ID: "m1"}, nil)
	require.NoError(t, err)
	require.Equal(t, CodeCancelled, last.Error.Code)
	require.Equal(t, Message{Type: TypeCancel, Re: "m1"}, <-got)
}

func TestOnlyItsOwnLastFrameEndsARequest(t *testing.T) {
	here, there := net.Pipe()
	c := &Client{Conn: NewConn(here)}
	defer c.Close()
	daemon := NewConn(there)
	go func() {
		m, _ := daemon.Read()
		_ = daemon.Write(Message{Type: TypeError, Done: true, Error: &Error{Code: CodeExpired}})
		_ = daemon.Write(Message{Type: TypeError, Re: "k1", Done: true, Error: &Error{Code: CodeDenied}})
		_ = daemon.Write(Message{Type: TypeResult, Re: "k2", Done: true})
		_ = daemon.Write(Message{Type: TypeResponse, Re: m.ID, Done: true, Body: "answer"})
		_, _ = daemon.Read()
		_ = daemon.Write(Message{Type: TypeError, Done: true, Error: &Error{Code: CodeTooLarge}})
		there.Close()
	}()
	var seen []string
	last, err := c.Do(t.Context(), Message{Type: TypeMessage}, func(m Message) error { seen = append(seen, m.Re); return nil })
	require.NoError(t, err)
	require.Equal(t, "answer", last.Body)
	require.Equal(t, []string{"", "k1", "k2"}, seen)

	_, err = c.Do(t.Context(), Message{Type: TypeMessage}, nil)
	require.ErrorIs(t, err, ErrLost)
	var stray *Error
	require.ErrorAs(t, err, &stray)
	require.Equal(t, CodeTooLarge, stray.Code)
}
