package ipc

import "time"

// The actions on automations; data is an [AutomationChange].
const (
	ActionAutomationRun = "automation_run"
	ActionAutomationAdd = "automation_add"
	// ActionAutomationChange changes the fields that the data contains.
	ActionAutomationChange  = "automation_change"
	ActionAutomationRemove  = "automation_remove"
	ActionAutomationEnable  = "automation_enable"
	ActionAutomationDisable = "automation_disable"
	ActionAutomationSnooze  = "automation_snooze"
)

// Automation is a rule as query automations lists it.
type Automation struct {
	Name     string   `json:"name"`
	Schedule string   `json:"schedule,omitempty"`
	On       []string `json:"on,omitempty"`
	// When describes the schedule and the events in words.
	When      string     `json:"when"`
	Action    string     `json:"action,omitempty"`
	Check     string     `json:"check,omitempty"`
	Over      *float64   `json:"over,omitempty"`
	Within    string     `json:"within,omitempty"`
	Paths     []string   `json:"paths,omitempty"`
	Notify    []string   `json:"notify"`
	AutoApply bool       `json:"auto_apply,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	// Signed reports that a person has signed the current commands.
	Signed    bool    `json:"signed,omitempty"`
	Enabled   bool    `json:"enabled"`
	CatchUp   string  `json:"catch_up"`
	Jitter    string  `json:"jitter,omitempty"`
	Timeout   string  `json:"timeout"`
	BudgetUSD float64 `json:"budget_usd,omitempty"`
	Quiet     string  `json:"quiet,omitempty"`
	Language  string  `json:"language,omitempty"`
	Session   string  `json:"session,omitempty"`
	File      string  `json:"file,omitempty"`
	Line      int     `json:"line,omitempty"`
	Managed   bool    `json:"managed,omitempty"`
	// Next is the next due time, nil for never. Zone is its time zone.
	Next *time.Time `json:"next,omitempty"`
	Zone string     `json:"zone,omitempty"`
	// Last is its latest run, nil for none. Running reports a run in progress.
	Last    *AutomationRun `json:"last,omitempty"`
	Running bool           `json:"running,omitempty"`
	// Firing describes the conditions that are currently true. Snoozed is the end of a snooze.
	Firing  []string   `json:"firing,omitempty"`
	Snoozed *time.Time `json:"snoozed,omitempty"`
}

// AutomationList is the answer to query automations.
type AutomationList struct {
	Automations []Automation `json:"automations"`
	// Problems lists the errors in the rule files.
	Problems []AutomationProblem `json:"problems"`
	// Wakes is what starts the daemon for a due run: "timer" (the service manager), or "" if nothing does. Due
	// runs then wait for the next start.
	Wakes string `json:"wakes,omitempty"`
	// Files lists the rule files.
	Files []string `json:"files"`
}

// AutomationProblem is an error in a rule file.
type AutomationProblem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Text   string `json:"text"`
}

// AutomationRun is a due time and its result, as query automation-history lists it.
type AutomationRun struct {
	ID      string     `json:"id"`
	Rule    string     `json:"rule"`
	Due     time.Time  `json:"due"`
	Event   string     `json:"event,omitempty"` // what started it, if not the schedule
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	State   string     `json:"state"`  // RAN, LATE, SKIPPED, FAILED, RUNNING
	Reason  string     `json:"reason"` // a code, "" for none
	Why     string     `json:"why,omitempty"`
	// Count and Through report that a row represents several due times, the last of them at Through.
	Count   int        `json:"count,omitempty"`
	Through *time.Time `json:"through,omitempty"`
	Task    string     `json:"task,omitempty"`
	Fired   bool       `json:"fired,omitempty"`
	Text    string     `json:"text,omitempty"`
	CostUSD float64    `json:"cost_usd,omitempty"`
}

// AutomationDue is a future due time, as query automation-next lists it.
type AutomationDue struct {
	Rule string    `json:"rule"`
	Due  time.Time `json:"due"`
	Zone string    `json:"zone"`
	When string    `json:"when"` // in words, relative to now
}

// AutomationChange is the data of an action on automations.
type AutomationChange struct {
	Name string `json:"name"`
	// The fields of a rule.
	Schedule string   `json:"schedule,omitempty"`
	On       []string `json:"on,omitempty"`
	Action   string   `json:"action,omitempty"`
	Check    string   `json:"check,omitempty"`
	Over     *float64 `json:"over,omitempty"`
	Within   string   `json:"within,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	Notify   []string `json:"notify,omitempty"`
	CatchUp  string   `json:"catch_up,omitempty"`
	Language string   `json:"language,omitempty"`
	Quiet    string   `json:"quiet,omitempty"`
	Timeout  string   `json:"timeout,omitempty"`
	Jitter   string   `json:"jitter,omitempty"`
	Budget   float64  `json:"budget,omitempty"`
	// For is the duration of a snooze ("1d"). "0" ends it.
	For string `json:"for,omitempty"`
	// Wait delays the answer until the run has ended.
	Wait bool `json:"wait,omitempty"`
}
