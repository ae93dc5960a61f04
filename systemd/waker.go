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

// The units that start the daemon, and the daemon's own.
const (
	agentService = "blunux-ai-agent.service"
	agentTimer   = "blunux-ai-agent.timer"
	agentPath    = "blunux-ai-agent.path"
)

// wakePatience bounds how long the manager may take to take up what is due.
const wakePatience = 10 * time.Second

// Waker has the user's service manager start the daemon when something is due
// or a file changes while it does not run.
//
// What is due stands in drop-ins of the units that come with the program, below
// $XDG_CONFIG_HOME/systemd/user; so it outlasts the manager, and a due time that
// passes while nobody is logged in starts the daemon at the next login
// (Persistent=, systemd.timer(5)).
type Waker struct {
	manager UserManager
	dir     string // of the user's units; "" where there is no home

	mu      sync.Mutex
	settled bool // what stands in the drop-ins is what the manager goes by
}

// NewWaker returns the waker of the daemon's manager; getenv tells where things
// are.
func NewWaker(getenv func(string) string) *Waker {
	w := &Waker{manager: NewUserManager(getenv)}
	if config := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		w.dir = filepath.Join(config, "systemd", "user")
	} else if home := getenv("HOME"); filepath.IsAbs(home) {
		w.dir = filepath.Join(home, ".config", "systemd", "user")
	}
	return w
}

// Wake has the daemon started at each of the next 16 times, to the second and
// never before, and when one of the first 64 files changes that have absolute
// paths a unit file can hold; one that is a directory changes when something in
// it does. Times that have passed are left out. It replaces what was asked
// before; with neither, nothing is due.
//
// It does so only where this process is the main unit of the daemon and its timer
// is installed and not masked: active reports that. The timer and the path unit
// are enabled when there is anything to wake for, because they must be there
// after the next login; who wants neither masks them. For what begins with a
// login nothing but that is needed: the files of the rules are enough to ask for.
//
// While what was written serves, nothing is written and nobody is asked: of a
// long row of times it is enough that some are left.
func (w *Waker) Wake(ctx context.Context, at []time.Time, files []string) (active bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dir == "" {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakePatience)
	defer cancel()
	due, watched := upcoming(at, time.Now()), watchable(files)
	changed := !w.dueServes(due) || !w.filesServe(watched)
	if w.settled && !changed {
		return true, nil
	}
	w.settled = false
	conn, err := w.manager.connect(ctx)
	if err != nil {
		return false, ctx.Err()
	}
	defer conn.Close()
	if !isAgent(ctx, conn) {
		return false, ctx.Err()
	}
	if active, err = w.apply(ctx, conn, due, watched); err != nil {
		return false, fmt.Errorf("cannot have the service manager start the daemon when something is due: %w", err)
	}
	w.settled = active
	return active, nil
}

// isAgent reports that this process belongs to the daemon's unit.
func isAgent(ctx context.Context, conn *dbus.Conn) bool {
	var path dbus.ObjectPath
	err := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"GetUnitByPID", 0, uint32(os.Getpid())).Store(&path)
	return err == nil && unitName(path) == agentService
}

// apply writes what changed and has the manager go by it.
func (w *Waker) apply(ctx context.Context, conn *dbus.Conn, due []time.Time, files []string) (active bool, err error) {
	timer, err := unitState(ctx, conn, agentTimer)
	if err != nil || timer.Load != "loaded" {
		return false, err
	}
	path, err := unitState(ctx, conn, agentPath)
	if err != nil {
		return false, err
	}
	newTimes, newFiles := !w.dueServes(due), !w.filesServe(files)
	if newTimes {
		err = w.put(agentTimer, dueName, dueText(due))
	}
	if newFiles && path.Load == "loaded" {
		err = errors.Join(err, w.put(agentPath, filesName, filesText(files)))
	}
	if err != nil {
		return false, err
	}
	steps := []step{{agentTimer, timer, newTimes || timer.NeedLoad}}
	if path.Load == "loaded" {
		steps = append(steps, step{agentPath, path, newFiles || path.NeedLoad})
	}
	return true, settle(ctx, conn, steps, len(due)+len(files) > 0)
}

// step is a unit the manager is to go by as it stands now.
type step struct {
	name  string
	was   UnitState
	stale bool // its files are newer than what the manager knows
}

// settle has the manager read the units, and run them where there is something
// to wake for; one that runs goes by what it was started with until it is
// restarted.
func settle(ctx context.Context, conn *dbus.Conn, steps []step, wanted bool) error {
	manager := conn.Object(managerService, managerPath)
	reload := slices.ContainsFunc(steps, func(s step) bool { return s.stale })
	if disabled := disabled(steps); wanted && len(disabled) > 0 {
		if err := manager.CallWithContext(ctx, managerCalls+"EnableUnitFiles", 0, disabled, false, false).Err; err != nil {
			return fmt.Errorf("cannot enable %v: %w", disabled, err)
		}
		reload = true
	}
	if reload {
		if err := manager.CallWithContext(ctx, managerCalls+"Reload", 0).Err; err != nil {
			return fmt.Errorf("cannot have unit files read: %w", err)
		}
	}
	stops, err := stopping(ctx, conn)
	if err != nil {
		return err
	}
	for _, s := range steps {
		runs := s.was.Active == "active"
		if runs && s.stale || !runs && wanted {
			if err := runJob(ctx, conn, "RestartUnit", s.name, !stops); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopping reports that the manager is ending the daemon, which is to stop before
// what starts it may: who waited for that would keep both waiting.
func stopping(ctx context.Context, conn *dbus.Conn) (bool, error) {
	agent, err := unitState(ctx, conn, agentService)
	return agent.Active == "deactivating", err
}

func disabled(steps []step) (names []string) {
	for _, s := range steps {
		if s.was.Enabled == "disabled" {
			names = append(names, s.name)
		}
	}
	return names
}

// runJob has the manager start or restart a unit, and may wait until it has.
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
				return fmt.Errorf("cannot start %s: the service manager went away", name)
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

// put replaces a drop-in as a whole, or removes it when there is nothing in it.
func (w *Waker) put(unit, name, text string) error {
	dir := filepath.Join(w.dir, unit+".d")
	file := filepath.Join(dir, name)
	if text == "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(dir) // others' drop-ins may be in it
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(file, []byte(text), 0o644)
}

// read returns a drop-in's text; "" for none.
func (w *Waker) read(unit, name string) string {
	text, err := os.ReadFile(filepath.Join(w.dir, unit+".d", name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (w *Waker) dueServes(want []time.Time) bool {
	return serves(dueTimes(w.read(agentTimer, dueName)), want, time.Now())
}

func (w *Waker) filesServe(want []string) bool {
	return w.read(agentPath, filesName) == filesText(want)
}
