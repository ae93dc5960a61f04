package tools

import (
	"context"
	"strconv"
	"time"
)

// Timetable is what happens by itself. A call of its tools is the command line a
// person would type, judged, asked about and recorded like any other, and
// carried out here.
type Timetable interface {
	// List returns every rule, in order of name.
	List(ctx context.Context) ([]Automation, error)
	// Preview tells what [Timetable.Add] or, where there is a rule of that name,
	// [Timetable.Change] would make of a rule, with their errors. It keeps nothing.
	Preview(ctx context.Context, c AutomationChange) (Automation, error)
	// Add makes a new rule. Where the change names no channel, the one that from
	// came through is told, or what the configuration says.
	Add(ctx context.Context, c AutomationChange, from Origin) (Automation, error)
	// Change changes what is given of the rule of that very name.
	Change(ctx context.Context, c AutomationChange) (Automation, error)
	Remove(ctx context.Context, name string) error
	// Snooze has nobody told of a rule for so long, and returns until when; 0 ends
	// that.
	Snooze(ctx context.Context, name string, long time.Duration) (time.Time, error)
}

// Automation is a rule as its tools show it.
type Automation struct {
	Name     string
	Schedule string   // as it was written: a cron expression or a short form
	On       []string // events that begin it
	When     string   // schedule and events in words
	Action   string   // what it does, in the person's words
	Check    string   // the built-in condition it watches
	Over     *float64 // what the condition is held to
	Notify   []string // the channels it tells
	Enabled  bool
	// Unasked are commands that a person had signed for it: argument vectors.
	Unasked [][]string
	// Next are its next due times in the zone it keeps to, soonest first; none for
	// never. Two are enough.
	Next    []time.Time
	Snoozed time.Time // until when nobody is told; zero for now
	LastRun time.Time // when it was due last; zero for never
	Ended   string    // how that ended: RAN, LATE, SKIPPED, FAILED
}

// AutomationChange is a new rule, or what is to be different of one. What is
// empty stays as it is.
type AutomationChange struct {
	Name     string
	Schedule string
	Action   string
	Check    string
	Over     *float64
	Notify   []string
	Enabled  *bool
}

// digest names what a rule says.
func (a Automation) digest() string {
	parts := []string{a.Name, a.Schedule, digestOf(a.On...), a.Action, a.Check, over(a.Over), digestOf(a.Notify...), strconv.FormatBool(a.Enabled)}
	for _, argv := range a.Unasked {
		parts = append(parts, digestOf(argv...))
	}
	return digestOf(parts...)
}

// over is a bound as it is typed; "" for none.
func over(bound *float64) string {
	if bound == nil {
		return ""
	}
	return strconv.FormatFloat(*bound, 'f', -1, 64)
}
