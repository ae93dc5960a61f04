package desktop_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/desktop"
)

func TestAPressedButtonIsTold(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "body", "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), desktop.Notice{
		Key: "a7", Title: "May\n I?", Body: "touch x", Category: "im.received", Resident: true, Silent: true, Sound: "bell",
		Urgency: desktop.Critical, Expire: 90 * time.Second,
		Actions: []desktop.Action{{Key: "approve:a7/\x00한글\xff", Label: "Allow"}, {Key: "deny", Label: "Deny"}},
	}))
	got := s.latest(t)
	require.Equal(t, "Blunux AI", got.app)
	require.Equal(t, "dialog-question", got.icon)
	require.Equal(t, "May I?", got.title)
	require.Equal(t, int32(90000), got.expire)
	require.Equal(t, map[string]dbus.Variant{
		"urgency": dbus.MakeVariant(byte(2)), "category": dbus.MakeVariant("im.received"), "desktop-entry": dbus.MakeVariant("blunux-ai"),
		"sound-name": dbus.MakeVariant("bell"), "resident": dbus.MakeVariant(true), "suppress-sound": dbus.MakeVariant(true),
	}, got.hints)
	require.Equal(t, 1, n.OpenCount())

	emit(t, s.conn, "ActionInvoked", got.id, got.button(t, "Allow"))
	told.says(t, "pressed a7 approve:a7/\x00한글\xff")
	require.Equal(t, 1, n.OpenCount(), "it is to stay")
	emit(t, s.conn, "NotificationClosed", got.id, uint32(2))
	told.says(t, "closed a7 2")
	require.Zero(t, n.OpenCount())
}

func TestAPressIsTheLastWordOfANoticeThatDoesNotStay(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("one")))
	one := s.latest(t)
	require.NoError(t, n.Show(t.Context(), ask("two")))
	two := s.latest(t)
	require.NotEqual(t, one.id, two.id)
	require.Equal(t, int32(-1), two.expire, "the server decides")
	emit(t, s.conn, "ActionInvoked", one.id, one.button(t, "Allow"))
	emit(t, s.conn, "ActionInvoked", one.id, one.button(t, "Deny"))
	emit(t, s.conn, "NotificationClosed", one.id, uint32(2))
	emit(t, s.conn, "NotificationClosed", two.id, uint32(1))
	told.says(t, "pressed one approve one")
	told.says(t, "closed two 1")
}

func TestThatANoticeIsClosedIsNoAnswer(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	for reason, want := range map[uint32]string{1: "1", 2: "2", 4: "4", 0: "4", 77: "4"} {
		require.NoError(t, n.Show(t.Context(), ask("a")))
		emit(t, s.conn, "NotificationClosed", s.latest(t).id, reason)
		told.says(t, "closed a "+want)
		emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Allow"))
	}
	require.NoError(t, n.Show(t.Context(), ask("last")))
	emit(t, s.conn, "NotificationClosed", s.latest(t).id, uint32(2))
	told.says(t, "closed last 2")
}

// Signals from other programs on the bus, broadcast or sent only to the notifier, with the right id and the right
// button, are ignored.
func TestThreat08NoOtherProgramPressesAButton(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	got := s.latest(t)
	forger := connect(t, address)
	_, err := forger.RequestName("org.freedesktop.NotificationsToo", 0)
	require.NoError(t, err)
	alone := func(what string, values ...any) {
		forger.Send(&dbus.Message{
			Type: dbus.TypeSignal,
			Headers: map[dbus.HeaderField]dbus.Variant{
				dbus.FieldDestination: dbus.MakeVariant(string(got.sender)), dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath("/org/freedesktop/Notifications")),
				dbus.FieldInterface: dbus.MakeVariant("org.freedesktop.Notifications"), dbus.FieldMember: dbus.MakeVariant(what),
				dbus.FieldSender: dbus.MakeVariant(s.conn.Names()[0]), dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(values...)),
			},
			Body: values,
		}, nil)
	}
	allow := got.button(t, "Allow")
	emit(t, forger, "ActionInvoked", got.id, allow)
	alone("ActionInvoked", got.id, allow)
	alone("NotificationClosed", got.id, uint32(2))
	require.NoError(t, forger.Emit("/org/freedesktop/DBus", "org.freedesktop.DBus.NameOwnerChanged", "org.freedesktop.Notifications", s.conn.Names()[0], forger.Names()[0]))
	forger.Send(&dbus.Message{
		Type: dbus.TypeSignal,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldDestination: dbus.MakeVariant(string(got.sender)), dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath("/org/freedesktop/DBus")),
			dbus.FieldInterface: dbus.MakeVariant("org.freedesktop.DBus"), dbus.FieldMember: dbus.MakeVariant("NameOwnerChanged"),
			dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf("", "", "")),
		},
		Body: []any{"org.freedesktop.Notifications", s.conn.Names()[0], forger.Names()[0]},
	}, nil)
	alone("ActionInvoked", got.id, allow)
	// When the bus answers the forger, it has delivered the forged signals.
	require.NoError(t, forger.Object("org.freedesktop.DBus", "/").Call("org.freedesktop.DBus.Peer.Ping", 0).Err)
	emit(t, s.conn, "ActionInvoked", got.id, got.button(t, "Deny"))
	told.says(t, "pressed a deny")
	require.Empty(t, told)
}

func TestSignalsThatMakeNoSenseAreNothing(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	got := s.latest(t)
	emit(t, s.conn, "ActionInvoked")
	emit(t, s.conn, "ActionInvoked", "x", uint32(1))
	emit(t, s.conn, "ActionInvoked", got.id)
	emit(t, s.conn, "ActionInvoked", got.id, "default")
	emit(t, s.conn, "ActionInvoked", got.id, "approve a")
	emit(t, s.conn, "ActionInvoked", got.id+1, got.button(t, "Allow"))
	emit(t, s.conn, "NotificationClosed", "x")
	emit(t, s.conn, "NotificationClosed", got.id+1, uint32(1))
	emit(t, s.conn, "ActivationToken", got.id, "token")
	require.NoError(t, s.conn.Emit("/elsewhere", "org.freedesktop.Notifications.ActionInvoked", got.id, got.button(t, "Allow")))
	emit(t, s.conn, "ActionInvoked", got.id, got.button(t, "Deny"))
	told.says(t, "pressed a deny")
	require.Empty(t, told)
}

// Another question replaces the notice between the person's click and the signal.
func TestThreat06APressMeantForWhatStoodThereBeforeDoesNotCount(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	before := s.latest(t)
	require.Zero(t, before.replaces)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	now := s.latest(t)
	require.Equal(t, before.id, now.replaces, "replaced, not stacked")
	require.Equal(t, 1, n.OpenCount())
	emit(t, s.conn, "ActionInvoked", before.id, before.button(t, "Allow"))
	emit(t, s.conn, "ActionInvoked", now.id, now.button(t, "Deny"))
	told.says(t, "pressed a deny")
}

func TestAWithdrawnNoticeIsGoneAndSilent(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Withdraw(t.Context(), "nothing was shown yet"))
	require.NoError(t, n.Show(t.Context(), ask("a")))
	got := s.latest(t)
	require.NoError(t, n.Withdraw(t.Context(), "a"))
	s.change(func() { require.Equal(t, []uint32{got.id}, s.closed) })
	require.Zero(t, n.OpenCount())
	require.NoError(t, n.Withdraw(t.Context(), "a"))
	s.change(func() { require.Len(t, s.closed, 1) })
	emit(t, s.conn, "ActionInvoked", got.id, got.button(t, "Allow"))
	require.NoError(t, n.Show(t.Context(), ask("b")))
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Deny"))
	told.says(t, "pressed b deny")
}

func TestAServerThatComesAgainKnowsNothingOfBefore(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions", "body-markup")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	old := s.latest(t)
	s.conn.Close()
	told.says(t, "closed a 5")
	require.Zero(t, n.OpenCount())
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)

	other := serve(t, address)
	other.change(func() { other.last = old.id - 1 })
	require.NoError(t, n.Show(t.Context(), desktop.Notice{Key: "a", Title: "x", Body: "<b>"}))
	require.Zero(t, other.latest(t).replaces)
	require.Equal(t, "<b>", other.latest(t).body, "this one has no markup")
	require.Empty(t, told)
}

// The server quits and another one starts unnoticed. Lost notices are reported once, and current ones are not
// lost.
func TestAServerReplacedUnnoticed(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	h := make(callbackLog, 100)
	o := h.options(address)
	entered, leave := make(chan struct{}), make(chan struct{})
	pressed, enter := o.Pressed, sync.OnceFunc(func() { close(entered) })
	o.Pressed = func(key, action string) {
		enter()
		<-leave
		pressed(key, action)
	}
	n := desktop.New(o)
	defer n.Close()
	require.NoError(t, n.Show(t.Context(), ask("a")))
	require.NoError(t, n.Show(t.Context(), ask("b")))
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Allow"))
	<-entered // signals wait from now on
	s.conn.Close()
	var other *server
	require.Eventually(t, func() bool {
		conn := connect(t, address)
		var owned bool
		err := conn.Object("org.freedesktop.DBus", "/").Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.Notifications").Store(&owned)
		return err == nil && !owned
	}, time.Minute, time.Millisecond)
	other = serve(t, address, "actions")
	require.NoError(t, n.Show(t.Context(), ask("c")))
	close(leave)
	h.says(t, "pressed b approve b")
	h.says(t, "closed a 5")
	emit(t, other.conn, "ActionInvoked", other.latest(t).id, other.latest(t).button(t, "Deny"))
	h.says(t, "pressed c deny")
	require.Empty(t, h)
}

func TestTheBusMayGoAndComeAgain(t *testing.T) {
	t.Parallel()
	address, daemon := privateBus(t, nil)
	serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	require.NoError(t, daemon.Kill())
	told.says(t, "closed a 5")
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	require.NoError(t, n.Withdraw(t.Context(), "a"))

	another, _ := privateBus(t, nil)
	path, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
	now, _, _ := strings.Cut(strings.TrimPrefix(another, "unix:path="), ",")
	_ = os.Remove(path)
	require.NoError(t, os.Symlink(now, path))
	s := serve(t, another, "actions")
	// The address contains the id of the old bus. Addresses of real sessions do not.
	plain := desktop.New(told.options("unix:path=" + path))
	defer plain.Close()
	require.NoError(t, plain.Show(t.Context(), ask("a")))
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Deny"))
	told.says(t, "pressed a deny")
}

func TestACallbackMayCallTheNotifier(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	done := make(chan error, 1)
	var n *desktop.Notifier
	n = desktop.New(desktop.Options{Addresses: []string{address}, Pressed: func(key, _ string) {
		err := n.Show(context.Background(), desktop.Notice{Key: key, Title: "done"})
		if err == nil {
			err = n.Withdraw(context.Background(), key)
		}
		n.Close()
		done <- err
	}})
	defer n.Close()
	require.NoError(t, n.Show(t.Context(), ask("a")))
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Allow"))
	require.NoError(t, <-done)
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	require.Zero(t, n.OpenCount())
}

func TestWithoutABusOrAServerNobodyIsTold(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	dir := t.TempDir()
	deaf, err := net.Listen("unix", filepath.Join(dir, "deaf"))
	require.NoError(t, err)
	defer deaf.Close()
	for name, addresses := range map[string][]string{
		"no bus at all":                       nil,
		"a socket that is not there":          {"unix:path=" + filepath.Join(dir, "none")},
		"an address that makes no sense":      {"autolaunch:", "nonsense"},
		"a socket on which nobody answers":    {"unix:path=" + filepath.Join(dir, "deaf")},
		"a bus without a notification server": {"unix:path=" + filepath.Join(dir, "none"), address},
	} {
		t.Run(name, func(t *testing.T) {
			n := desktop.New(desktop.Options{Addresses: addresses})
			defer n.Close()
			began := time.Now()
			require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
			_, err := n.Capabilities(t.Context())
			require.ErrorIs(t, err, desktop.ErrNoServer)
			require.NoError(t, n.Withdraw(t.Context(), "a"))
			require.Zero(t, n.OpenCount())
			require.Less(t, time.Since(began), 8*time.Second)
		})
	}
}

func TestAServerThatHangsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	hang := make(chan struct{})
	s.change(func() { s.hang = hang })
	n, told := notifier(t, address)
	began := time.Now()
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	require.Less(t, time.Since(began), 6*time.Second)
	require.Zero(t, n.OpenCount())
	close(hang)
	require.NoError(t, n.Show(t.Context(), ask("b")))
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, s.latest(t).button(t, "Deny"))
	told.says(t, "pressed b deny")
}

// A server that fails to start is tried once a minute.
func TestAServerTheBusKnowsIsStartedButNotOverAndOver(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "started")
	address, _ := privateBus(t, map[string]string{
		"org.freedesktop.Notifications.service": "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/bin/sh -c 'echo >>" + mark + "; exit 1'\n",
	})
	n, _ := notifier(t, address)
	for range 3 {
		require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	}
	text, err := os.ReadFile(mark)
	require.NoError(t, err)
	require.Equal(t, "\n", string(text))
	// A server that starts on its own is used immediately.
	serve(t, address, "actions")
	require.NoError(t, n.Show(t.Context(), ask("a")))
}

func TestAServerThatHangsAtItsStartIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, map[string]string{
		"org.freedesktop.Notifications.service": "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/bin/sleep 60\n",
	})
	n, _ := notifier(t, address)
	began := time.Now()
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	require.ErrorIs(t, n.Show(t.Context(), ask("a")), desktop.ErrNoServer)
	require.Less(t, time.Since(began), 30*time.Second)
}

func TestTheCallersContextEndsAShow(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	hang := make(chan struct{})
	s.change(func() { s.hang = hang })
	defer close(hang)
	n, _ := notifier(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, n.Show(ctx, ask("a")), context.DeadlineExceeded)
}

func TestWhatAServerCanDoIsTold(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "body", "body-markup", "persistence", "sound")
	n, _ := notifier(t, address)
	can, err := n.Capabilities(t.Context())
	require.NoError(t, err)
	require.Equal(t, desktop.Capabilities{Server: "fake", Version: "1", Body: true, Markup: true, Persistent: true, Sound: true}, can)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	require.Empty(t, s.latest(t).actions, "a server without buttons gets none")
	require.Zero(t, n.OpenCount())
}

// A stopped bus still accepts connections for a while, but does not answer.
func TestAStoppedBusIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	address, daemon := privateBus(t, nil)
	serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), ask("a")))
	require.NoError(t, daemon.Signal(syscall.SIGSTOP))
	began := time.Now()
	require.ErrorIs(t, n.Show(t.Context(), ask("b")), desktop.ErrNoServer)
	require.Less(t, time.Since(began), 6*time.Second)
	require.NoError(t, daemon.Signal(syscall.SIGCONT))
	require.NoError(t, n.Show(t.Context(), ask("b")))
	require.Empty(t, told)
}
