// Package elevation finds the way to root's rights on this machine, and writes
// commands so that they take it.
//
// The ways are rungs of a ladder, the best first: already root; run0
// (systemd 256), which gains no rights itself but has the service manager
// start the command; pkexec; sudo, where it asks for no password. The first
// two ask the person in a window of the desktop's polkit agent, or a polkit
// rule answers for them. Where there is none of them nothing is tried: the
// person is given the command to run in a terminal ([ByHand]).
//
// Looking for a rung changes nothing, never asks anybody and is bounded in
// time. It is a guess all the same: what a rung then refuses is recognised by
// [Denied], and told the same way.
//
// Sources: run0(1), pkexec(1), polkit(8), sudo(8), the interface
// org.freedesktop.PolicyKit1.Authority.
package elevation

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Rung is a way to root's rights.
type Rung string

// The rungs, as they are also named in the configuration; Auto is the first
// that works.
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
	NoAgent      Reason = "no_agent"      // nobody could be asked: no polkit agent runs, no rule allows it
	NoPolkit     Reason = "no_polkit"     // polkit does not answer, or says no whoever is asked
	Password     Reason = "password"      // sudo wants a password, and there is no terminal to type it into
	NotAllowed   Reason = "not_allowed"   // the person has no such right
	NoNewRights  Reason = "no_new_rights" // commands run in a process that may gain none
	Dismissed    Reason = "dismissed"     // the person closed the window or failed to authenticate
	TimedOut     Reason = "timeout"       // it did not answer in time
	NotSet       Reason = "switched_off"  // the configuration says so
	Unknown      Reason = "does_not_work" // whatever else
)

// Step is a rung that was tried and why it cannot be taken; the reason is empty
// for the one that can.
type Step struct {
	Rung   Rung   `json:"rung"`
	Reason Reason `json:"reason,omitempty"`
}

// Standing is where on the ladder this program stands.
type Standing struct {
	Rung  Rung   `json:"rung"` // [None] where there is no way
	Tried []Step `json:"tried,omitempty"`
}

// String names the rung, and for none why not: "none (run0: not_installed, …)".
func (s Standing) String() string {
	if s.Rung != None || len(s.Tried) == 0 {
		return string(s.Rung)
	}
	why := make([]string, len(s.Tried))
	for i, t := range s.Tried {
		why[i] = string(t.Rung) + ": " + string(t.Reason)
	}
	return string(s.Rung) + " (" + strings.Join(why, ", ") + ")"
}

// Options makes a [Ladder].
type Options struct {
	// Setting is the rung to take, whatever the probes of it would say, as far as
	// it is installed: polkit rules and sudoers entries for one program cannot be
	// seen from outside. Auto and "" mean the first that works.
	Setting Rung
	Root    bool // this process is root
	// Has reports whether a program is installed.
	Has func(program string) bool
	// Probe runs a program that changes nothing, where confirmed commands would
	// run, without a terminal; it returns what it printed and its exit status.
	Probe func(ctx context.Context, argv ...string) (printed string, exit int, err error)
	// Gains reports whether a program started now could gain rights; nil means yes.
	Gains func(ctx context.Context) bool
	// Polkit answers whether this person may do something; nil asks the system's.
	Polkit Authority
	// Agent reports whether somebody could be asked; nil looks for a polkit agent
	// among the person's processes.
	Agent func() bool
	Now   func() time.Time // nil means the wall clock
}

// How long what was found counts: a way that works rarely goes away, one that
// does not may come with the desktop's agent.
const (
	keepRung = time.Minute
	keepNone = 5 * time.Second
	patience = 5 * time.Second // of one look at the whole ladder
)

// Ladder finds the rung to take. It is safe for concurrent use.
type Ladder struct {
	o Options

	mu    sync.Mutex
	found Standing
	until time.Time
}

// New returns a ladder. Nothing is tried before it is needed.
func New(o Options) *Ladder {
	if o.Polkit == nil {
		o.Polkit = SystemPolkit{}
	}
	if o.Agent == nil {
		o.Agent = func() bool { return agentIn("/proc") }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Gains == nil {
		o.Gains = func(context.Context) bool { return true }
	}
	return &Ladder{o: o}
}

// Standing returns the rung to take now.
func (l *Ladder) Standing(ctx context.Context) Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.o.Now(); l.until.IsZero() || now.After(l.until) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		l.found = l.look(ctx)
		keep := keepRung
		if l.found.Rung == None {
			keep = keepNone
		}
		if ctx.Err() == nil { // what was cut short is no knowledge
			l.until = now.Add(keep)
		}
	}
	return l.found
}

// Forget has the next [Ladder.Standing] look again, after a rung has failed.
func (l *Ladder) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
}

// Explain returns every rung above the one that is taken with the reason it
// cannot be, whatever the setting says: for people who want another one.
func (l *Ladder) Explain(ctx context.Context) []Step {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	steps := make([]Step, 0, len(rungs))
	for _, r := range rungs {
		steps = append(steps, Step{r, l.climb(ctx, r)})
	}
	return steps
}

// rungs is the ladder of who is not root.
var rungs = []Rung{Run0, Pkexec, Sudo}

// look goes down the ladder until a rung holds.
func (l *Ladder) look(ctx context.Context) Standing {
	switch l.o.Setting {
	case None:
		return Standing{None, []Step{{None, NotSet}}}
	case Run0, Pkexec, Sudo:
		if l.o.Root {
			return Standing{Rung: Root}
		}
		if !l.o.Has(string(l.o.Setting)) {
			return Standing{None, []Step{{l.o.Setting, NotInstalled}}}
		}
		return Standing{Rung: l.o.Setting}
	}
	if l.o.Root {
		return Standing{Rung: Root}
	}
	s := Standing{Rung: None}
	for _, r := range rungs {
		why := l.climb(ctx, r)
		if why == "" {
			return Standing{r, s.Tried}
		}
		s.Tried = append(s.Tried, Step{r, why})
	}
	return s
}
