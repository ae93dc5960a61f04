package systemd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Failure is a failed unit that the manager does not restart.
type Failure struct {
	Unit string
	User bool // a unit of the user's manager, not of the system's
	// Key identifies this failure of the unit: the time of its change of state.
	Key string
}

// Failures reports failing units of the system's and the user's manager.
type Failures struct {
	User UserManager
	// Address is the system bus. "" means $DBUS_SYSTEM_BUS_ADDRESS or the default.
	Address string
}

// List returns the currently failed units, sorted. It fails only if neither manager answers.
func (f Failures) List(ctx context.Context) ([]Failure, error) {
	var failed []Failure
	var errs []error
	for _, user := range []bool{false, true} {
		found, err := failedUnits(ctx, f.addresses(user))
		if err != nil {
			errs = append(errs, err)
		}
		for _, one := range found {
			one.User = user
			failed = append(failed, one)
		}
	}
	if len(errs) == 2 {
		return nil, fmt.Errorf("cannot list failed units: %w", errors.Join(errs...))
	}
	return failed, nil
}

// Watch calls failed for each unit that fails from now on, one call at a time, until ctx ends. A unit that fails
// again after it recovered or was started is reported again. Watch waits for missing managers.
func (f Failures) Watch(ctx context.Context, failed func(Failure)) {
	var one sync.Mutex
	var both sync.WaitGroup
	for _, user := range []bool{false, true} {
		both.Go(func() {
			watchFailures(ctx, f.addresses(user), func(unit, key string) {
				one.Lock()
				defer one.Unlock()
				failed(Failure{Unit: unit, User: user, Key: key})
			})
		})
	}
	both.Wait()
}

func (f Failures) addresses(user bool) []string {
	if user {
		return f.User.Addresses
	}
	return []string{systemBus(f.Address)}
}

// watchFailures watches one manager.
func watchFailures(ctx context.Context, addresses []string, failed func(unit, key string)) {
	down := map[string]bool{}
	listenForever(ctx, addresses, func(ctx context.Context, conn *dbus.Conn) (<-chan *dbus.Signal, error) {
		signals, _, err := managerSignals(ctx, conn, dbus.WithMatchInterface("org.freedesktop.DBus.Properties"), dbus.WithMatchMember("PropertiesChanged"),
			dbus.WithMatchPathNamespace(managerPath+"/unit"), dbus.WithMatchArg(0, unitProperties))
		if err == nil {
			err = recordFailed(ctx, conn, down)
		}
		return signals, err
	}, func(s *dbus.Signal) {
		unit, state, key := changedState(s)
		switch {
		case state == "":
		case state != "failed":
			delete(down, unit)
		case !down[unit]:
			down[unit] = true
			failed(unit, key)
		}
	})
}

// recordFailed records the units that failed before the connection was made.
func recordFailed(ctx context.Context, conn *dbus.Conn, down map[string]bool) error {
	found, err := listFailed(ctx, conn)
	clear(down)
	for _, f := range found {
		down[f.Unit] = true
	}
	return err
}

// changedState parses a unit's PropertiesChanged, which contains all properties of a change of state,
// org.freedesktop.systemd1(5). state is "" if it did not change.
func changedState(s *dbus.Signal) (unit, state, key string) {
	var iface string
	var changed map[string]dbus.Variant
	var gone []string
	if s.Name != "org.freedesktop.DBus.Properties.PropertiesChanged" || dbus.Store(s.Body, &iface, &changed, &gone) != nil || iface != unitProperties {
		return "", "", ""
	}
	if !strings.HasPrefix(string(s.Path), string(managerPath)+"/unit/") {
		return "", "", ""
	}
	state, _ = changed["ActiveState"].Value().(string)
	return unitName(s.Path), state, keyOf(changed)
}

// keyOf returns the time of a unit's change of state.
func keyOf(properties map[string]dbus.Variant) string {
	at, _ := properties["StateChangeTimestamp"].Value().(uint64)
	return strconv.FormatUint(at, 10)
}

func failedUnits(ctx context.Context, addresses []string) ([]Failure, error) {
	conn, err := dialBus(ctx, addresses)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return listFailed(ctx, conn)
}

func listFailed(ctx context.Context, conn *dbus.Conn) ([]Failure, error) {
	var units []struct {
		Name, Description, Load, Active, Sub, Following string
		Path                                            dbus.ObjectPath
		Job                                             uint32
		JobType                                         string
		JobPath                                         dbus.ObjectPath
	}
	err := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"ListUnitsFiltered", 0, []string{"failed"}).Store(&units)
	if err != nil {
		return nil, err
	}
	var failed []Failure
	for _, u := range units {
		about, err := properties(ctx, conn, u.Path, unitProperties)
		if err != nil {
			continue // the unit was removed meanwhile
		}
		failed = append(failed, Failure{Unit: u.Name, Key: keyOf(about)})
	}
	sorting.By(failed, func(a, b Failure) int { return strings.Compare(a.Unit, b.Unit) })
	return failed, nil
}

// StartTime returns when the user's service manager was started: at login, or at boot for a lingering user.
// sinceBoot is the same time on CLOCK_MONOTONIC. Together with [BootID] it identifies a login independently of
// the wall clock.
func (m UserManager) StartTime(ctx context.Context) (at time.Time, sinceBoot time.Duration, err error) {
	conn, err := m.connect(ctx)
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("cannot connect to the service manager: %w", err)
	}
	defer conn.Close()
	all, err := properties(ctx, conn, managerPath, managerService+".Manager")
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("cannot determine when the service manager was started: %w", err)
	}
	wall, _ := all["UserspaceTimestamp"].Value().(uint64)
	mono, _ := all["UserspaceTimestampMonotonic"].Value().(uint64)
	if wall == 0 {
		return time.Time{}, 0, errors.New("the service manager did not report its start time")
	}
	return time.UnixMicro(int64(wall)), time.Duration(mono) * time.Microsecond, nil
}
