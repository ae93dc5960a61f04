package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// addBus starts a session bus for a desk, which starts the icon on request, and returns a connection. The icon's starts are in
// the file icons.
func (k *desk) addBus() *dbus.Conn {
	k.t.Helper()
	require.NoError(k.t, os.Mkdir(k.home+"/services", 0o700))
	k.script("icon", `echo started >>`+k.home+`/icons; exec `+binaries+`/blunux-ai quick --icon`)
	require.NoError(k.t, os.WriteFile(k.home+"/services/org.blunux.ai.Icon.service",
		[]byte("[D-BUS Service]\nName=org.blunux.ai.Icon\nExec="+k.home+"/icon\n"), 0o600))
	require.NoError(k.t, os.WriteFile(k.home+"/bus.conf", []byte(`<busconfig><type>session</type><listen>unix:path=`+k.home+`/run/bus</listen>
<servicedir>`+k.home+`/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	cmd := exec.Command("dbus-daemon", "--config-file="+k.home+"/bus.conf", "--nofork", "--print-address")
	cmd.Env = k.env
	out, err := cmd.StdoutPipe()
	require.NoError(k.t, err)
	require.NoError(k.t, cmd.Start())
	k.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(k.t, err)
	k.env = append(k.env, "DBUS_SESSION_BUS_ADDRESS="+strings.TrimSpace(address))
	conn, err := dbus.Connect(strings.TrimSpace(address))
	require.NoError(k.t, err)
	k.t.Cleanup(func() { conn.Close() })
	return conn
}

// askPending asks for a command that waits for an approval, and returns its code.
func (k desk) askPending(command string) string {
	k.t.Helper()
	out, _ := k.aictl("ask", "run "+command)
	code := regexp.MustCompile(`pending approval: ([0-9A-Z]{4})`).FindStringSubmatch(out)
	require.NotNil(k.t, code, out)
	return code[1]
}

func (k desk) aictl(args ...string) (string, error) {
	cmd := exec.Command(binaries+"/blunux-aictl", args...)
	cmd.Dir, cmd.Env = k.home, k.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestTheIconIsOnThePanelWhileApprovalsWait(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	k := newDesk(t, d)
	conn := k.addBus()
	first := k.askPending("touch 하나") // there is no panel
	registered := make(chan string, 8)
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"RegisterStatusNotifierItem": func(name string) *dbus.Error { registered <- name; return nil },
	}, "/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher"))
	_, err := conn.RequestName("org.kde.StatusNotifierWatcher", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	second := k.askPending("touch 둘")
	select {
	case name := <-registered:
		require.Equal(t, "org.blunux.ai.Icon", name)
	case <-time.After(time.Minute):
		t.Fatal("no icon")
	}
	starts, err := os.ReadFile(k.home + "/icons")
	require.NoError(t, err)
	require.Equal(t, "started\n", string(starts), "not without a panel")

	item := conn.Object("org.blunux.ai.Icon", "/StatusNotifierItem")
	title := func() any {
		v, err := item.GetProperty("org.kde.StatusNotifierItem.Title")
		if err != nil {
			return err
		}
		return v.Value()
	}
	require.Equal(t, "승인을 기다리는 명령이 2개 있어요", title())
	out, err := k.aictl("deny", first)
	require.NoError(t, err, out)
	waitUntil(t, "one approval", func() bool { return title() == "승인을 기다리는 명령이 1개 있어요" })
	d.kill() // the icon does not need the daemon, nor the daemon the icon
	require.Equal(t, "승인을 기다리는 명령이 1개 있어요", title())
	out, err = k.aictl("status") // starts it in the environment that the approval is for
	require.NoError(t, err, out)

	require.NoError(t, item.Call("org.kde.StatusNotifierItem.Activate", 0, int32(0), int32(0)).Err)
	id := k.window()
	k.shows(`\n    touch 둘\r\n`)
	require.NoFileExists(t, k.home+"/둘", "a click only shows")
	k.xdo("windowfocus", "--sync", id)
	k.xdo("type", "--window", id, "y\n")
	waitUntil(t, "the approved command to run", func() bool { _, err := os.Stat(k.home + "/둘"); return err == nil })
	waitUntil(t, "the icon to end", func() bool {
		var owned bool
		require.NoError(t, conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.blunux.ai.Icon").Store(&owned))
		return !owned
	})
	require.NotEmpty(t, k.window(), "the window outlives the icon")
	require.NotEqual(t, first, second)
}

func TestAnAddressThatCannotBeOpenedIsReportedOnTheDesktop(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	k := newDesk(t, d)
	conn := k.addBus()
	shown := make(chan string, 1)
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"GetCapabilities":      func() ([]string, *dbus.Error) { return []string{"body", "body-markup"}, nil },
		"GetServerInformation": func() (string, string, string, string, *dbus.Error) { return "", "", "", "", nil },
		"Notify": func(_ string, _ uint32, _, title, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
			shown <- title + "\n" + body
			return 1, nil
		},
	}, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"))
	_, err := conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	_, err = k.run("open", "blunux-ai://approve/<b>K7QX\x1b")
	require.Error(t, err)
	text := <-shown
	require.Contains(t, text, "열지 못했어요\n")
	require.Contains(t, text, "blunux-ai://approve/&lt;b&gt;K7QX")
	require.NotContains(t, text, "\x1b")
}
