// Package desktop shows notifications on the person's desktop and hears which
// of their buttons is pressed.
//
// Other programs on the session bus may send signals as well: a press counts
// only from whoever owns org.freedesktop.Notifications, of a notification that
// is ours and still open, and of a button it has. A notification that is closed
// or expires says nothing.
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

// ErrNobody reports that nobody shows notifications: there is no session bus,
// no notification server, or it does not answer in time.
var ErrNobody = errors.New("nobody shows notifications")

// Bounds on how long others may take.
const (
	patience   = 2 * time.Second // for one call, connecting and starting the server included
	startAgain = time.Minute     // after a server that could not be started
)

// Options are what a [Notifier] is made with.
type Options struct {
	// Addresses of the session bus are tried in order, as those of
	// systemd.NewUserManager.
	Addresses []string
	// App is the program's name, Icon the name of its icon in the icon theme,
	// Entry that of its desktop file without ".desktop"; the last two may be "".
	App, Icon, Entry string
	// Pressed is called with a notice's key and the pressed button's. Closed is
	// called when a notice was closed with nothing pressed on it, which is no
	// answer. Both are called one at a time, in the order of what happened, and may
	// call the notifier; nil is fine.
	Pressed func(key, action string)
	Closed  func(key string, reason Reason)
}

// Notifier shows notices. It connects when the first one is shown, and anew
// after the bus or the server has gone away, which takes down what it showed.
type Notifier struct {
	options Options

	call chan struct{} // held by who talks to the server; what signals say is looked at in between
	mu   sync.Mutex
	link *link // nil: not connected
	shut bool
	// noStart is until when the server is not started again, because it could not be.
	noStart time.Time
}

// New returns a notifier, which must be closed.
func New(options Options) *Notifier {
	if options.Pressed == nil {
		options.Pressed = func(string, string) {}
	}
	if options.Closed == nil {
		options.Closed = func(string, Reason) {}
	}
	return &Notifier{options: options, call: make(chan struct{}, 1)}
}

// Show shows a notice in the place of the one with the same key, if there is
// one. It returns [ErrNobody] within two seconds when nobody does; a server that
// is slower than that may show it nevertheless, with buttons that do nothing.
func (n *Notifier) Show(ctx context.Context, notice Notice) error {
	err := n.talk(ctx, func(ctx context.Context, l *link) error { return l.show(ctx, n.options, notice) })
	if err != nil {
		return fmt.Errorf("cannot show a notification: %w", err)
	}
	return nil
}

// Withdraw takes down the notice with the key. It is no error when there is
// none. The notice's buttons count for nothing from then on, whatever becomes of
// the call. [Options.Closed] is not called.
func (n *Notifier) Withdraw(ctx context.Context, key string) error {
	l := n.linked()
	if l == nil {
		return nil
	}
	id, ok := l.shown.drop(key)
	if !ok {
		return nil
	}
	err := n.talk(ctx, func(ctx context.Context, now *link) error {
		if now != l {
			return nil // it went with the connection
		}
		return l.withdraw(ctx, id)
	})
	if err != nil {
		return fmt.Errorf("cannot withdraw a notification: %w", err)
	}
	return nil
}

// Capabilities returns what the server can do.
func (n *Notifier) Capabilities(ctx context.Context) (Capabilities, error) {
	var c Capabilities
	err := n.talk(ctx, func(ctx context.Context, l *link) (err error) {
		c, err = l.capabilities(ctx)
		return err
	})
	if err != nil {
		return Capabilities{}, fmt.Errorf("cannot ask the notification server: %w", err)
	}
	return c, nil
}

// Shown returns how many notices with buttons are open.
func (n *Notifier) Shown() int {
	l := n.linked()
	if l == nil {
		return 0
	}
	return l.shown.asking()
}

// Close ends the connection. What is shown stays, and its buttons do nothing. A
// callback that has begun may go on for a moment.
func (n *Notifier) Close() {
	n.mu.Lock()
	l := n.link
	n.link, n.shut = nil, true
	n.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// talk has one thing asked of the server, after the one before it.
func (n *Notifier) talk(ctx context.Context, ask func(context.Context, *link) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case n.call <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrNobody, ctx.Err())
	}
	defer func() { <-n.call }()
	l, err := n.connect(ctx)
	if err == nil {
		err = n.serve(ctx, l)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNobody, err)
	}
	err = ask(ctx, l)
	var said dbus.Error
	if err != nil && (!errors.As(err, &said) || gone(said)) {
		return fmt.Errorf("%w: %w", ErrNobody, err)
	}
	return err
}

// gone reports errors the bus answers with in a server's place, D-Bus
// Specification, "Error names".
func gone(err dbus.Error) bool {
	switch err.Name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.NoReply",
		"org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Timeout":
		return true
	}
	return false
}

func (n *Notifier) linked() *link {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.link
}

// connect returns the connection, a new one where there is none that works. The
// caller holds n.call.
func (n *Notifier) connect(ctx context.Context) (*link, error) {
	n.mu.Lock()
	l, shut := n.link, n.shut
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
	if n.shut {
		l.conn.Close()
		return nil, errors.New("the notifier is closed")
	}
	n.link = l
	go n.listen(l)
	return l, nil
}

// serve sees to it that there is a server. One that is not running is started,
// as any call to it would, but not over and over: a server that dies at once
// because there is no screen yet would be locked out by the service manager.
func (n *Notifier) serve(ctx context.Context, l *link) error {
	there, err := l.served(ctx)
	if err != nil || there {
		return err
	}
	if time.Now().Before(n.noStart) {
		return errors.New("the server could not be started a moment ago")
	}
	if err := l.start(ctx); err != nil {
		n.noStart = time.Now().Add(startAgain)
		return err
	}
	if there, err = l.served(ctx); err == nil && !there {
		err = errors.New("the server left as soon as it was started")
	}
	return err
}

// listen tells of what happens to the notices of a connection until it ends.
func (n *Notifier) listen(l *link) {
	for signal := range l.signals {
		// A press may be read before the reply that says which notice it is of.
		select {
		case n.call <- struct{}{}:
		case <-l.quit:
			return
		}
		event := l.hear(signal)
		<-n.call
		n.tell(l, event)
	}
	n.tell(l, event{lost: append(l.lost, l.shown.clear()...)})
}

// tell passes on what happened, unless the notifier was closed meanwhile.
func (n *Notifier) tell(l *link, e event) {
	for _, key := range e.lost {
		if !l.quitting() {
			n.options.Closed(key, Gone)
		}
	}
	switch {
	case l.quitting():
	case e.pressed:
		n.options.Pressed(e.key, e.action)
	case e.reason != 0:
		n.options.Closed(e.key, e.reason)
	}
}
