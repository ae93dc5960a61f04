// Package icon shows an icon on the panel while approvals wait, and ends when none waits. A click opens the approvals. The
// icon has no way to answer them.
//
// Source: StatusNotifierItem (freedesktop.org/wiki/Specifications/StatusNotifierItem), with the names of KDE, which the panels
// use: org.kde.StatusNotifierItem and org.kde.StatusNotifierWatcher.
package icon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
)

// Name is our name on the bus: the file in share/dbus-1/services makes the bus start the icon for it.
const Name = "org.blunux.ai.Icon"

// Names on the bus.
const (
	watcher     = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	item        = "org.kde.StatusNotifierItem"
	itemPath    = dbus.ObjectPath("/StatusNotifierItem")
	properties  = "org.freedesktop.DBus.Properties"
	bus         = "org.freedesktop.DBus"
)

// Options configures an icon.
type Options struct {
	Lang    i18n.Lang
	Address string       // of the session bus
	Dir     string       // of the approvals
	Open    func() error // opens the approvals
	Warn    func(error)
}

// Address returns the address of the session bus: dbus-daemon(1), "DBUS_SESSION_BUS_ADDRESS", or the socket of systemd's user bus.
func Address(getenv func(string) string) string {
	if address := getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address
	}
	return "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(getenv("XDG_RUNTIME_DIR"), "bus"))
}

// icon is a shown icon.
type icon struct {
	Options
	conn *dbus.Conn

	mu     sync.Mutex
	asks   []ipc.Ask
	opened time.Time
}

// Run shows the icon while approvals wait. It returns at once if there is none, no panel, or another icon.
func Run(ctx context.Context, o Options) error {
	conn, err := dbus.Connect(o.Address, dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("cannot connect to the session bus: %w", err)
	}
	defer conn.Close()
	reply, err := conn.RequestName(Name, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		return err
	}
	// The directory is watched before it is read, so that no change is missed.
	changes, err := watch.New(o.Warn, watch.Dir{Path: o.Dir, Match: isApproval})
	if err != nil {
		return err
	}
	defer changes.Close()
	i := &icon{Options: o, conn: conn}
	if i.update(); len(i.asks) == 0 {
		return nil
	}
	panels, err := i.show(ctx)
	if err != nil {
		return fmt.Errorf("cannot show the icon: %w", err)
	}
	return i.await(ctx, panels, changes.Changes())
}

// show exports the icon and registers it at the panel. It returns the changes of the panel's owner.
func (i *icon) show(ctx context.Context) (<-chan *dbus.Signal, error) {
	err := errors.Join(
		i.conn.ExportMethodTable(i.methods(), itemPath, item),
		i.conn.ExportMethodTable(i.properties(), itemPath, properties),
		i.conn.ExportMethodTable(map[string]any{
			"Introspect": func() (string, *dbus.Error) { return introspection, nil },
		}, itemPath, "org.freedesktop.DBus.Introspectable"),
		i.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(bus), dbus.WithMatchInterface(bus),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcher)),
	)
	if err != nil {
		return nil, err
	}
	panels := make(chan *dbus.Signal, 16)
	i.conn.Signal(panels)
	return panels, i.register(ctx)
}

// registerTime bounds a call to the panel.
const registerTime = 10 * time.Second

// register registers the icon at the panel, which is not started for it.
func (i *icon) register(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, registerTime)
	defer cancel()
	return i.conn.Object(watcher, watcherPath).CallWithContext(ctx, watcher+".RegisterStatusNotifierItem", dbus.FlagNoAutoStart, Name).Err
}

// await follows the approvals until none waits.
func (i *icon) await(ctx context.Context, panels <-chan *dbus.Signal, changes <-chan struct{}) error {
	for {
		expiry := time.NewTimer(time.Until(i.first().Expires))
		select {
		case <-ctx.Done():
			expiry.Stop()
			return nil
		case <-i.conn.Context().Done(): // the session is over
			expiry.Stop()
			return nil
		case signal := <-panels:
			var name, before, now string
			if signal != nil && dbus.Store(signal.Body, &name, &before, &now) == nil && name == watcher && now != "" {
				if err := i.register(ctx); err != nil {
					i.Warn(err)
				}
			}
		case <-changes:
		case <-expiry.C:
		}
		expiry.Stop()
		if i.update(); len(i.asks) == 0 {
			return nil
		}
		_ = i.conn.Emit(itemPath, item+".NewToolTip") // fails only with the connection
		_ = i.conn.Emit(itemPath, item+".NewTitle")
	}
}

// first returns the approval that expires first.
func (i *icon) first() ipc.Ask {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asks[0]
}

// update reads the approvals again.
func (i *icon) update() {
	asks := waiting(i.Dir, time.Now())
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asks = asks
}
