package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// portal plays the desktop, which asks about shortcuts and reports when one is pressed: XDG Desktop Portal
// documentation, "Global Shortcuts".
type portal struct {
	t        *testing.T
	conn     *dbus.Conn
	declines atomic.Bool
	sessions chan portalSession
}

// portalSession is a session in which a shortcut was bound.
type portalSession struct {
	handle  dbus.ObjectPath
	name    string
	about   map[string]dbus.Variant
	owner   dbus.Sender
	program string // as the desktop knows it
}

const (
	portalName = "org.freedesktop.portal.Desktop"
	portalPath = "/org/freedesktop/portal/desktop"
	shortcuts  = "org.freedesktop.portal.GlobalShortcuts"
)

func startPortal(t *testing.T, conn *dbus.Conn) *portal {
	t.Helper()
	p := &portal{t: t, conn: conn, sessions: make(chan portalSession, 8)}
	var program atomic.Value
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"Register": func(app string, _ map[string]dbus.Variant) *dbus.Error { program.Store(app); return nil },
	}, portalPath, "org.freedesktop.host.portal.Registry"))
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"Get": func(string, string) (dbus.Variant, *dbus.Error) { return dbus.MakeVariant(uint32(2)), nil },
	}, portalPath, "org.freedesktop.DBus.Properties"))
	type bound struct {
		ID    string
		About map[string]dbus.Variant
	}
	require.NoError(t, conn.ExportMethodTable(map[string]any{
		"CreateSession": func(sender dbus.Sender, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
			session := p.path("session", sender, options["session_handle_token"])
			return p.respond(sender, options, 0, map[string]dbus.Variant{"session_handle": dbus.MakeVariant(string(session))}), nil
		},
		"BindShortcuts": func(sender dbus.Sender, session dbus.ObjectPath, list []bound, _ string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
			if p.declines.Load() {
				return p.respond(sender, options, 1, map[string]dbus.Variant{}), nil
			}
			app, _ := program.Load().(string)
			p.sessions <- portalSession{session, list[0].ID, list[0].About, sender, app}
			list[0].About = map[string]dbus.Variant{"trigger_description": dbus.MakeVariant("Super+A\x1b[2J")}
			return p.respond(sender, options, 0, map[string]dbus.Variant{"shortcuts": dbus.MakeVariant(list)}), nil
		},
	}, portalPath, shortcuts))
	p.own()
	return p
}

func (p *portal) own() {
	reply, err := p.conn.RequestName(portalName, dbus.NameFlagDoNotQueue)
	require.NoError(p.t, err)
	require.Equal(p.t, dbus.RequestNameReplyPrimaryOwner, reply)
}

func (p *portal) path(kind string, sender dbus.Sender, token dbus.Variant) dbus.ObjectPath {
	word, _ := token.Value().(string)
	return dbus.ObjectPath(portalPath + "/" + kind + "/" + strings.NewReplacer(":", "", ".", "_").Replace(string(sender)) + "/" + word)
}

// respond answers a request, after its call has returned as that of a real portal does.
func (p *portal) respond(sender dbus.Sender, options map[string]dbus.Variant, code uint32, results map[string]dbus.Variant) dbus.ObjectPath {
	path := p.path("request", sender, options["handle_token"])
	time.AfterFunc(time.Millisecond, func() {
		_ = p.conn.Emit(path, "org.freedesktop.portal.Request.Response", code, results)
	})
	return path
}

// bound waits for the next session.
func (p *portal) bound() portalSession {
	p.t.Helper()
	select {
	case s := <-p.sessions:
		return s
	case <-time.After(time.Minute):
		p.t.Fatal("nothing was bound")
		panic("unreachable")
	}
}

func (p *portal) press(s portalSession) {
	require.NoError(p.t, p.conn.Emit(portalPath, shortcuts+".Activated", s.handle, s.name, uint64(1), map[string]dbus.Variant{"activation_token": dbus.MakeVariant("token-7")}))
}

// listens reports whether a program waits for the shortcut.
func (p *portal) listens() (has bool) {
	require.NoError(p.t, p.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.blunux.ai.Shortcut").Store(&has))
	return has
}

// TestAShortcutOpensTheSmallWindow: the desktop is asked, a press opens the window, and nothing is left when it is off.
func TestAShortcutOpensTheSmallWindow(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	k := desk{d, d.home + "/opened"}
	d.setLang("ko")
	k.script("terminal", `echo "$XDG_ACTIVATION_TOKEN $*" >>`+k.log)
	d.env = append(d.env, "DISPLAY=:99", "TERMINAL="+d.home+"/terminal", "XDG_CONFIG_HOME="+d.home+"/config")
	conn := k.addBus()
	autostart := filepath.Join(d.home, "config/autostart/org.blunux.ai.quick.desktop")

	out, err := k.run("quick", "--shortcut")
	require.Error(t, err)
	require.Contains(t, out, "단축키 포털이 없어요")
	require.NoFileExists(t, autostart)
	out, err = k.run("quick", "--shortcut=often")
	require.Error(t, err)
	require.Contains(t, out, "on, off")
	out, err = k.run("quick", "--shortcut", "off") // not the value of the flag
	require.Error(t, err)
	require.Contains(t, out, "--shortcut")

	p := startPortal(t, conn)
	p.declines.Store(true)
	out, err = k.run("quick", "--shortcut")
	require.Error(t, err)
	require.Contains(t, out, "등록하지 않았어요")
	require.NoFileExists(t, autostart)
	require.False(t, p.listens())

	p.declines.Store(false)
	out, err = k.run("quick", "--shortcut")
	require.NoError(t, err, "%s", out)
	require.Contains(t, out, "Super+A")
	require.NotContains(t, out, "\x1b")
	asked := p.bound()
	require.Equal(t, []any{"quick", "org.blunux.ai.quick", "LOGO+a", "블루눅스 AI 작은 창 열기"},
		[]any{asked.name, asked.program, asked.about["preferred_trigger"].Value(), asked.about["description"].Value()})
	entry, err := os.ReadFile(autostart)
	require.NoError(t, err)
	require.Contains(t, string(entry), `Exec="`+binaries+`/blunux-ai" quick --shortcut=listen`)

	listening := p.bound()
	waitUntil(t, "the program that listens", p.listens)
	p.press(asked) // its session is over
	p.press(listening)
	opened := func(n int) func() bool {
		return func() bool {
			text, _ := os.ReadFile(k.log)
			return strings.Count(string(text), "\n") == n
		}
	}
	waitUntil(t, "a window", opened(1))
	text, err := os.ReadFile(k.log)
	require.NoError(t, err)
	require.Contains(t, string(text), "blunux-ai chat --plain")

	// A restarted portal has no session of before.
	_, err = p.conn.ReleaseName(portalName)
	require.NoError(t, err)
	p.own()
	again := p.bound()
	waitUntil(t, "the program that listens again", p.listens)
	p.press(again)
	waitUntil(t, "a second window", opened(2))

	out, err = k.run("quick", "--shortcut=off")
	require.NoError(t, err, "%s", out)
	require.Contains(t, out, "껐어요")
	waitUntil(t, "the program to end", func() bool { return !p.listens() })
	require.NoFileExists(t, autostart)
}
