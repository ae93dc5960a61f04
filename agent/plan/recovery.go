package plan

import (
	"slices"
	"time"
)

// Recovery is what follows a failed step.
type Recovery string

// The recoveries. All but Abort take one from the plan's budget.
const (
	Retry          Recovery = "retry"       // the same command again, after [Cause.Pause]
	TryAlternative Recovery = "alternative" // the next one of [Alternatives], which the person is asked about
	AskAgain       Recovery = "approval"    // plan the step anew, and ask about it if that leads to another command
	Abort          Recovery = "abort"
)

// The bounds of recoveries.
const (
	MaxRecoveries = 3 // of a whole plan: the budget that it begins with
	maxRetries    = 2 // of one step
)

// Tried is what was done about a failed step so far.
type Tried struct {
	Attempts     int  // how often the step was tried, in any form; at least 1
	Budget       int  // the recoveries that the plan has left
	Idempotent   bool // trying it twice does the same as once: [Action.Idempotent]
	Alternatives int  // the alternatives that were not tried yet
}

// remedy is what can help against a cause.
type remedy struct {
	passes       bool          // by itself, after pause
	pause        time.Duration // before the next try
	alternatives bool
	rights       bool // another way to root's rights
}

// remedies are the causes against which something can be done. All others end the step: the person decides.
var remedies = map[Cause]remedy{
	CauseNetwork:  {passes: true, pause: 10 * time.Second, alternatives: true},
	CauseTimeout:  {passes: true, pause: 10 * time.Second, alternatives: true},
	CauseLocked:   {passes: true, pause: 30 * time.Second}, // the lock is never removed: whoever holds it may be alive
	CauseMirror:   {alternatives: true},
	CauseNotFound: {alternatives: true},
	CauseNoRights: {rights: true},
}

// Pause returns how long to wait before a step that failed for this cause is tried again.
func (c Cause) Pause() time.Duration { return remedies[c].pause }

// Decide returns what follows a step that failed. It depends on nothing but its arguments. In each case, every
// command that differs from the approved one is judged and asked about as a new one.
func Decide(c Cause, t Tried) Recovery {
	r := remedies[c]
	switch {
	case t.Budget <= 0:
		return Abort
	case r.passes && t.Idempotent && t.Attempts <= maxRetries:
		return Retry
	case r.alternatives && t.Alternatives > 0:
		return TryAlternative
	case r.rights && t.Attempts <= 1: // once: if the new way has no rights either, no further one will
		return AskAgain
	}
	return Abort
}

// idempotent are the actions that lead to a state: where it is reached already, they change nothing.
var idempotent = []Action{
	Install, Remove, Upgrade, Start, Stop, Enable, Disable, Mask, Unmask, Write, Delete,
}

// Idempotent reports whether doing it twice does the same as once.
func (a Action) Idempotent() bool { return slices.Contains(idempotent, a) }

// Way is how an alternative differs from the command that failed.
type Way string

// The ways.
const (
	WayAUR        Way = "aur"         // the same packages, by [Alternative.Helper] from the AUR
	WayUserUnit   Way = "user_unit"   // the same units, of the user's service manager
	WayUpgrade    Way = "upgrade"     // the same packages, with new databases and an upgrade of all others: pacman -Syu
	WayNextMirror Way = "next_mirror" // the same change, after the mirror list's first server became its last
)

// Alternative is another way to do what a failed command was to do. It is another command: the approval of the failed
// one does not cover it.
type Alternative struct {
	Way    Way
	Verb   Verb
	Helper string // the program that a [WayAUR] needs
}

// alternatives are the ways that can help, better ones first.
var alternatives = []struct {
	programs []string
	cause    Cause
	actions  []Action
	way      Way
	helper   string
}{
	{[]string{"pacman"}, CauseNotFound, []Action{Install}, WayAUR, "yay"},
	{[]string{"pacman"}, CauseNotFound, []Action{Install}, WayAUR, "paru"},
	{[]string{"systemctl"}, CauseNotFound, unitActions, WayUserUnit, ""},
	{[]string{"pacman", "yay", "paru"}, CauseMirror, []Action{Install}, WayUpgrade, ""},
	{[]string{"pacman", "yay", "paru"}, CauseMirror, []Action{Install, Upgrade}, WayNextMirror, ""},
	{[]string{"pacman"}, CauseNetwork, []Action{Install, Upgrade}, WayNextMirror, ""}, // a helper may mean the AUR
	{[]string{"pacman"}, CauseTimeout, []Action{Install, Upgrade}, WayNextMirror, ""},
}

// Alternatives returns the other ways to do what a command was to do, better ones first. It knows them for the commands
// of [Recognize]. Whether the program or the unit that one needs is there is for the caller to find out.
func Alternatives(argv []string, c Cause) []Alternative {
	v, ok := Recognize(argv)
	if !ok || v.User || v.Versions != nil { // package files do not come from a repository
		return nil
	}
	words, _ := withoutElevation(argv)
	var found []Alternative
	for _, a := range alternatives {
		if a.cause != c || !slices.Contains(a.programs, programOf(words[0])) || !slices.Contains(a.actions, v.Action) {
			continue
		}
		other := v
		other.User = a.way == WayUserUnit
		found = append(found, Alternative{Way: a.way, Verb: other, Helper: a.helper})
	}
	return found
}
