package icon_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/icon"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startBus starts a real session bus and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("cannot be skipped in CI: dbus-daemon is not installed")
		}
		t.Skip("dbus-daemon is not installed")
	}
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address", "--address=unix:dir="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// panel is a StatusNotifierWatcher.
type panel struct {
	t          *testing.T
	conn       *dbus.Conn
	registered chan string
	signals    chan *dbus.Signal
}

func startPanel(t *testing.T, address string) *panel {
	t.Helper()
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	p := &panel{t, conn, make(chan string, 8), make(chan *dbus.Signal, 64)}
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"RegisterStatusNotifierItem": func(name string) *dbus.Error { p.registered <- name; return nil },
	}, "/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher"))
	require.NoError(t, conn.AddMatchSignal(dbus.WithMatchInterface("org.kde.StatusNotifierItem")))
	conn.Signal(p.signals)
	p.own()
	return p
}

func (p *panel) own() {
	reply, err := p.conn.RequestName("org.kde.StatusNotifierWatcher", dbus.NameFlagDoNotQueue)
	require.NoError(p.t, err)
	require.Equal(p.t, dbus.RequestNameReplyPrimaryOwner, reply)
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func (p *panel) item() dbus.BusObject { return p.conn.Object(icon.Name, "/StatusNotifierItem") }

// values returns the properties of the icon.
func (p *panel) values() map[string]dbus.Variant {
	p.t.Helper()
	call := p.item().Call("org.freedesktop.DBus.Properties.GetAll", 0, "org.kde.StatusNotifierItem")
	require.NoError(p.t, call.Err)
	return call.Body[0].(map[string]dbus.Variant) // as it was sent, with the signatures
}

// awaitTitle waits until the icon reports a title.
func (p *panel) awaitTitle(want string) {
	p.t.Helper()
	for p.values()["Title"].Value() != want {
		receive(p.t, p.signals)
	}
}

// put writes an approval as the daemon does.
func put(t *testing.T, dir string, ask ipc.Ask) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"v": 1, "id": "a1", "ask": ask})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".new"), data, 0o600))
	require.NoError(t, os.Rename(filepath.Join(dir, ".new"), filepath.Join(dir, ask.Code+".json")))
}

// started is a running icon.
type started struct {
	opened chan struct{}
	ended  chan error
}

func start(t *testing.T, address, dir string) started {
	s := started{make(chan struct{}, 8), make(chan error, 1)}
	go func() {
		s.ended <- icon.Run(t.Context(), icon.Options{
			Lang: i18n.Korean, Address: address, Dir: dir, Warn: func(err error) { t.Log(err) },
			Open: func() error { s.opened <- struct{}{}; return nil },
		})
	}()
	return s
}

func TestTheIconIsThereWhileApprovalsWait(t *testing.T) {
	address, dir := startBus(t), t.TempDir()
	p := startPanel(t, address)
	later := time.Now().Add(time.Hour)
	put(t, dir, ipc.Ask{Code: "K7QX", Command: "echo '<b>&\x1b[2J\n" + strings.Repeat("가", 99), Expires: later})
	put(t, dir, ipc.Ask{Code: "OLD1", Command: "touch old", Expires: time.Now().Add(-time.Hour)})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "BAD1.json"), []byte("{"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "LINK.json")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answers.jsonl"), nil, 0o600))
	s := start(t, address, dir)
	require.Equal(t, icon.Name, receive(t, p.registered))
	all := p.values()
	require.Equal(t, "승인을 기다리는 명령이 1개 있어요", all["Title"].Value())
	require.Equal(t, "NeedsAttention", all["Status"].Value())
	require.Equal(t, "org.blunux.ai", all["IconName"].Value())
	require.Equal(t, "(sa(iiay)ss)", all["ToolTip"].Signature().String())
	tip := all["ToolTip"].Value().([]any)[3].(string)
	require.True(t, strings.HasPrefix(tip, `K7QX  echo '&lt;b&gt;&amp;⟨`), tip)
	require.NotContains(t, tip, "\x1b")
	require.Less(t, len([]rune(tip)), 100)

	put(t, dir, ipc.Ask{Code: "P2MN", Command: "touch x", Expires: later})
	p.awaitTitle("승인을 기다리는 명령이 2개 있어요")

	require.NoError(t, p.item().Call("org.kde.StatusNotifierItem.Activate", 0, int32(1), int32(1)).Err)
	receive(t, s.opened)
	for range 5 { // any program can call it
		require.NoError(t, p.item().Call("org.kde.StatusNotifierItem.ContextMenu", 0, int32(1), int32(1)).Err)
	}
	require.Empty(t, s.opened, "one window at a time")

	_, err := p.conn.ReleaseName("org.kde.StatusNotifierWatcher")
	require.NoError(t, err)
	p.own() // the panel was started again
	require.Equal(t, icon.Name, receive(t, p.registered))

	require.NoError(t, receive(t, start(t, address, dir).ended), "one icon is enough")
	require.NoError(t, os.Remove(filepath.Join(dir, "K7QX.json")))
	p.awaitTitle("승인을 기다리는 명령이 1개 있어요")
	require.NoError(t, os.Remove(filepath.Join(dir, "P2MN.json")))
	require.NoError(t, receive(t, s.ended))
}

// TestThreat40TheIconOffersNothingButToOpen: any program on the bus can call it.
func TestThreat40TheIconOffersNothingButToOpen(t *testing.T) {
	address, dir := startBus(t), t.TempDir()
	p := startPanel(t, address)
	put(t, dir, ipc.Ask{Code: "K7QX", Command: "touch x", Expires: time.Now().Add(time.Hour)})
	start(t, address, dir)
	receive(t, p.registered)
	for _, method := range []string{"Approve", "Answer", "AllowOnce", "Deny", "Run", "Quit"} {
		var said dbus.Error
		require.ErrorAs(t, p.item().Call("org.kde.StatusNotifierItem."+method, 0, "K7QX").Err, &said)
		require.Equal(t, "org.freedesktop.DBus.Error.UnknownMethod", said.Name)
	}
	set := p.item().Call("org.freedesktop.DBus.Properties.Set", 0, "org.kde.StatusNotifierItem", "Status", dbus.MakeVariant("Passive"))
	require.ErrorContains(t, set.Err, "Status")
	require.FileExists(t, filepath.Join(dir, "K7QX.json"))
}

func TestTheIconEndsByItself(t *testing.T) {
	address, dir := startBus(t), t.TempDir()
	p := startPanel(t, address)
	require.NoError(t, receive(t, start(t, address, dir).ended), "nothing waits")
	put(t, dir, ipc.Ask{Code: "K7QX", Command: "touch x", Expires: time.Now().Add(time.Second)})
	s := start(t, address, dir)
	receive(t, p.registered)
	require.NoError(t, receive(t, s.ended), "it expired, and the daemon may not be there to say so")

	put(t, dir, ipc.Ask{Code: "P2MN", Command: "touch x", Expires: time.Now().Add(time.Hour)})
	_, err := p.conn.ReleaseName("org.kde.StatusNotifierWatcher")
	require.NoError(t, err)
	require.Error(t, receive(t, start(t, address, dir).ended), "there is no panel")
}
