package systemd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/renameio/v2"
)

// The daemon's unit and the units that start it.
const (
	agentService = "blunux-ai-agent.service"
	agentTimer   = "blunux-ai-agent.timer"
	agentPath    = "blunux-ai-agent.path"
)

// wakeTimeout is the time limit for the manager to apply a change.
const wakeTimeout = 10 * time.Second

// Waker makes the user's service manager start the daemon when something is due or a file changes.
//
// Due times are in drop-ins for the installed units, below $XDG_CONFIG_HOME/systemd/user, and so outlast the
// manager. A due time that passes while the person is logged out starts the daemon at the next login
// (Persistent=, systemd.timer(5)).
type Waker struct {
	manager UserManager
	dir     string // of the user's units; "" without a home directory

	mu        sync.Mutex
	isCurrent bool // the manager has loaded the current drop-ins
}

// NewWaker returns the waker for the daemon's manager, found through the environment.
func NewWaker(getenv func(string) string) *Waker {
	w := &Waker{manager: NewUserManager(getenv)}
	if config := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		w.dir = filepath.Join(config, "systemd", "user")
	} else if home := getenv("HOME"); filepath.IsAbs(home) {
		w.dir = filepath.Join(home, ".config", "systemd", "user")
	}
	return w
}

// Schedule starts the daemon at each of the next 16 times, rounded up to the second, and when one of the first 64
// files with suitable absolute paths changes; a directory changes when an entry does. Past times are ignored.
// Each call replaces the previous request. Empty lists clear it.
//
// It works only if this process is the main process of the daemon's unit, and its timer is installed and not
// masked, which active reports. To survive a login, the timer and the path unit are enabled if there is anything
// to wait for; masking them prevents that. Automations that begin with a login need only the files of the rules
// in the request.
//
// If the written drop-ins are still sufficient, Wake writes nothing and does not contact the manager. Some
// remaining times of a long list are enough.
func (w *Waker) Schedule(ctx context.Context, at []time.Time, files []string) (active bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dir == "" {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
	defer cancel()
	due, watched := upcomingTimes(at, time.Now()), watchable(files)
	changed := !w.isDueSufficient(due) || !w.isFilesSufficient(watched)
	if w.isCurrent && !changed {
		return true, nil
	}
	w.isCurrent = false
	conn, err := w.manager.connect(ctx)
	if err != nil {
		return false, ctx.Err()
	}
	defer conn.Close()
	if !isAgent(ctx, conn) {
		return false, ctx.Err()
	}
	if active, err = w.apply(ctx, conn, due, watched); err != nil {
		return false, fmt.Errorf("cannot schedule the daemon's start: %w", err)
	}
	w.isCurrent = active
	return active, nil
}

// isAgent reports whether this process belongs to the daemon's unit.
func isAgent(ctx context.Context, conn *dbus.Conn) bool {
	var path dbus.ObjectPath
	err := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"GetUnitByPID", 0, uint32(os.Getpid())).Store(&path)
	return err == nil && unitName(path) == agentService
}

// apply writes changed drop-ins and makes the manager use them.
func (w *Waker) apply(ctx context.Context, conn *dbus.Conn, due []time.Time, files []string) (active bool, err error) {
	timer, err := unitState(ctx, conn, agentTimer)
	if err != nil || timer.Load != "loaded" {
		return false, err
	}
	path, err := unitState(ctx, conn, agentPath)
	if err != nil {
		return false, err
	}
	newTimes, newFiles := !w.isDueSufficient(due), !w.isFilesSufficient(files)
	if newTimes {
		err = w.writeDropIn(agentTimer, dueName, dueText(due))
	}
	if newFiles && path.Load == "loaded" {
		err = errors.Join(err, w.writeDropIn(agentPath, filesName, filesText(files)))
	}
	if err != nil {
		return false, err
	}
	steps := []unitStep{{agentTimer, timer, newTimes || timer.NeedLoad}}
	if path.Load == "loaded" {
		steps = append(steps, unitStep{agentPath, path, newFiles || path.NeedLoad})
	}
	return true, applySteps(ctx, conn, steps, len(due)+len(files) > 0)
}

// unitStep is a unit that the manager must load in its current version.
type unitStep struct {
	name  string
	state UnitState
	stale bool // its files are newer than the loaded version
}

// applySteps makes the manager load the units, and starts them if there is anything to wait for. A running unit must
// be restarted to use its new version.
func applySteps(ctx context.Context, conn *dbus.Conn, steps []unitStep, wanted bool) error {
	manager := conn.Object(managerService, managerPath)
	reload := slices.ContainsFunc(steps, func(s unitStep) bool { return s.stale })
	if disabled := disabledUnits(steps); wanted && len(disabled) > 0 {
		if err := manager.CallWithContext(ctx, managerCalls+"EnableUnitFiles", 0, disabled, false, false).Err; err != nil {
			return fmt.Errorf("cannot enable %v: %w", disabled, err)
		}
		reload = true
	}
	if reload {
		if err := manager.CallWithContext(ctx, managerCalls+"Reload", 0).Err; err != nil {
			return fmt.Errorf("cannot reload unit files: %w", err)
		}
	}
	stops, err := isStopping(ctx, conn)
	if err != nil {
		return err
	}
	for _, s := range steps {
		runs := s.state.Active == "active"
		if runs && s.stale || !runs && wanted {
			if err := runJob(ctx, conn, "RestartUnit", s.name, !stops); err != nil {
				return err
			}
		}
	}
	return nil
}

// isStopping reports that the manager is stopping the daemon. The units that start it can only start after that, so
// waiting for them would deadlock.
func isStopping(ctx context.Context, conn *dbus.Conn) (bool, error) {
	agent, err := unitState(ctx, conn, agentService)
	return agent.Active == "deactivating", err
}

func disabledUnits(steps []unitStep) (names []string) {
	for _, s := range steps {
		if s.state.Enabled == "disabled" {
			names = append(names, s.name)
		}
	}
	return names
}

// runJob makes the manager start or restart a unit, and waits for it if wait is set.
func runJob(ctx context.Context, conn *dbus.Conn, method, name string, wait bool) error {
	removed, stop, err := managerSignals(ctx, conn, dbus.WithMatchInterface(managerService+".Manager"), dbus.WithMatchMember("JobRemoved"))
	if err != nil {
		return err
	}
	defer stop()
	var job dbus.ObjectPath
	if err := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+method, 0, name, "replace").Store(&job); err != nil {
		return fmt.Errorf("cannot start %s: %w", name, err)
	}
	if !wait {
		return nil
	}
	for {
		select {
		case s, ok := <-removed:
			if !ok {
				return fmt.Errorf("cannot start %s: lost the connection to the service manager", name)
			}
			var id uint32
			var path dbus.ObjectPath
			var unit, result string
			if s.Name != managerCalls+"JobRemoved" || dbus.Store(s.Body, &id, &path, &unit, &result) != nil || path != job {
				continue
			}
			if result != "done" {
				return fmt.Errorf("cannot start %s: %s", name, result)
			}
			return nil
		case <-ctx.Done():
			return fmt.Errorf("cannot start %s: %w", name, ctx.Err())
		}
	}
}

// writeDropIn replaces a drop-in, or removes it if text is empty.
func (w *Waker) writeDropIn(unit, name, text string) error {
	dir := filepath.Join(w.dir, unit+".d")
	file := filepath.Join(dir, name)
	if text == "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(dir) // fails if it contains other drop-ins
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(file, []byte(text), 0o644)
}

// readDropIn returns a drop-in's text, or "".
func (w *Waker) readDropIn(unit, name string) string {
	text, err := os.ReadFile(filepath.Join(w.dir, unit+".d", name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (w *Waker) isDueSufficient(want []time.Time) bool {
	return isSufficient(dueTimes(w.readDropIn(agentTimer, dueName)), want, time.Now())
}

func (w *Waker) isFilesSufficient(want []string) bool {
	return w.readDropIn(agentPath, filesName) == filesText(want)
}
