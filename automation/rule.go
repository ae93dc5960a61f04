// Package automation schedules what the assistant does on its own: it reads the rules that a person wrote or
// confirmed, decides when each is due, and records the outcome of every due time.
//
// A [Rule] is a table in automations.toml or in a drop-in next to it. [Scheduler] begins its runs by the wall
// clock in the person's time zone and by events. Every due time ends exactly once, with a [State] that is
// recorded in the [Ledger]. The package does not know how to carry out a rule: the caller of [NewScheduler]
// provides that.
package automation

import "time"

// Rule is one automation. Source: NARE (automations.toml), Moonbot section 8.2 (CronJob).
type Rule struct {
	// Name identifies the rule, in the history and for the person.
	Name string `json:"name"`
	// Schedule is a cron expression or a short form, see [ParseSchedule]. On lists events that begin the rule
	// instead or in addition.
	Schedule string   `json:"schedule,omitempty"`
	On       []string `json:"on,omitempty"`
	// At is a single due time instead of a schedule, see [ParseMoment]. Once removes a reminder with events when it was sent.
	At   string `json:"at,omitempty"`
	Once bool   `json:"once,omitempty"`
	// Action is what to do, in the person's words. Check is the name of a built-in condition (package
	// automation/check). With both, the action is carried out when the condition is true.
	Action string `json:"action,omitempty"`
	// Say makes the rule a reminder: it only sends this text, without a model and without commands.
	Say   string `json:"say,omitempty"`
	Check string `json:"check,omitempty"`
	// Over, Within and Paths are parameters of the check, which defines their meaning and defaults.
	Over   *float64      `json:"over,omitempty"`
	Within time.Duration `json:"within,omitempty"`
	Paths  []string      `json:"paths,omitempty"`
	// Notify lists channels: whatsapp, telegram, discord, desktop, cli, none, each with an optional address
	// ("whatsapp:+821012345678").
	Notify []string `json:"notify"`
	// AutoApply runs Commands without approval, exactly as written, once a person has signed them. Nothing else
	// runs without approval.
	AutoApply bool       `json:"auto_apply,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	Enabled   bool       `json:"enabled"`
	CatchUp   CatchUp    `json:"catch_up"`
	// Jitter is the maximum delay of the begin. The delay of a due time is always the same.
	Jitter  time.Duration `json:"jitter,omitempty"`
	Timeout time.Duration `json:"timeout"`
	// BudgetUSD limits the cost of models a day for this rule. 0 means the configured default for automations.
	BudgetUSD float64 `json:"budget_usd,omitempty"`
	// Quiet hours: only critical findings are announced.
	Quiet    Quiet  `json:"quiet,omitzero"`
	Language string `json:"language,omitempty"` // ko, en, zh; "" means the person's
	// Session is the conversation of the rule's turns. "" means a separate one.
	Session string `json:"session,omitempty"`
	// After is how many times in a row a condition must be true before it is announced.
	After int `json:"after,omitempty"`
	// Again is the interval after which a condition that is still true is announced again. 0 means never.
	Again time.Duration `json:"again,omitempty"`

	// File and Line are the position of the rule. Managed reports that it is in the drop-in written by commands.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Managed bool   `json:"managed,omitempty"`
}

// IsOnce reports whether the rule is over after a run.
func (r Rule) IsOnce() bool { return r.At != "" || r.Once || len(r.Waits()) > 0 }

// Waits returns the events of the rule that a reminder waits for.
func (r Rule) Waits() (all []Event) {
	for _, text := range r.On {
		if e, err := ParseEvent(text); err == nil && e.Kind.Waits() {
			all = append(all, e)
		}
	}
	return all
}

// Timetable returns the due times of the rule, or nil if it has none.
func (r Rule) Timetable() (Timetable, error) {
	switch {
	case r.At != "":
		return timetableOf(ParseMoment(r.At))
	case r.Schedule != "":
		return timetableOf(ParseSchedule(r.Schedule))
	}
	return nil, nil
}

// timetableOf returns nil instead of an invalid timetable.
func timetableOf[T Timetable](t T, err error) (Timetable, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// CatchUp is the handling of missed due times: those while the machine was off or asleep, or the rule was still
// running.
type CatchUp string

// The ways to catch up. The default is the latest.
const (
	CatchNone   CatchUp = "none"   // skip them
	CatchLatest CatchUp = "latest" // run the last one late, skip the others
	CatchAll    CatchUp = "all"    // run each late, in order
)

// Quiet is a part of each day by the wall clock, from From up to To in minutes after midnight. If From is after
// To, it spans midnight. The zero value means none.
type Quiet struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// State is the outcome of a due time.
type State string

// The states. A running one has none yet.
const (
	Ran     State = "RAN"
	Late    State = "LATE"    // it ran, but began a minute or more late
	Skipped State = "SKIPPED" // it did not run
	Failed  State = "FAILED"  // it ran without success
)

// Reasons for a [State] other than RAN, as codes.
const (
	ReasonMissed      = "missed"       // the daemon was not running, and the rule does not catch up
	ReasonSuperseded  = "superseded"   // a later due time ran instead (catch_up = latest)
	ReasonTooOften    = "too_often"    // an event within a minute after the last run for it
	ReasonTooMany     = "too_many"     // more were missed than are caught up with
	ReasonOverlap     = "overlap"      // the previous run was still working
	ReasonTimeout     = "timeout"      // it took longer than the rule allows
	ReasonBudget      = "budget"       // the rule's budget for the day is spent
	ReasonError       = "error"        // see the run's text
	ReasonInterrupted = "interrupted"  // the daemon died during the run, and it was not repeated
	ReasonOff         = "off"          // the machine was asleep or off, or the daemon not running
	ReasonDenied      = "denied"       // a person denied the approval
	ReasonExpired     = "expired"      // the approval expired
	ReasonWaits       = "waits"        // waiting for approval
	ReasonBusy        = "busy"         // too many other runs
	ReasonRemoved     = "rule_removed" // the rule was removed meanwhile
)
