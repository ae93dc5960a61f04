package tools

import (
	"context"
	"strconv"
	"time"
)

// AutomationStore stores the automations. A call of its tools is an [automationAction].
type AutomationStore interface {
	// List returns all automations, sorted by name.
	List(ctx context.Context) ([]Automation, error)
	// Preview returns the automation that [Timetable.Add] or, if the name exists, [Timetable.Change] would
	// store, with the same errors. It stores nothing.
	Preview(ctx context.Context, c AutomationChange) (Automation, error)
	// Add adds an automation. If the change names no channel, it notifies the channel of from, or the
	// configured one.
	Add(ctx context.Context, c AutomationChange, from Origin) (Automation, error)
	// Change changes the given fields of the automation with exactly this name.
	Change(ctx context.Context, c AutomationChange) (Automation, error)
	Remove(ctx context.Context, name string) error
	// Snooze silences an automation for a duration and returns until when; 0 ends a snooze.
	Snooze(ctx context.Context, name string, long time.Duration) (time.Time, error)
}

// Automation is an automation as its tools show it.
type Automation struct {
	Name string
	// Translations are its names in other languages, which people may say. Plans hold Name.
	Translations []string
	Schedule     string   // as written: a cron expression or a short form
	On           []string // events that trigger it
	When         string   // schedule and events in words
	Action       string   // what it does, in the person's words
	Check        string   // the built-in condition it watches
	Threshold    *float64 // threshold of the condition
	Notify       []string // channels to notify
	Enabled      bool
	// SignedCommands are the commands that a person signed for it, as argument vectors.
	SignedCommands [][]string
	// Next are the next due times in its time zone, soonest first. The first two are shown.
	Next       []time.Time
	Snoozed    time.Time // end of the snooze; zero if there is none
	LastRun    time.Time // last due time; zero for never
	LastResult string    // result of the last run: RAN, LATE, SKIPPED, FAILED
}

// AutomationChange is a new automation, or a change of one. Empty fields stay as they are.
type AutomationChange struct {
	Name      string
	Schedule  string
	Action    string
	Check     string
	Threshold *float64
	Notify    []string
	Enabled   *bool
}

// digest returns a digest of the automation's settings.
func (a Automation) digest() string {
	parts := []string{a.Name, a.Schedule, digestOf(a.On...), a.Action, a.Check, formatThreshold(a.Threshold), digestOf(a.Notify...), strconv.FormatBool(a.Enabled)}
	for _, argv := range a.SignedCommands {
		parts = append(parts, digestOf(argv...))
	}
	return digestOf(parts...)
}

// formatThreshold formats a threshold; "" for none.
func formatThreshold(bound *float64) string {
	if bound == nil {
		return ""
	}
	return strconv.FormatFloat(*bound, 'f', -1, 64)
}
