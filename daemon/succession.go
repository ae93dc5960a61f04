package daemon

import (
	"context"
	"os"
	"time"
)

// giveWayAfter is how long nothing must need a daemon whose program was replaced
// before it leaves: what a package manager unpacks is all there by then.
const giveWayAfter = 3 * time.Second

// Program is a program's file as it was when it was looked at first.
type Program struct {
	path string
	was  os.FileInfo // nil: it cannot be told what it was
}

// NewProgram returns what lies at a path now.
func NewProgram(path string) Program {
	was, err := os.Stat(path)
	if err != nil {
		return Program{path: path}
	}
	return Program{path, was}
}

// Path is where it lies.
func (p Program) Path() string { return p.path }

// Replaced reports whether another file lies in its place. One that is gone, or
// was taken back, is not replaced: nobody could come after.
func (p Program) Replaced() bool {
	now, err := os.Stat(p.path)
	return err == nil && p.was != nil && now.Mode().IsRegular() && now.Mode()&0o111 != 0 && !os.SameFile(now, p.was)
}

// GiveWayTo has the daemon leave as soon as nothing needs it once its program is
// replaced, as an upgrade does: the next who connects gets the new one. What
// runs ends first, and nobody is cut off. A daemon that nobody would start
// again, because a person runs it, stays and only tells it. changes tells that
// the program's directory may have changed; it returns when ctx ends.
func (d *Daemon) GiveWayTo(ctx context.Context, changes <-chan struct{}, program Program) {
	for {
		if replaced := program.Replaced(); d.replaced.Swap(replaced) != replaced {
			d.o.Log.Info().Bool("replaced", replaced).Msg("the program's file was changed")
			leave := d.idle.enter(holdTask) // it is counted from now on
			d.idle.set(d.idleNow())
			leave()
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
			settle(ctx, changes)
		}
	}
}

// idleNow is how long an idle daemon stays, as things are.
func (d *Daemon) idleNow() time.Duration {
	after := d.o.IdleExit
	if rt := d.runtime.Load(); d.o.IdleConfigured && rt != nil {
		after = d.idleFor(rt)
	}
	// Who is to leave some time is started again by whoever comes.
	if d.replaced.Load() && (d.o.IdleConfigured || after > 0) {
		return giveWayAfter
	}
	return after
}
