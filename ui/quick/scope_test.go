package quick_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/quick"
)

// property is a property of a unit.
type property struct {
	Name  string
	Value dbus.Variant
}

func TestAWindowLeavesTheUnitThatOpensIt(t *testing.T) {
	if _, err := exec.LookPath("dbus-daemon"); err != nil && os.Getenv("CI") == "" {
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
	address = strings.TrimSpace(address)
	require.NoError(t, quick.LeaveUnit(t.Context(), "unix:path=/nonexistent/bus"), "there is no bus")
	require.NoError(t, quick.LeaveUnit(t.Context(), address), "there is no manager")

	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	started := make(chan []property, 1)
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"Subscribe": func() *dbus.Error { return nil },
		"StartTransientUnit": func(name, _ string, about []property, _ []struct {
			Name       string
			Properties []property
		},
		) (dbus.ObjectPath, *dbus.Error) {
			started <- about
			_ = conn.Emit("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager.JobRemoved", uint32(7), dbus.ObjectPath("/job/7"), name, "done")
			return "/job/7", nil
		},
	}, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"))
	_, err = conn.RequestName("org.freedesktop.systemd1", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.NoError(t, quick.LeaveUnit(t.Context(), address))
	about := <-started
	require.Equal(t, "PIDs", about[0].Name)
	require.Equal(t, []uint32{uint32(os.Getpid())}, about[0].Value.Value())
}
