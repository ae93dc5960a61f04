// Package automation keeps what is to happen by itself: rules that a person
// wrote or had written, when each is due, and what became of every time one was.
//
// A [Rule] stands in automations.toml or in a drop-in beside it. The wall clock
// decides when it is due, in the person's time zone; a due time ends exactly
// once, and the [Ledger] holds how ([State]). What a rule does is not known
// here: [Scheduler] says when, whoever makes one does it.
package automation

import "time"

// Rule is one automation.
//
// Source: NARE (automations.toml), Moonbot section 8.2 (CronJob).
type Rule struct {
	// Name tells rules apart, in history and in what a person says.
	Name string `json:"name"`
	// Schedule is a cron expression or one of its short forms, see
	// [ParseSchedule]; On are events that begin it instead or as well.
	Schedule string   `json:"schedule,omitempty"`
	On       []string `json:"on,omitempty"`
	// Action is what to do, in the person's words; Check the name of a built-in
	// condition (package automation/check). With both, the action follows when the
	// condition holds.
	Action string `json:"action,omitempty"`
	Check  string `json:"check,omitempty"`
	// Over, Within and Paths are what a condition is held to; their meaning and
	// defaults are the condition's.
	Over   *float64      `json:"over,omitempty"`
	Within time.Duration `json:"within,omitempty"`
	Paths  []string      `json:"paths,omitempty"`
	// Notify are channels: whatsapp, telegram, discord, desktop, cli, none, each
	// with an address where it has several ("whatsapp:+821012345678").
	Notify []string `json:"notify"`
	// AutoApply runs Commands unasked, argument for argument, once a person has
	// signed them. Nothing else is run unasked.
	AutoApply bool       `json:"auto_apply,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	Enabled   bool       `json:"enabled"`
	CatchUp   CatchUp    `json:"catch_up"`
	// Jitter is up to how much later than due it begins, the same for a due time
	// each time it is asked.
	Jitter  time.Duration `json:"jitter,omitempty"`
	Timeout time.Duration `json:"timeout"`
	// BudgetUSD is what models may cost in its name a day; 0 is what the
	// configuration says for each automation.
	BudgetUSD float64 `json:"budget_usd,omitempty"`
	// Quiet is when nobody is told, but of what is critical.
	Quiet    Quiet  `json:"quiet,omitzero"`
	Language string `json:"language,omitempty"` // ko, en, zh; "" is the person's
	// Session is the conversation its turns belong to; "" is one of its own.
	Session string `json:"session,omitempty"`
	// After is how many times in a row a condition must hold before it is told.
	After int `json:"after,omitempty"`
	// Again is after how long a condition that still holds is told again; 0 is
	// never.
	Again time.Duration `json:"again,omitempty"`

	// File and Line are where it stands, Managed whether that is the drop-in that
	// commands write.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Managed bool   `json:"managed,omitempty"`
}

// CatchUp is what becomes of due times that were missed: while the machine was
// off or asleep, or the rule was still at work.
type CatchUp string

// The ways to catch up. The default is the latest.
const (
	CatchNone   CatchUp = "none"   // they are skipped
	CatchLatest CatchUp = "latest" // the last one runs late, the others are skipped
	CatchAll    CatchUp = "all"    // each runs late, in order
)

// Quiet is a part of each day, by the wall clock: from From up to To, in minutes
// after midnight. One that ends before it begins goes over midnight; the zero
// value is no time.
type Quiet struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// State is how a due time ended.
type State string

// The states. A due time that is at work has none yet.
const (
	Ran     State = "RAN"
	Late    State = "LATE"    // it ran, a minute or more after it was due
	Skipped State = "SKIPPED" // it did not run, and will not
	Failed  State = "FAILED"  // it ran and did not succeed
)

// The reasons of a [State] other than RAN, as codes.
const (
	ReasonMissed      = "missed"       // nothing ran at the time, and the rule does not catch up
	ReasonSuperseded  = "superseded"   // a later one stands for it (catch_up = latest)
	ReasonOften       = "too_often"    // an event, within a minute after the last run it began
	ReasonTooMany     = "too_many"     // more were missed than are caught up with
	ReasonOverlap     = "overlap"      // the one before it was still at work
	ReasonTimeout     = "timeout"      // it took longer than the rule allows
	ReasonBudget      = "budget"       // the rule's money of the day is used up
	ReasonError       = "error"        // see the run's text
	ReasonInterrupted = "interrupted"  // the daemon died at work, and it was not done again
	ReasonOff         = "off"          // asleep, off, or no daemon: why one is late
	ReasonDenied      = "denied"       // a person said no
	ReasonExpired     = "expired"      // nobody answered what it asked
	ReasonWaits       = "waits"        // it waits for a person's yes
	ReasonBusy        = "busy"         // too many others were at work
	ReasonRemoved     = "rule_removed" // the rule was taken away meanwhile
)
