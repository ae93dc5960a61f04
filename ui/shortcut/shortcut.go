// Package shortcut proposes a global shortcut to the desktop, which asks the person, and reports when it is pressed.
//
// Source: XDG Desktop Portal documentation, "Global Shortcuts" (version 1; activation_token of version 2), "Request", "Session"
// and "Host Portal Registry".
package shortcut

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/ipc"
)

// Name is held on the bus by the process that listens.
const Name = "org.blunux.ai.Shortcut"

// appID is the desktop file whose name the desktop shows to the person.
const appID = "org.blunux.ai.quick"

// id is the name of the shortcut, and preferred what is proposed: XDG Shortcuts Specification.
const id, preferred = "quick", "LOGO+a"

// Names on the bus.
const (
	portal     = "org.freedesktop.portal.Desktop"
	portalPath = dbus.ObjectPath("/org/freedesktop/portal/desktop")
	shortcuts  = "org.freedesktop.portal.GlobalShortcuts"
	request    = "org.freedesktop.portal.Request"
	session    = "org.freedesktop.portal.Session"
	bus        = "org.freedesktop.DBus"
	registry   = "org.freedesktop.host.portal.Registry"
)

var (
	// ErrNoPortal reports a desktop that has no portal for shortcuts.
	ErrNoPortal = errors.New("the desktop has no portal for shortcuts")
	// ErrDeclined reports that the person or the desktop said no.
	ErrDeclined = errors.New("the shortcut was declined")
	// ErrRestarted reports a portal that was restarted, which ends the session.
	ErrRestarted = errors.New("the portal has been restarted")
	// errListening reports that another process listens.
	errListening = errors.New("another process listens to the shortcut")
)

// Session is a shortcut that is bound as long as the session is open.
type Session struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal
	handle  dbus.ObjectPath
	trigger string
}

// Bind binds the shortcut on the bus of an address. description is what the desktop shows to the person, who is asked the first
// time and may take a while. It returns [ErrNoPortal] or [ErrDeclined].
func Bind(ctx context.Context, address, description string) (*Session, error) {
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("%w: cannot connect to the session bus: %w", ErrNoPortal, err)
	}
	s := &Session{conn: conn, signals: make(chan *dbus.Signal, 16)}
	conn.Signal(s.signals)
	if err := s.bind(ctx, description); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the session and unbinds the shortcut.
func (s *Session) Close() { _ = s.conn.Close() }

// Trigger returns the keys in the desktop's words, "" if it does not say.
func (s *Session) Trigger() string { return s.trigger }

func (s *Session) object() dbus.BusObject { return s.conn.Object(portal, portalPath) }

func (s *Session) bind(ctx context.Context, description string) error {
	// Portals before version 1 of the registry know programs by their units only.
	_ = s.object().CallWithContext(ctx, registry+".Register", 0, appID, map[string]dbus.Variant{}).Err
	var version dbus.Variant
	err := s.object().CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, shortcuts, "version").Store(&version)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoPortal, err)
	}
	for _, member := range [][2]string{{request, "Response"}, {shortcuts, "Activated"}, {session, "Closed"}} {
		if err := s.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(portal), dbus.WithMatchInterface(member[0]), dbus.WithMatchMember(member[1])); err != nil {
			return fmt.Errorf("cannot wait for the portal: %w", err)
		}
	}
	if err := s.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(bus), dbus.WithMatchInterface(bus), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, portal)); err != nil {
		return fmt.Errorf("cannot wait for the portal: %w", err)
	}
	created, err := s.ask(ctx, "CreateSession", map[string]dbus.Variant{"session_handle_token": dbus.MakeVariant(token())})
	if err != nil {
		return err
	}
	if s.handle, err = pathOf(created["session_handle"]); err != nil {
		return err
	}
	wanted := []struct {
		ID    string
		About map[string]dbus.Variant
	}{{id, map[string]dbus.Variant{
		"description": dbus.MakeVariant(description), "preferred_trigger": dbus.MakeVariant(preferred),
	}}}
	bound, err := s.ask(ctx, "BindShortcuts", map[string]dbus.Variant{}, s.handle, wanted, "")
	if err != nil {
		return err
	}
	var list []struct {
		ID    string
		About map[string]dbus.Variant
	}
	if v, ok := bound["shortcuts"]; !ok || v.Store(&list) != nil || len(list) == 0 || list[0].ID != id {
		return ErrDeclined
	}
	trigger, _ := list[0].About["trigger_description"].Value().(string)
	s.trigger = strings.TrimSpace(ipc.VisibleLine(trigger))
	return nil
}

// ask makes a request and returns the portal's response.
func (s *Session) ask(ctx context.Context, method string, options map[string]dbus.Variant, args ...any) (map[string]dbus.Variant, error) {
	options["handle_token"] = dbus.MakeVariant(token())
	var handle dbus.ObjectPath
	if err := s.object().CallWithContext(ctx, shortcuts+"."+method, 0, append(args, options)...).Store(&handle); err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", method, err)
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.conn.Context().Done():
			return nil, errors.New("the session bus has ended")
		case signal := <-s.signals:
			var code uint32
			var results map[string]dbus.Variant
			if signal == nil || signal.Path != handle || dbus.Store(signal.Body, &code, &results) != nil {
				continue
			}
			if code != 0 { // 1: cancelled by the person, 2: ended in another way
				return nil, ErrDeclined
			}
			return results, nil
		}
	}
}

// Listen calls open with the desktop's permission to show a window each time that the shortcut is pressed, until the session ends.
// It returns [ErrRestarted] if the session must be bound again.
func (s *Session) Listen(ctx context.Context, open func(token string)) error {
	reply, err := s.conn.RequestName(Name, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		return errors.Join(err, errListening)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.conn.Context().Done(): // the person's session is over
			return nil
		case signal := <-s.signals:
			switch {
			case signal == nil, signal.Path == s.handle && signal.Name == session+".Closed":
				return nil
			case signal.Name == bus+".NameOwnerChanged" && len(signal.Body) == 3 && signal.Body[2] != "":
				return ErrRestarted
			case signal.Name == shortcuts+".Activated":
				s.pressed(signal.Body, open)
			}
		}
	}
}

// maxToken bounds an activation token, in bytes.
const maxToken = 256

func (s *Session) pressed(body []any, open func(token string)) {
	var handle dbus.ObjectPath
	var name string
	var at uint64
	var options map[string]dbus.Variant
	if dbus.Store(body, &handle, &name, &at, &options) != nil || handle != s.handle || name != id {
		return
	}
	token, _ := options["activation_token"].Value().(string)
	if len(token) > maxToken || strings.ContainsFunc(token, ipc.Unprintable) {
		token = ""
	}
	open(token)
}

// Listener returns the process that listens on the bus of an address. ok is false if none does.
func Listener(ctx context.Context, address string) (pid int, ok bool) {
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	var n uint32
	err = conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, Name).Store(&n)
	return int(n), err == nil
}

// token returns a word for the path of a request or session.
func token() string { return "blunux" + rand.Text() }

// pathOf returns an object path, which some portals send as a string.
func pathOf(v dbus.Variant) (dbus.ObjectPath, error) {
	path, ok := v.Value().(dbus.ObjectPath)
	if text, isText := v.Value().(string); isText {
		path, ok = dbus.ObjectPath(text), true
	}
	if !ok || !path.IsValid() {
		return "", errors.New("the portal names no session")
	}
	return path, nil
}
