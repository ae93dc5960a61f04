package quick

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"
)

// Names on the bus.
const (
	manager     = "org.freedesktop.systemd1"
	managerPath = dbus.ObjectPath("/org/freedesktop/systemd1")
)

// scopeTime bounds how long [LeaveUnit] waits for the service manager.
const scopeTime = 5 * time.Second

// property is a property of a unit.
type property struct {
	Name  string
	Value dbus.Variant
}

// LeaveUnit moves this process into a scope of its own, so that a window that it opens outlives the service that started it:
// the manager ends all processes of a service with it. Without a service manager on the bus there is nothing to leave.
//
// Source: org.freedesktop.systemd1(5), StartTransientUnit and JobRemoved; systemd.io/DESKTOP_ENVIRONMENTS, names of scopes.
func LeaveUnit(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, scopeTime)
	defer cancel()
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil // no bus
	}
	defer conn.Close()
	var running bool
	owned := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, manager)
	if err := owned.Store(&running); err != nil || !running {
		return nil
	}
	if err := startScope(ctx, conn); err != nil {
		return fmt.Errorf("cannot leave the unit of this process: %w", err)
	}
	return nil
}

// startScope starts a scope with this process in it, and waits until it is.
func startScope(ctx context.Context, conn *dbus.Conn) error {
	object := conn.Object(manager, managerPath)
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(manager), dbus.WithMatchInterface(manager+".Manager"),
		dbus.WithMatchMember("JobRemoved")); err != nil {
		return err
	}
	jobs := make(chan *dbus.Signal, 64)
	conn.Signal(jobs)
	if err := object.CallWithContext(ctx, manager+".Manager.Subscribe", 0).Err; err != nil {
		return err
	}
	pid := uint32(os.Getpid())
	name := "app-" + appID + "-" + strconv.Itoa(int(pid)) + ".scope"
	about := []property{
		{"PIDs", dbus.MakeVariant([]uint32{pid})},
		{"Slice", dbus.MakeVariant("app.slice")},
		{"CollectMode", dbus.MakeVariant("inactive-or-failed")},
	}
	var job dbus.ObjectPath
	aux := []struct {
		Name       string
		Properties []property
	}{}
	if err := object.CallWithContext(ctx, manager+".Manager.StartTransientUnit", 0, name, "fail", about, aux).Store(&job); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case signal := <-jobs:
			if signal == nil {
				return ctx.Err()
			}
			if len(signal.Body) > 1 && signal.Body[1] == job {
				return nil
			}
		}
	}
}
