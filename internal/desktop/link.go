package desktop

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// Names on the bus.
const (
	service = "org.freedesktop.Notifications"
	bus     = "org.freedesktop.DBus"
	closed  = service + ".NotificationClosed"
	invoked = service + ".ActionInvoked"
	changed = bus + ".NameOwnerChanged"
	noOwner = bus + ".Error.NameHasNoOwner"
)

const (
	objectPath = dbus.ObjectPath("/org/freedesktop/Notifications")
	busPath    = dbus.ObjectPath("/org/freedesktop/DBus")
)

// busLink is a connection to the session bus with the notices shown over it. Only one goroutine makes calls at a time.
//
// Of the module notify only the types are used. Its calls and its signal loop wait without limit, accept presses
// from any sender, and panic at unexpected signals.
type busLink struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal
	quit    chan struct{} // closed: no more callbacks
	close   func()

	owner   string // unique name of the server; "" for none
	caps    *Capabilities
	notices openNotices
	lost    []string // keys of notices lost with a server, not reported yet
}

// event is what happened to a notice. The zero value means nothing.
type event struct {
	key, action string
	pressed     bool
	reason      Reason
	lost        []string // keys of notices lost with the server
}

// dial connects to the first address that answers and subscribes to the server's signals.
func dial(ctx context.Context, addresses []string) (*busLink, error) {
	err := errors.New("there is no session bus")
	for _, address := range addresses {
		var l *busLink
		if l, err = dialOne(ctx, address); err == nil {
			return l, nil
		}
	}
	return nil, err
}

func dialOne(ctx context.Context, address string) (*busLink, error) {
	conn, err := dbus.Dial(address, dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return nil, err
	}
	l := &busLink{conn: conn, signals: make(chan *dbus.Signal, 16), quit: make(chan struct{})}
	l.close = sync.OnceFunc(func() {
		close(l.quit)
		conn.Close()
	})
	hasty := context.AfterFunc(ctx, func() { conn.Close() })
	defer hasty()
	err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))})
	if err == nil {
		err = conn.Hello()
	}
	conn.Signal(l.signals)
	if err == nil {
		err = l.subscribe(ctx)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// subscribe subscribes to the server's signals and to changes of its owner.
func (l *busLink) subscribe(ctx context.Context) error {
	err := l.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(service), dbus.WithMatchObjectPath(objectPath), dbus.WithMatchInterface(service))
	if err != nil {
		return err
	}
	return l.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(bus), dbus.WithMatchInterface(bus),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service))
}

// isClosed reports that no more callbacks are allowed.
func (l *busLink) isClosed() bool {
	select {
	case <-l.quit:
		return true
	default:
		return false
	}
}

// findServer determines the server's bus name, without starting it, and reports whether there is one.
func (l *busLink) findServer(ctx context.Context) (bool, error) {
	var owner string
	err := l.conn.Object(bus, busPath).CallWithContext(ctx, bus+".GetNameOwner", 0, service).Store(&owner)
	var said dbus.Error
	if err != nil && (!errors.As(err, &said) || said.Name != noOwner) {
		return false, err
	}
	l.setOwner(owner)
	return owner != "", nil
}

// callMethod calls a method of the server without starting it.
func (l *busLink) callMethod(ctx context.Context, method string, args ...any) *dbus.Call {
	return l.conn.Object(service, objectPath).CallWithContext(ctx, service+"."+method, dbus.FlagNoAutoStart, args...)
}

func (l *busLink) show(ctx context.Context, o Options, notice Notice) error {
	can, err := l.capabilities(ctx)
	if err != nil {
		return err
	}
	replaces, serial := l.notices.next(notice.Key)
	note, buttons := notice.note(o, can, serial)
	note.ReplacesID = replaces
	var id uint32
	err = l.callMethod(ctx, "Notify", note.AppName, note.ReplacesID, note.AppIcon, note.Summary, note.Body, flatten(note.Actions), note.Hints,
		int32(note.ExpireTimeout.Milliseconds())).Store(&id)
	if err != nil {
		return err
	}
	l.notices.put(id, openNotice{key: notice.Key, buttons: buttons, resident: notice.Resident})
	return nil
}

func flatten(actions []notify.Action) []string {
	flat := []string{}
	for _, a := range actions {
		flat = append(flat, a.Key, a.Label)
	}
	return flat
}

// withdraw closes a notification. Some servers return an error if it is closed already.
func (l *busLink) withdraw(ctx context.Context, id uint32) error {
	err := l.callMethod(ctx, "CloseNotification", id).Err
	var said dbus.Error
	if errors.As(err, &said) {
		return nil
	}
	return err
}

func (l *busLink) capabilities(ctx context.Context) (Capabilities, error) {
	if l.caps != nil {
		return *l.caps, nil
	}
	var list []string
	if err := l.callMethod(ctx, "GetCapabilities").Store(&list); err != nil {
		return Capabilities{}, err
	}
	can := parseCapabilities(list)
	var vendor, spec string
	// The server's name is only for display.
	_ = l.callMethod(ctx, "GetServerInformation").Store(&can.Server, &vendor, &can.Version, &spec)
	can.Server, can.Version = line(can.Server, maxLabel), line(can.Version, maxLabel)
	l.caps = &can
	return can, nil
}

// parseSignal converts a signal to an event. The bus guarantees the sender.
func (l *busLink) parseSignal(s *dbus.Signal) event {
	switch {
	case s == nil:
	case s.Sender == bus && s.Name == changed:
		return l.ownerChanged(s.Body)
	case s.Path != objectPath || l.owner == "" || s.Sender != l.owner:
	case s.Name == invoked:
		var id uint32
		var action string
		if dbus.Store(s.Body, &id, &action) == nil {
			return l.notices.press(id, action)
		}
	case s.Name == closed:
		var id, reason uint32
		if dbus.Store(s.Body, &id, &reason) == nil {
			return l.notices.end(id, Reason(reason))
		}
	}
	return event{}
}

// ownerChanged handles a change of the server. It ignores changes older than the last known owner.
func (l *busLink) ownerChanged(body []any) event {
	var name, before, now string
	if dbus.Store(body, &name, &before, &now) == nil && name == service && before == l.owner {
		l.setOwner(now)
	}
	lost := l.lost
	l.lost = nil
	return event{lost: lost}
}

// setOwner records the server's bus name. A new server does not have the notices of the previous one.
func (l *busLink) setOwner(owner string) {
	if owner == l.owner {
		return
	}
	l.owner, l.caps = owner, nil
	l.lost = append(l.lost, l.notices.clear()...)
}
