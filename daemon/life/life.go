// Package life is the daemon's life cycle: what keeps it running and how it stops.
package life

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Options make a [Life].
type Options struct {
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
	Idle         *idleTimer
	ReleaseTimer *idleTimer // like idle, for tasks only and with a shorter limit
	Exit         *exitLimit
	log          zerolog.Logger
	// RunCtx ends when the daemon stops, with errStopping as its cause.
	RunCtx        context.Context
	CancelRunning context.CancelCauseFunc
	Serving       sync.WaitGroup
	Quit          chan struct{}
	quitOnce      sync.Once

	mu       sync.Mutex
	stopping bool
}

// New returns the life cycle of a daemon that starts now.
func New(o Options) *Life {
	l := &Life{
		Exit: &exitLimit{after: o.IdleExit, configurable: o.IdleConfigured, byRules: o.StartedByRules}, log: o.Log, Quit: make(chan struct{}),
	}
	l.RunCtx, l.CancelRunning = context.WithCancelCause(context.Background())
	l.Idle = newIdleTimer(o.IdleExit, l.RequestStop)
	if o.ReleaseMemory == nil {
		o.ReleaseMemory = func() {}
	}
	l.ReleaseTimer = newIdleTimer(releaseAfter, o.ReleaseMemory)
	return l
}

// StartStop makes new work fail. cancelRunning ends the running one.
func (l *Life) StartStop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
}

// StopTimers stops the timers of an idle daemon.
func (l *Life) StopTimers() {
	l.Idle.stop()
	l.ReleaseTimer.stop()
}

// SetIdleExit applies limits.idle_exit of a newly read configuration.
func (l *Life) SetIdleExit(after time.Duration) {
	l.Exit.setting.Store(&after)
	if l.Exit.configurable {
		l.Idle.setLimit(l.Exit.limit())
	}
}

// MarkVisited records that a client has connected.
func (l *Life) MarkVisited() {
	if l.Exit.visited.CompareAndSwap(false, true) && l.Exit.configurable && l.Exit.setting.Load() != nil {
		l.Idle.setLimit(l.Exit.limit())
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
	Replaced     atomic.Bool // the program's file was replaced
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
	if e.Replaced.Load() && (e.configurable || after > 0) {
		return ReplacedExitDelay
	}
	return after
}

func (l *Life) IsStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// RequestStop makes Serve return.
func (l *Life) RequestStop() { l.quitOnce.Do(func() { close(l.Quit) }) }

// releaseAfter is how long after the last task memory is released.
const releaseAfter = 2 * time.Second

// QuietTime is how long the configuration must be unchanged before it is read, because an editor may write in
// several steps. maxQuietWait bounds that wait.
const (
	QuietTime    = 200 * time.Millisecond
	maxQuietWait = 2 * time.Second
)

// WaitUntilQuiet returns when there was no change for a while.
func WaitUntilQuiet(ctx context.Context, changes <-chan struct{}) {
	most := time.NewTimer(maxQuietWait)
	defer most.Stop()
	for {
		quiet := time.NewTimer(QuietTime)
		select {
		case <-changes:
			quiet.Stop()
			continue
		case <-quiet.C:
		case <-most.C:
		case <-ctx.Done():
		}
		quiet.Stop()
		return
	}
}
