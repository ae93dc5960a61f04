package ipc

import "time"

// The actions on automations; data is an [AutomationChange].
const (
	ActionAutomationRun = "automation_run"
	ActionAutomationAdd = "automation_add"
	// ActionAutomationChange changes what the data says of the rule of its name.
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
	// When is the schedule and the events in words.
	When      string     `json:"when"`
	Action    string     `json:"action,omitempty"`
	Check     string     `json:"check,omitempty"`
	Over      *float64   `json:"over,omitempty"`
	Within    string     `json:"within,omitempty"`
	Paths     []string   `json:"paths,omitempty"`
	Notify    []string   `json:"notify"`
	AutoApply bool       `json:"auto_apply,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	// Signed reports that a person has signed the commands as they stand.
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
	// Next is when it is due next; nil for never. Zone is the zone of that.
	Next *time.Time `json:"next,omitempty"`
	Zone string     `json:"zone,omitempty"`
	// Last is its latest run; nil for none. Running reports one at work.
	Last    *AutomationRun `json:"last,omitempty"`
	Running bool           `json:"running,omitempty"`
	// Firing are the conditions that hold now, in words; Snoozed until when they
	// are not told.
	Firing  []string   `json:"firing,omitempty"`
	Snoozed *time.Time `json:"snoozed,omitempty"`
}

// AutomationList is the answer to query automations.
type AutomationList struct {
	Automations []Automation `json:"automations"`
	// Problems are what cannot be used of the files, in words.
	Problems []AutomationProblem `json:"problems"`
	// Wakes is what starts the daemon when something is due: "timer" of the service
	// manager, or "" for nothing: then what is due waits for the next start.
	Wakes string `json:"wakes,omitempty"`
	// Files are those rules are read from.
	Files []string `json:"files"`
}

// AutomationProblem is something that cannot be used of a file of rules.
type AutomationProblem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Text   string `json:"text"`
}

// AutomationRun is a due time and how it ended, as query automation-history
// lists it.
type AutomationRun struct {
	ID      string     `json:"id"`
	Rule    string     `json:"rule"`
	Due     time.Time  `json:"due"`
	Event   string     `json:"event,omitempty"` // what began it, where that was no schedule
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	State   string     `json:"state"`  // RAN, LATE, SKIPPED, FAILED, RUNNING
	Reason  string     `json:"reason"` // a code; "" for none
	Why     string     `json:"why,omitempty"`
	// Count and Through say that a row stands for so many due times, the last of
	// them then.
	Count   int        `json:"count,omitempty"`
	Through *time.Time `json:"through,omitempty"`
	Task    string     `json:"task,omitempty"`
	Fired   bool       `json:"fired,omitempty"`
	Text    string     `json:"text,omitempty"`
	CostUSD float64    `json:"cost_usd,omitempty"`
}

// AutomationDue is one of the next due times, as query automation-next lists
// them.
type AutomationDue struct {
	Rule string    `json:"rule"`
	Due  time.Time `json:"due"`
	Zone string    `json:"zone"`
	When string    `json:"when"` // in words, as seen from now
}

// AutomationChange is the data of an action on automations.
type AutomationChange struct {
	Name string `json:"name"`
	// Of a new rule.
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
	// For is how long a snooze lasts ("1d"); "0" ends one.
	For string `json:"for,omitempty"`
	// Wait has a run answered when it has ended.
	Wait bool `json:"wait,omitempty"`
}
