package desktop_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/internal/desktop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// skip skips a test that cannot run here. It fails where every test must run.
func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("cannot be skipped in CI: " + why)
	}
	t.Skip(why)
}

// privateBus starts a separate session bus. services are D-Bus service files by name.
func privateBus(t testing.TB, services map[string]string) (address string, daemon *os.Process) {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		skip(t, "dbus-daemon is not installed")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "services"), 0o700))
	for name, text := range services {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "services", name), []byte(text), 0o600))
	}
	config := `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:path=` + dir + `/bus</listen><servicedir>` + dir + `/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	cmd := exec.Command("dbus-daemon", "--config-file="+filepath.Join(dir, "config"), "--nofork", "--nopidfile", "--print-address")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address), cmd.Process
}

func connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Dial(address)
	require.NoError(t, err)
	require.NoError(t, conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))}))
	require.NoError(t, conn.Hello())
	t.Cleanup(func() { conn.Close() })
	return conn
}

// notifyCall is one call of Notify.
type notifyCall struct {
	id, replaces uint32
	app, icon    string
	title, body  string
	actions      []string
	hints        map[string]dbus.Variant
	expire       int32
	sender       dbus.Sender
}

// button returns the server's name of the button with a label.
func (n notifyCall) button(t *testing.T, label string) string {
	t.Helper()
	for i := 0; i+1 < len(n.actions); i += 2 {
		if n.actions[i+1] == label {
			return n.actions[i]
		}
	}
	t.Fatalf("no button %q in %q", label, n.actions)
	return ""
}

// server is a notification server that follows the specification.
type server struct {
	conn *dbus.Conn

	mu     sync.Mutex
	can    []string
	hang   chan struct{} // if not nil, Notify answers when it is closed
	calls  []notifyCall
	closed []uint32
	last   uint32
}

func serve(t testing.TB, address string, can ...string) *server {
	t.Helper()
	s := &server{conn: connect(t, address), can: can}
	s.own(t)
	return s
}

func (s *server) own(t testing.TB) {
	t.Helper()
	require.NoError(t, s.conn.ExportMethodTable(map[string]any{
		"GetCapabilities": func() ([]string, *dbus.Error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.can, nil
		},
		"GetServerInformation": func() (string, string, string, string, *dbus.Error) { return "fake", "test", "1\x1b", "1.3", nil },
		"CloseNotification":    s.close,
		"Notify":               s.notify,
	}, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"))
	reply, err := s.conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
}

func (s *server) notify(sender dbus.Sender, app string, replaces uint32, icon, title, body string, actions []string, hints map[string]dbus.Variant, expire int32) (uint32, *dbus.Error) {
	s.mu.Lock()
	hang := s.hang
	s.mu.Unlock()
	if hang != nil {
		<-hang
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := replaces
	if id == 0 {
		s.last++
		id = s.last
	}
	s.calls = append(s.calls, notifyCall{id: id, replaces: replaces, app: app, icon: icon, title: title, body: body, actions: actions, hints: hints, expire: expire, sender: sender})
	return id, nil
}

func (s *server) close(id uint32) *dbus.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = append(s.closed, id)
	_ = s.conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications.NotificationClosed", id, uint32(3))
	return nil
}

// change changes the server's behaviour.
func (s *server) change(how func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how()
}

func (s *server) latest(t *testing.T) notifyCall {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.calls)
	return s.calls[len(s.calls)-1]
}

// emit broadcasts a signal from conn.
func emit(t *testing.T, conn *dbus.Conn, what string, values ...any) {
	t.Helper()
	require.NoError(t, conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications."+what, values...))
}

// callbackLog receives the callbacks of a notifier, in words.
type callbackLog chan string

func (h callbackLog) options(address string) desktop.Options {
	return desktop.Options{
		Addresses: []string{address}, App: "Blunux AI", Icon: "dialog-question", Entry: "blunux-ai",
		Pressed: func(key, action string) { h <- "pressed " + key + " " + action },
		Closed:  func(key string, reason desktop.Reason) { h <- "closed " + key + " " + strconv.Itoa(int(reason)) },
	}
}

func (h callbackLog) says(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-h:
		require.Equal(t, want, got)
	case <-time.After(time.Minute):
		t.Fatalf("nothing is told, where %q was expected", want)
	}
}

func notifier(t *testing.T, address string) (*desktop.Notifier, callbackLog) {
	t.Helper()
	h := make(callbackLog, 100)
	n := desktop.New(h.options(address))
	t.Cleanup(n.Close)
	return n, h
}

// ask returns a notice with two buttons.
func ask(key string) desktop.Notice {
	return desktop.Notice{Key: key, Title: "May I?", Body: "touch x", Actions: []desktop.Action{{Key: "approve " + key, Label: "Allow"}, {Key: "deny", Label: "Deny"}}}
}
