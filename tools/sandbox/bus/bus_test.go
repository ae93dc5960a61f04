package bus

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session starts a real message bus and returns its socket and a read-only one in front of it.
func session(t *testing.T) (real, reading string) {
	t.Helper()
	dir := t.TempDir()
	real = startBus(t, "--session", "--address=unix:path="+filepath.Join(dir, "bus"))
	b := New(Options{Dir: filepath.Join(dir, "ours"), RuntimeDir: dir, SessionAddress: "unix:path=" + real, SystemAddress: "unix:path=" + filepath.Join(dir, "none")})
	t.Cleanup(b.Close)
	sockets, err := b.Sockets()
	require.NoError(t, err)
	require.Contains(t, sockets, real)
	return real, sockets[real]
}

// startBus starts a real message bus and returns its socket.
func startBus(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("dbus-daemon is not installed")
	}
	daemon := exec.Command("dbus-daemon", append(args, "--nofork", "--nopidfile", "--print-address")...)
	out, err := daemon.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, daemon.Start())
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n') // a printed address means that it listens
	require.NoError(t, err)
	return unixSocket(line, "")
}

func connect(t *testing.T, path string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect("unix:path=" + path)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// thing is a service that can be read and changed.
type thing struct{ changed chan string }

func (s thing) StartTransientUnit(what string) *dbus.Error { s.changed <- what; return nil }
func (s thing) ListUnits() (string, *dbus.Error)           { return "one unit", nil }

func offer(t *testing.T, path string) thing {
	t.Helper()
	conn, s := connect(t, path), thing{changed: make(chan string, 1)}
	require.NoError(t, conn.Export(s, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"))
	reply, err := conn.RequestName("org.freedesktop.systemd1", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
	return s
}

func TestReadingCallsAreAnswered(t *testing.T) {
	real, reading := session(t)
	offer(t, real)
	var units string
	manager := connect(t, reading).Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1")
	require.NoError(t, manager.Call("org.freedesktop.systemd1.Manager.ListUnits", 0).Store(&units))
	require.Equal(t, "one unit", units)
}

func TestChangingCallsAreRefusedAndNeverArrive(t *testing.T) {
	real, reading := session(t)
	service := offer(t, real)
	conn := connect(t, reading)
	manager := conn.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1")
	err := manager.Call("org.freedesktop.systemd1.Manager.StartTransientUnit", 0, "escape").Err
	require.ErrorContains(t, err, "only reading is allowed")
	// It also fails without waiting for an answer and without an interface.
	require.NoError(t, manager.Call("org.freedesktop.systemd1.Manager.StartTransientUnit", dbus.FlagNoReplyExpected, "escape").Err)
	require.Error(t, manager.Call("StartTransientUnit", 0, "escape").Err)
	var units string
	require.NoError(t, manager.Call("org.freedesktop.systemd1.Manager.ListUnits", 0).Store(&units), "what came before has been dealt with")
	require.Empty(t, service.changed)
}

func TestAConfinedProgramOwnsNoNameAndStartsNoService(t *testing.T) {
	_, reading := session(t)
	conn := connect(t, reading)
	_, err := conn.RequestName("org.example.Mine", dbus.NameFlagDoNotQueue)
	require.Error(t, err)
	for _, call := range []string{"StartServiceByName", "UpdateActivationEnvironment", "ReloadConfig"} {
		require.ErrorContains(t, conn.BusObject().Call("org.freedesktop.DBus."+call, 0, "x", uint32(0)).Err, "only reading", call)
	}
	require.ErrorContains(t, conn.BusObject().Call("org.freedesktop.DBus.Monitoring.BecomeMonitor", 0, []string{}, uint32(0)).Err, "only reading")
}

// activatable installs services that the bus starts by name. Each creates a file when it starts.
func activatable(t *testing.T, names ...string) (config, started string) {
	t.Helper()
	dir := t.TempDir()
	started = filepath.Join(dir, "started")
	require.NoError(t, os.Mkdir(started, 0o700))
	for _, name := range names {
		file := "[D-BUS Service]\nName=" + name + "\nExec=/bin/sh -c \"touch " + filepath.Join(started, name) + "; exit 1\"\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".service"), []byte(file), 0o600))
	}
	config = filepath.Join(dir, "bus.conf")
	text := `<busconfig><type>session</type><listen>unix:path=` + filepath.Join(dir, "real") + `</listen><servicedir>` + dir + `</servicedir>` +
		`<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	return config, started
}

func TestS12ACallStartsNoServiceButTheSystemsOwn(t *testing.T) {
	const mine, host = "org.example.Mine", "org.freedesktop.hostname1"
	config, started := activatable(t, mine, host)
	real := startBus(t, "--config-file="+config)
	dir := t.TempDir()
	b := New(Options{Dir: filepath.Join(dir, "ours"), RuntimeDir: dir, SessionAddress: "unix:path=" + real, SystemAddress: "unix:path=" + real})
	t.Cleanup(b.Close)
	sockets, err := b.Sockets()
	require.NoError(t, err)
	call := func(socket, name string) {
		_, err := connect(t, socket).Object(name, "/x").GetProperty(name + ".Hostname")
		require.Error(t, err, "nothing answers")
	}
	for _, session := range []string{mine, host} {
		call(sockets[filepath.Join(dir, "bus")], session)
	}
	call(sockets["/run/dbus/system_bus_socket"], mine)
	require.Empty(t, entries(t, started))
	call(sockets["/run/dbus/system_bus_socket"], host)
	require.Equal(t, []string{host}, entries(t, started))
	_, _ = connect(t, real).Object(mine, "/x").GetProperty(mine + ".Hostname")
	require.Equal(t, []string{mine, host}, entries(t, started), "outside it is started")
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestSignalsDoNotLeave(t *testing.T) {
	real, reading := session(t)
	listener := connect(t, real)
	require.NoError(t, listener.AddMatchSignal(dbus.WithMatchInterface("org.example.Thing")))
	heard := make(chan *dbus.Signal, 2)
	listener.Signal(heard)
	conn := connect(t, reading)
	require.NoError(t, conn.Emit("/x", "org.example.Thing.Happened"))
	require.NoError(t, conn.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err, "the signal has been dealt with")
	require.NoError(t, connect(t, real).Emit("/x", "org.example.Thing.Marker"))
	require.Equal(t, "org.example.Thing.Marker", (<-heard).Name)
}

func TestClosingEndsEveryConnection(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "bus"))
	require.NoError(t, err)
	defer l.Close()
	b := New(Options{Dir: filepath.Join(dir, "ours"), RuntimeDir: dir, SystemAddress: "unix:path=/nowhere"})
	sockets, err := b.Sockets()
	require.NoError(t, err)
	client, err := net.Dial("unix", sockets[filepath.Join(dir, "bus")])
	require.NoError(t, err)
	defer client.Close()
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()
	b.Close()
	_, err = client.Read(make([]byte, 1))
	require.Error(t, err)
	_, err = b.Sockets()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestAddressesAreReadAsTheSpecificationHasThem(t *testing.T) {
	for given, want := range map[string]string{
		"":                            "/other",
		"unix:path=/run/user/1/bus":   "/run/user/1/bus",
		"unix:abstract=/tmp/dbus-x":   "@/tmp/dbus-x",
		"tcp:host=x;unix:path=/a/bus": "/a/bus",
		"unix:guid=1,path=/b":         "/b",
	} {
		require.Equal(t, want, unixSocket(given, "/other"), given)
	}
}
