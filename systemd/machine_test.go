package systemd

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func dbusPath(s string) dbus.ObjectPath { return dbus.ObjectPath(s) }

// skipMissing skips a test that cannot run here. It fails where every test must run.
func skipMissing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("cannot be skipped in CI: "+format, args...)
	}
	t.Skipf(format, args...)
}

// Sets the machine's clock forward by a nanosecond.
func TestAClockThatIsSetIsHeard(t *testing.T) {
	heard := make(chan string, 16)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Clock{Address: "unix:path=" + filepath.Join(t.TempDir(), "none")}.Watch(ctx, func(reason string) { heard <- reason })
	}()
	defer func() {
		cancel()
		require.NoError(t, <-ended)
	}()
	deadline := time.After(10 * time.Second)
	for range 2 {
		for set := false; !set; { // the watcher may not be listening yet
			_, err := unix.ClockAdjtime(unix.CLOCK_REALTIME, &unix.Timex{Modes: unix.ADJ_SETOFFSET | unix.ADJ_NANO, Time: unix.Timeval{Usec: 1}})
			if err != nil {
				t.Skipf("the clock may not be set here: %v", err) // needs a privilege
			}
			select {
			case reason := <-heard:
				require.Equal(t, ClockSet, reason)
				set = true
			case <-time.After(20 * time.Millisecond):
			case <-deadline:
				t.Fatal("that the clock was set is not heard")
			}
		}
	}
}

// A fake logind on a real bus sends the signal, also after the bus was restarted.
func TestThatTheMachineWokeUpIsHeard(t *testing.T) {
	dir := t.TempDir()
	address := "unix:path=" + filepath.Join(dir, "bus")
	heard := make(chan string, 16)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watchSleep(ctx, address, func() { heard <- Resumed })
	}()
	defer func() {
		cancel()
		<-ended
	}()
	for range 2 {
		stop := startBus(t, dir)
		conn, err := dialBus(t.Context(), []string{address})
		require.NoError(t, err)
		_, err = conn.RequestName("org.freedesktop.login1", dbus.NameFlagDoNotQueue)
		require.NoError(t, err)
		deadline := time.After(20 * time.Second)
		for woke := false; !woke; {
			for _, begins := range []bool{true, false} {
				require.NoError(t, conn.Emit("/org/freedesktop/login1", "org.freedesktop.login1.Manager.PrepareForSleep", begins))
			}
			select {
			case <-heard:
				woke = true
			case <-time.After(20 * time.Millisecond):
			case <-deadline:
				t.Fatal("it is not heard")
			}
		}
		conn.Close()
		stop()
		for len(heard) > 0 {
			<-heard
		}
	}
}

// startBus starts a bus at dir/bus.
func startBus(t *testing.T, dir string) (stop func()) {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		skipMissing(t, "dbus-daemon is not installed")
	}
	_ = os.Remove(filepath.Join(dir, "bus"))
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path="+filepath.Join(dir, "bus"), "--print-address")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 512))
	require.NoError(t, err)
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	return stop
}

func TestHowLongTheMachineSleptAndWhichStartItIs(t *testing.T) {
	require.GreaterOrEqual(t, SuspendedTime(), time.Duration(0))
	require.InDelta(t, SuspendedTime(), SuspendedTime(), float64(100*time.Millisecond))
	require.Len(t, BootID(), 36)
	require.Equal(t, BootID(), BootID())
	require.Positive(t, monotonic())
}

// Runs in a separate network namespace, where this program listens (see TestMain).
func TestThatTheNetworkComesUpIsHeard(t *testing.T) {
	for _, program := range []string{"unshare", "nsenter", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			skipMissing(t, "%s is not installed", program)
		}
	}
	if out, err := exec.Command("unshare", "--net", "true").CombinedOutput(); err != nil {
		skipMissing(t, "there is no network to play with: %s", out)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("unshare", "--net", self, "network")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	defer func() {
		in.Close()
		for range lines {
		}
		require.NoError(t, cmd.Wait())
	}()
	says := func(want string) {
		t.Helper()
		select {
		case line := <-lines:
			require.Equal(t, want, line)
		case <-time.After(20 * time.Second):
			t.Fatalf("it does not say %q", want)
		}
	}
	run := func(args string) {
		t.Helper()
		cmd := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(cmd.Process.Pid), "-n", "ip"}, strings.Fields(args)...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "ip %s: %s", args, out)
	}
	says("false")
	run("link set lo up")
	run("route add 192.0.2.0/24 dev lo")                   // a route to a few hosts
	run("route add unreachable default metric 4000000000") // a route to nowhere
	run("route add default dev lo table 77")               // a route in another table
	run("route add default dev lo")
	says("up true")
	run("-6 route add default dev lo") // a second default route
	run("route del default dev lo")
	require.Empty(t, lines)
	for len(lines) == 0 { // a route that returns before it is noticed was never missing
		run("-6 route del default dev lo")
		run("-6 route add default dev lo")
	}
	require.Contains(t, []string{"up true", "up false"}, <-lines, "the route may be gone again")
	in.Close()
	last := ""
	for line := range lines {
		last = line
	}
	require.Equal(t, "over <nil>", last)
}

func TestTheZoneIsWhatTheMachineSaysNow(t *testing.T) {
	zones := "/usr/share/zoneinfo"
	if _, err := os.Stat(zones + "/Asia/Seoul"); err != nil {
		skipMissing(t, "there are no zones: %v", err)
	}
	env := func(tz string) func(string) string {
		return func(key string) string { return map[string]string{"TZ": tz}[key] }
	}
	file := filepath.Join(t.TempDir(), "localtime")
	z := newZone(env(""), file)
	says := func(name string, offset int) {
		t.Helper()
		l, got := z.Local()
		require.Equal(t, name, got)
		_, seconds := noon.In(l).Zone()
		require.Equal(t, offset, seconds/3600)
	}
	link := func(target string) {
		t.Helper()
		_ = os.Remove(file)
		require.NoError(t, os.Symlink(target, file))
	}
	says("UTC", 0)
	link(zones + "/Asia/Seoul")
	says("Asia/Seoul", 9)
	l, _ := z.Local()
	same, _ := z.Local()
	require.Same(t, l, same, "read once")
	link("../../../../../../../../../.." + zones + "/America/New_York")
	says("America/New_York", -5)
	link(zones + "/none")
	says("UTC", 0)
	text, err := os.ReadFile(zones + "/Asia/Seoul")
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(file, text, 0o600))
	says("Local", 9)
	require.NoError(t, os.WriteFile(file, []byte("no zone"), 0o600))
	require.NoError(t, os.Chtimes(file, noon, noon))
	says("UTC", 0)
	z = newZone(env("Asia/Seoul"), file)
	says("Asia/Seoul", 9)
	z = newZone(env(":"+zones+"/Asia/Tokyo"), file)
	says("Asia/Tokyo", 9)
	z = newZone(env("Nowhere/None"), file)
	says("UTC", 0)
}

func TestWithoutAManagerNothingIsDueAndNothingIsTouched(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"no home":     {},
		"no bus":      {"HOME": t.TempDir()},
		"no such bus": {"XDG_CONFIG_HOME": t.TempDir(), "XDG_RUNTIME_DIR": t.TempDir(), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"},
	} {
		t.Run(name, func(t *testing.T) {
			getenv := func(key string) string { return env[key] }
			active, err := NewWaker(getenv).Schedule(t.Context(), []time.Time{time.Now().Add(time.Hour)}, []string{"/x"})
			require.NoError(t, err)
			require.False(t, active)
			for _, dir := range []string{"HOME", "XDG_CONFIG_HOME"} {
				if env[dir] != "" {
					entries, err := os.ReadDir(env[dir])
					require.NoError(t, err)
					require.Empty(t, entries)
				}
			}
			manager := NewUserManager(getenv)
			_, _, err = manager.StartTime(t.Context())
			require.ErrorContains(t, err, "cannot connect to the service manager")
			_, err = Failures{User: manager, Address: "unix:path=/none"}.List(t.Context())
			require.ErrorContains(t, err, "cannot list failed units")
		})
	}
}

// Any netlink message is parsed without a panic.
func FuzzWhatTheKernelSaysOfRoutes(f *testing.F) {
	table, err := syscall.NetlinkRIB(unix.RTM_GETROUTE, unix.AF_UNSPEC)
	require.NoError(f, err)
	f.Add(table)
	f.Add([]byte{16, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, messages []byte) {
		if findDefault(messages, func(_ uint16, route []byte) bool { return isDefaultRoute(route) }) {
			require.True(t, mentionsDefault(messages))
		}
	})
}

func BenchmarkZone(b *testing.B) {
	z := NewZone(func(string) string { return "" })
	for b.Loop() {
		z.Local()
	}
}
