// Package desktop shows notifications on the person's desktop and reports which of their buttons is pressed.
//
// Other programs on the session bus can send signals too. A press counts only if the owner of
// org.freedesktop.Notifications sent it, for one of our open notifications and one of its buttons. A closed or
// expired notification is not an answer.
//
// Source: Desktop Notifications Specification 1.3 (org.freedesktop.Notifications).
package desktop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// ErrNoServer reports that notifications cannot be shown: there is no session bus or no notification server, or it
// does not answer in time.
var ErrNoServer = errors.New("no notification server")

// Time limits.
const (
	callTimeout = 2 * time.Second // for one call, including connecting and starting the server
	startPause  = time.Minute     // pause after a server could not be started
)

// Options configures a [Notifier].
type Options struct {
	// Addresses of the session bus, tried in order, like those of systemd.NewUserManager.
	Addresses []string
	// App is the program's name, Icon the name of its icon in the icon theme, Entry the name of its desktop file
	// without ".desktop". Icon and Entry may be "".
	App, Icon, Entry string
	// Pressed is called with the keys of a notice and of its pressed button. Closed is called when a notice was
	// closed without a press, which is not an answer. Calls are sequential, in the order of events, and may call
	// the notifier. Both may be nil.
	Pressed func(key, action string)
	Closed  func(key string, reason Reason)
}

// Notifier shows notices. It connects when the first one is shown, and reconnects after the bus or the server
// quit, which removes all notices.
type Notifier struct {
	options Options

	call   chan struct{} // semaphore for calls to the server; signals are handled between calls
	mu     sync.Mutex
	link   *busLink // nil if not connected
	closed bool
	// noStart is the time until which the server is not started again after a failure.
	noStart time.Time
}

// New returns a notifier. The caller must close it.
func New(options Options) *Notifier {
	if options.Pressed == nil {
		options.Pressed = func(string, string) {}
	}
	if options.Closed == nil {
		options.Closed = func(string, Reason) {}
	}
	return &Notifier{options: options, call: make(chan struct{}, 1)}
}

// Show shows a notice and replaces the one with the same key. It returns [ErrNoServer] within two seconds if that
// fails. A slower server may still show the notice later, but its buttons have no effect.
func (n *Notifier) Show(ctx context.Context, notice Notice) error {
	err := n.callServer(ctx, func(ctx context.Context, l *busLink) error { return l.show(ctx, n.options, notice) })
	if err != nil {
		return fmt.Errorf("cannot show a notification: %w", err)
	}
	return nil
}

// Withdraw removes the notice with the key, if there is one. Its buttons have no effect from then on, even if the
// call fails. [Options.Closed] is not called.
func (n *Notifier) Withdraw(ctx context.Context, key string) error {
	l := n.currentLink()
	if l == nil {
		return nil
	}
	id, ok := l.notices.drop(key)
	if !ok {
		return nil
	}
	err := n.callServer(ctx, func(ctx context.Context, now *busLink) error {
		if now != l {
			return nil // removed with the connection
		}
		return l.withdraw(ctx, id)
	})
	if err != nil {
		return fmt.Errorf("cannot withdraw a notification: %w", err)
	}
	return nil
}

// Capabilities returns the server's capabilities.
func (n *Notifier) Capabilities(ctx context.Context) (Capabilities, error) {
	var c Capabilities
	err := n.callServer(ctx, func(ctx context.Context, l *busLink) (err error) {
		c, err = l.capabilities(ctx)
		return err
	})
	if err != nil {
		return Capabilities{}, fmt.Errorf("cannot query the notification server: %w", err)
	}
	return c, nil
}

// Start makes the bus start the service with a name if another name, wanted, has an owner. It does not wait for the start.
func (n *Notifier) Start(ctx context.Context, name, wanted string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := n.lockCalls(ctx)
	if err != nil {
		return err
	}
	defer func() { <-n.call }()
	l, err := n.connect(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoServer, errors.Join(ctx.Err(), err))
	}
	var owned bool
	object := l.conn.Object(bus, busPath)
	err = object.CallWithContext(ctx, bus+".NameHasOwner", 0, wanted).Store(&owned)
	if err == nil && owned {
		err = object.CallWithContext(ctx, bus+".StartServiceByName", dbus.FlagNoReplyExpected, name, uint32(0)).Err
	}
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", name, err)
	}
	return nil
}

// lockCalls waits until no other call to the server is made.
func (n *Notifier) lockCalls(ctx context.Context) error {
	select {
	case n.call <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrNoServer, ctx.Err())
	}
}

// Close ends the connection. Open notices stay, but their buttons have no effect. A running callback may continue
// for a moment.
func (n *Notifier) Close() {
	n.mu.Lock()
	l := n.link
	n.link, n.closed = nil, true
	n.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// callServer makes one call to the server at a time.
func (n *Notifier) callServer(ctx context.Context, ask func(context.Context, *busLink) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := n.lockCalls(ctx)
	if err != nil {
		return err
	}
	defer func() { <-n.call }()
	l, err := n.connect(ctx)
	if err == nil {
		err = n.ensureServer(ctx, l)
	}
	if err != nil { // a dial that ctx ends reports only that its connection is closed
		return fmt.Errorf("%w: %w", ErrNoServer, errors.Join(ctx.Err(), err))
	}
	err = ask(ctx, l)
	var said dbus.Error
	if err != nil && (!errors.As(err, &said) || isServerGone(said)) {
		return fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	return err
}

// isServerGone reports errors with which the bus answers for a missing server, D-Bus Specification, "Error names".
func isServerGone(err dbus.Error) bool {
	switch err.Name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.NoReply",
		"org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Timeout":
		return true
	}
	return false
}

func (n *Notifier) currentLink() *busLink {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.link
}

// connect returns the connection, or a new one if it does not work. The caller holds n.call.
func (n *Notifier) connect(ctx context.Context) (*busLink, error) {
	n.mu.Lock()
	l, shut := n.link, n.closed
	n.mu.Unlock()
	switch {
	case shut:
		return nil, errors.New("the notifier is closed")
	case l != nil && l.conn.Connected():
		return l, nil
	}
	l, err := dial(ctx, n.options.Addresses)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		l.conn.Close()
		return nil, errors.New("the notifier is closed")
	}
	n.link = l
	go n.listen(l)
	return l, nil
}

// ensureServer ensures that there is a server. It starts a missing one, as any call would, but not repeatedly: a
// server that fails because there is no screen yet would reach the service manager's start limit.
func (n *Notifier) ensureServer(ctx context.Context, l *busLink) error {
	there, err := l.findServer(ctx)
	if err != nil || there {
		return err
	}
	if time.Now().Before(n.noStart) {
		return errors.New("the server could not be started a moment ago")
	}
	call := l.conn.Object(bus, busPath).CallWithContext(ctx, bus+".StartServiceByName", 0, service, uint32(0))
	if err := call.Err; err != nil {
		n.noStart = time.Now().Add(startPause)
		return err
	}
	if there, err = l.findServer(ctx); err == nil && !there {
		err = errors.New("the server quit immediately after its start")
	}
	return err
}

// listen reports the events of a connection's notices until it ends.
func (n *Notifier) listen(l *busLink) {
	for signal := range l.signals {
		// Wait for a current call: a press can arrive before the reply with the notice's id.
		select {
		case n.call <- struct{}{}:
		case <-l.quit:
			return
		}
		event := l.parseSignal(signal)
		<-n.call
		n.report(l, event)
	}
	n.report(l, event{lost: append(l.lost, l.notices.clear()...)})
}

// report calls the callbacks for an event, unless the notifier was closed meanwhile.
func (n *Notifier) report(l *busLink, e event) {
	for _, key := range e.lost {
		if !l.isClosed() {
			n.options.Closed(key, ServerLost)
		}
	}
	switch {
	case l.isClosed():
	case e.pressed:
		n.options.Pressed(e.key, e.action)
	case e.reason != 0:
		n.options.Closed(e.key, e.reason)
	}
}
