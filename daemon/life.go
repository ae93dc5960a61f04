package daemon

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// LifeOptions make a [Life].
type LifeOptions struct {
	// IdleExit is how long the daemon may be idle before it exits. 0 means forever.
	IdleExit time.Duration
	// IdleConfigured makes limits.idle_exit override IdleExit, also after a reload.
	IdleConfigured bool
	// StartedByRules reports that rules can start the daemon.
	StartedByRules bool
	// ReleaseMemory is called once when no task has run for a short while, to release memory. It may be nil.
	ReleaseMemory func()
	Log           zerolog.Logger
}

// Life is the daemon's life cycle: what keeps it running, how it stops, and the goroutines that end before it does.
type Life struct {
	idle         *idleTimer
	releaseTimer *idleTimer // like idle, for tasks only and with a shorter limit
	exit         *exitLimit
	log          zerolog.Logger
	// runCtx ends when the daemon stops, with errStopping as its cause.
	runCtx        context.Context
	cancelRunning context.CancelCauseFunc
	serving       sync.WaitGroup
	quit          chan struct{}
	quitOnce      sync.Once

	mu       sync.Mutex
	stopping bool
}

// NewLife returns the life cycle of a daemon that starts now.
func NewLife(o LifeOptions) *Life {
	l := &Life{
		exit: &exitLimit{after: o.IdleExit, configurable: o.IdleConfigured, byRules: o.StartedByRules}, log: o.Log, quit: make(chan struct{}),
	}
	l.runCtx, l.cancelRunning = context.WithCancelCause(context.Background())
	l.idle = newIdleTimer(o.IdleExit, l.requestStop)
	if o.ReleaseMemory == nil {
		o.ReleaseMemory = func() {}
	}
	l.releaseTimer = newIdleTimer(releaseAfter, o.ReleaseMemory)
	return l
}

// startStop makes new work fail. cancelRunning ends the running one.
func (l *Life) startStop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
}

// stopTimers stops the timers of an idle daemon.
func (l *Life) stopTimers() {
	l.idle.stop()
	l.releaseTimer.stop()
}

// setIdleExit applies limits.idle_exit of a newly read configuration.
func (l *Life) setIdleExit(after time.Duration) {
	l.exit.setting.Store(&after)
	if l.exit.configurable {
		l.idle.setLimit(l.exit.limit())
	}
}

// markVisited records that a client has connected.
func (l *Life) markVisited() {
	if l.exit.visited.CompareAndSwap(false, true) && l.exit.configurable && l.exit.setting.Load() != nil {
		l.idle.setLimit(l.exit.limit())
	}
}

// unvisitedExit is the idle limit of a daemon that was started for a due time and has had no client.
const unvisitedExit = 20 * time.Second

// exitLimit decides how long the daemon may be idle.
type exitLimit struct {
	after        time.Duration // 0 means forever
	configurable bool          // limits.idle_exit overrides after
	byRules      bool          // rules can start the daemon
	setting      atomic.Pointer[time.Duration]
	visited      atomic.Bool // a client has connected
	replaced     atomic.Bool // the program's file was replaced
}

// limit returns the current idle limit: the configured one, or a short one if the daemon was started for a due run
// and had no client.
func (e *exitLimit) limit() time.Duration {
	after := e.after
	if setting := e.setting.Load(); e.configurable && setting != nil {
		after = *setting
		if e.byRules && !e.visited.Load() && after > 0 {
			after = min(after, unvisitedExit)
		}
	}
	// A daemon with an idle limit is started again by the next client.
	if e.replaced.Load() && (e.configurable || after > 0) {
		return replacedExitDelay
	}
	return after
}

func (l *Life) isStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// requestStop makes Serve return.
func (l *Life) requestStop() { l.quitOnce.Do(func() { close(l.quit) }) }

// releaseAfter is how long after the last task memory is released.
const releaseAfter = 2 * time.Second
