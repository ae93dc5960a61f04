package systemd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

// UserManager queries the user's service manager about units. It starts nothing.
type UserManager struct {
	// Addresses are tried in order; see [NewUserManager].
	Addresses []string
}

// NewUserManager returns the manager of a session, found through its environment.
func NewUserManager(getenv func(string) string) UserManager {
	var m UserManager
	if address := getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		m.Addresses = append(m.Addresses, address)
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		m.Addresses = append(m.Addresses, "unix:path="+dbus.EscapeBusAddressValue(filepath.Join(dir, "bus")))
	}
	return m
}

// UnitState is the manager's state of a unit, org.freedesktop.systemd1(5).
type UnitState struct {
	Load     string // loaded, not-found, masked …
	Active   string // active, inactive, failed …
	Fragment string // path of the unit file
	Enabled  string // enabled, disabled, static …
	NeedLoad bool   // the file has changed since it was read
	PID      int    // main process of a service, or 0
}

// Unit returns the state of a unit. It loads the unit if needed, but never starts it.
func (m UserManager) Unit(ctx context.Context, name string) (UnitState, error) {
	conn, err := m.connect(ctx)
	if err != nil {
		return UnitState{}, fmt.Errorf("cannot connect to the service manager: %w", err)
	}
	defer conn.Close()
	return unitState(ctx, conn, name)
}

// D-Bus names of the service manager.
const (
	managerService = "org.freedesktop.systemd1"
	managerPath    = dbus.ObjectPath("/org/freedesktop/systemd1")
	managerCalls   = managerService + ".Manager."
	unitProperties = managerService + ".Unit"
)

func unitState(ctx context.Context, conn *dbus.Conn, name string) (UnitState, error) {
	var path dbus.ObjectPath
	if err := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"LoadUnit", 0, name).Store(&path); err != nil {
		return UnitState{}, fmt.Errorf("cannot get the state of %s: %w", name, err)
	}
	all, err := properties(ctx, conn, path, unitProperties)
	if err != nil {
		return UnitState{}, fmt.Errorf("cannot get the state of %s: %w", name, err)
	}
	if strings.HasSuffix(name, ".service") {
		main, err := properties(ctx, conn, path, managerService+".Service")
		if err != nil {
			return UnitState{}, fmt.Errorf("cannot get the state of %s: %w", name, err)
		}
		all["MainPID"] = main["MainPID"]
	}
	pid, _ := all["MainPID"].Value().(uint32)
	text := func(key string) string { s, _ := all[key].Value().(string); return s }
	stale, _ := all["NeedDaemonReload"].Value().(bool)
	return UnitState{
		Load: text("LoadState"), Active: text("ActiveState"), Fragment: text("FragmentPath"), Enabled: text("UnitFileState"), NeedLoad: stale, PID: int(pid),
	}, nil
}

func properties(ctx context.Context, conn *dbus.Conn, path dbus.ObjectPath, iface string) (all map[string]dbus.Variant, err error) {
	err = conn.Object(managerService, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", 0, iface).Store(&all)
	return all, err
}

func (m UserManager) connect(ctx context.Context) (*dbus.Conn, error) {
	return dialBus(ctx, m.Addresses)
}
