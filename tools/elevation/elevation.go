// Package elevation finds the way to root's rights on this machine and rewrites commands to use it.
//
// The ways are rungs of a ladder, best first: already root; run0 (systemd 256), which gains no rights itself
// but has the service manager start the command; pkexec; sudo, if it needs no password. run0 and pkexec ask the
// person through the desktop's polkit agent, or a polkit rule allows them without asking. If no rung works, the
// person gets the command to run in a terminal ([ByHand]). Probing changes nothing, never asks anyone and is
// bounded in time. A rung can still refuse the command later: [DenialReason] recognises that and gives the same
// reasons. Sources: run0(1), pkexec(1), polkit(8), sudo(8), interface org.freedesktop.PolicyKit1.Authority.
package elevation

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Rung is a way to root's rights.
type Rung string

// The rungs, with the names that the configuration also uses. Auto is the first one that works.
const (
	Auto   Rung = "auto"
	Root   Rung = "root" // already there
	Run0   Rung = "run0"
	Pkexec Rung = "pkexec"
	Sudo   Rung = "sudo"
	None   Rung = "none"
)

// Reason is why a rung cannot be taken.
type Reason string

// The reasons.
const (
	NotInstalled Reason = "not_installed"
	NoAgent      Reason = "no_agent"      // no polkit agent runs that could ask the person, and no rule allows it
	NoPolkit     Reason = "no_polkit"     // polkit does not answer or always refuses
	Password     Reason = "password"      // sudo wants a password, and there is no terminal to enter it
	NotAllowed   Reason = "not_allowed"   // the person has no such right
	NoNewRights  Reason = "no_new_rights" // commands run in a process that cannot gain rights
	Dismissed    Reason = "dismissed"     // the person closed the window or failed to authenticate
	TimedOut     Reason = "timeout"       // it did not answer in time
	Disabled     Reason = "switched_off"  // disabled in the configuration
	Unknown      Reason = "does_not_work" // any other reason
)

// Step is a rung that was tried and the reason why it cannot be used, empty if it can.
type Step struct {
	Rung   Rung   `json:"rung"`
	Reason Reason `json:"reason,omitempty"`
}

// Status is the rung to use now, with the better ones that did not work.
type Status struct {
	Rung  Rung   `json:"rung"` // [None] if no rung works
	Tried []Step `json:"tried,omitempty"`
}

// String names the rung, and for None the reasons: "none (run0: not_installed, …)".
func (s Status) String() string {
	if s.Rung != None || len(s.Tried) == 0 {
		return string(s.Rung)
	}
	why := make([]string, len(s.Tried))
	for i, t := range s.Tried {
		why[i] = string(t.Rung) + ": " + string(t.Reason)
	}
	return string(s.Rung) + " (" + strings.Join(why, ", ") + ")"
}

// Options configures a [Ladder].
type Options struct {
	// Setting is the rung to use without probing it, if it is installed: polkit rules and sudoers entries for a
	// single program cannot be detected by a probe. Auto and "" mean the first rung that works.
	Setting Rung
	Root    bool // this process is root
	// HasProgram reports whether a program is installed.
	HasProgram func(program string) bool
	// Probe runs a program that changes nothing, without a terminal and in the environment of confirmed
	// commands. It returns its output and exit status.
	Probe func(ctx context.Context, argv ...string) (printed string, exit int, err error)
	// CanGainRights reports whether a program started now could gain rights; nil means yes.
	CanGainRights func(ctx context.Context) bool
	// Polkit is asked what this person is allowed to do; nil means the system's.
	Polkit Authority
	// HasAgent reports whether the person can be asked. If nil, it looks for a polkit agent among the person's
	// processes.
	HasAgent func() bool
	Now      func() time.Time // nil means the wall clock
}

// How long a result is cached: a rung that works rarely disappears, while a desktop agent that makes one work
// can start at any time.
const (
	rungCacheTime = time.Minute
	noneCacheTime = 5 * time.Second
	probeTimeout  = 10 * time.Second // limit for probing one rung, so that a silent polkit does not hide sudo
)

// Ladder finds the rung to use. It is safe for concurrent use.
type Ladder struct {
	o Options

	mu          sync.Mutex
	cached      Status
	cachedUntil time.Time
}

// New returns a ladder. It probes nothing before the first use.
func New(o Options) *Ladder {
	if o.Polkit == nil {
		o.Polkit = SystemPolkit{}
	}
	if o.HasAgent == nil {
		o.HasAgent = func() bool { return hasAgent("/proc") }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.CanGainRights == nil {
		o.CanGainRights = func(context.Context) bool { return true }
	}
	return &Ladder{o: o}
}

// Status returns the rung to use now.
func (l *Ladder) Status(ctx context.Context) Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.o.Now(); l.cachedUntil.IsZero() || now.After(l.cachedUntil) {
		l.cached = l.findRung(ctx)
		keep := rungCacheTime
		if l.cached.Rung == None {
			keep = noneCacheTime
		}
		if ctx.Err() == nil { // do not cache a result that was cut short
			l.cachedUntil = now.Add(keep)
		}
	}
	return l.cached
}

// Forget makes the next [Ladder.Status] probe again, for use after a rung has failed.
func (l *Ladder) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cachedUntil = time.Time{}
}

// Explain probes every rung, regardless of the setting, and returns the reason why each one cannot be used. It
// is for people who want another rung.
func (l *Ladder) Explain(ctx context.Context) []Step {
	steps := make([]Step, 0, len(rungs))
	for _, r := range rungs {
		steps = append(steps, Step{r, l.probeRung(ctx, r)})
	}
	return steps
}

// rungs are the rungs for a process that is not root, best first.
var rungs = []Rung{Run0, Pkexec, Sudo}

// findRung applies the setting, or probes the rungs until one works.
func (l *Ladder) findRung(ctx context.Context) Status {
	switch l.o.Setting {
	case None:
		return Status{None, []Step{{None, Disabled}}}
	case Run0, Pkexec, Sudo:
		if l.o.Root {
			return Status{Rung: Root}
		}
		if !l.o.HasProgram(string(l.o.Setting)) {
			return Status{None, []Step{{l.o.Setting, NotInstalled}}}
		}
		return Status{Rung: l.o.Setting}
	}
	if l.o.Root {
		return Status{Rung: Root}
	}
	s := Status{Rung: None}
	for _, r := range rungs {
		why := l.probeRung(ctx, r)
		if why == "" {
			return Status{r, s.Tried}
		}
		s.Tried = append(s.Tried, Step{r, why})
	}
	return s
}
