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
	service   = "org.freedesktop.Notifications"
	bus       = "org.freedesktop.DBus"
	closed    = service + ".NotificationClosed"
	invoked   = service + ".ActionInvoked"
	changed   = bus + ".NameOwnerChanged"
	nobodyYet = bus + ".Error.NameHasNoOwner"
)

const (
	objectPath = dbus.ObjectPath("/org/freedesktop/Notifications")
	busPath    = dbus.ObjectPath("/org/freedesktop/DBus")
)

// link is a connection to the session bus with the notices shown over it. Only one goroutine makes calls at a
// time.
//
// Of the module notify only the types are used. Its calls and its signal loop wait without limit, accept presses
// from any sender, and panic at unexpected signals.
type link struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal
	quit    chan struct{} // closed: no more callbacks
	close   func()

	owner string // unique name of the server; "" for none
	can   *Capabilities
	shown shown
	lost  []string // keys of notices lost with a server, not reported yet
}

// event is what happened to a notice. The zero value means nothing.
type event struct {
	key, action string
	pressed     bool
	reason      Reason
	lost        []string // keys of notices lost with the server
}

// dial connects to the first address that answers and subscribes to the server's signals.
func dial(ctx context.Context, addresses []string) (*link, error) {
	err := errors.New("there is no session bus")
	for _, address := range addresses {
		var l *link
		if l, err = dialOne(ctx, address); err == nil {
			return l, nil
		}
	}
	return nil, err
}

func dialOne(ctx context.Context, address string) (*link, error) {
	conn, err := dbus.Dial(address, dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, signals: make(chan *dbus.Signal, 16), quit: make(chan struct{})}
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
func (l *link) subscribe(ctx context.Context) error {
	err := l.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(service), dbus.WithMatchObjectPath(objectPath), dbus.WithMatchInterface(service))
	if err != nil {
		return err
	}
	return l.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(bus), dbus.WithMatchInterface(bus),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service))
}

// quitting reports that no more callbacks are allowed.
func (l *link) quitting() bool {
	select {
	case <-l.quit:
		return true
	default:
		return false
	}
}

// served determines the server's bus name, without starting it, and reports whether there is one.
func (l *link) served(ctx context.Context) (bool, error) {
	var owner string
	err := l.conn.Object(bus, busPath).CallWithContext(ctx, bus+".GetNameOwner", 0, service).Store(&owner)
	var said dbus.Error
	if err != nil && (!errors.As(err, &said) || said.Name != nobodyYet) {
		return false, err
	}
	l.own(owner)
	return owner != "", nil
}

// start asks the bus to start the server.
func (l *link) start(ctx context.Context) error {
	return l.conn.Object(bus, busPath).CallWithContext(ctx, bus+".StartServiceByName", 0, service, uint32(0)).Err
}

// server calls a method of the server without starting it.
func (l *link) server(ctx context.Context, method string, args ...any) *dbus.Call {
	return l.conn.Object(service, objectPath).CallWithContext(ctx, service+"."+method, dbus.FlagNoAutoStart, args...)
}

func (l *link) show(ctx context.Context, o Options, notice Notice) error {
	can, err := l.capabilities(ctx)
	if err != nil {
		return err
	}
	replaces, serial := l.shown.next(notice.Key)
	note, buttons := notice.note(o, can, serial)
	note.ReplacesID = replaces
	var id uint32
	err = l.server(ctx, "Notify", note.AppName, note.ReplacesID, note.AppIcon, note.Summary, note.Body, pairs(note.Actions), note.Hints,
		int32(note.ExpireTimeout.Milliseconds())).Store(&id)
	if err != nil {
		return err
	}
	l.shown.put(id, showing{key: notice.Key, buttons: buttons, resident: notice.Resident})
	return nil
}

func pairs(actions []notify.Action) []string {
	flat := []string{}
	for _, a := range actions {
		flat = append(flat, a.Key, a.Label)
	}
	return flat
}

// withdraw closes a notification. Some servers return an error if it is closed already.
func (l *link) withdraw(ctx context.Context, id uint32) error {
	err := l.server(ctx, "CloseNotification", id).Err
	var said dbus.Error
	if errors.As(err, &said) {
		return nil
	}
	return err
}

func (l *link) capabilities(ctx context.Context) (Capabilities, error) {
	if l.can != nil {
		return *l.can, nil
	}
	var list []string
	if err := l.server(ctx, "GetCapabilities").Store(&list); err != nil {
		return Capabilities{}, err
	}
	can := capable(list)
	var vendor, spec string
	// The server's name is only for display.
	_ = l.server(ctx, "GetServerInformation").Store(&can.Server, &vendor, &can.Version, &spec)
	can.Server, can.Version = line(can.Server, maxLabel), line(can.Version, maxLabel)
	l.can = &can
	return can, nil
}

// hear converts a signal to an event. The bus guarantees the sender.
func (l *link) hear(s *dbus.Signal) event {
	switch {
	case s == nil:
	case s.Sender == bus && s.Name == changed:
		return l.replaced(s.Body)
	case s.Path != objectPath || l.owner == "" || s.Sender != l.owner:
	case s.Name == invoked:
		var id uint32
		var action string
		if dbus.Store(s.Body, &id, &action) == nil {
			return l.shown.press(id, action)
		}
	case s.Name == closed:
		var id, reason uint32
		if dbus.Store(s.Body, &id, &reason) == nil {
			return l.shown.end(id, Reason(reason))
		}
	}
	return event{}
}

// replaced handles a change of the server. It ignores changes older than the last known owner.
func (l *link) replaced(body []any) event {
	var name, before, now string
	if dbus.Store(body, &name, &before, &now) == nil && name == service && before == l.owner {
		l.own(now)
	}
	lost := l.lost
	l.lost = nil
	return event{lost: lost}
}

// own records the server's bus name. A new server does not have the notices of the previous one.
func (l *link) own(owner string) {
	if owner == l.owner {
		return
	}
	l.owner, l.can = owner, nil
	l.lost = append(l.lost, l.shown.clear()...)
}
