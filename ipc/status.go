package ipc

import "time"

// The states of a daemon in [Status].
const (
	StateRunning    = "running"
	StateStopping   = "stopping"
	StateNotRunning = "not running" // reported by a client that must not start a daemon
)

// Status is the result data of the query "status".
type Status struct {
	State   string `json:"state"`
	Version string `json:"version"`
	// Replaced reports that another version of the program was installed. The daemon exits for it when it is idle.
	Replaced bool      `json:"replaced,omitempty"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Uptime   int       `json:"uptime_s"`
	Provider string    `json:"provider,omitempty"`
	Model    string    `json:"model,omitempty"`
	// PausedProviders lists providers that are paused because they failed.
	PausedProviders []PausedProvider `json:"resting"`
	Lang            string           `json:"lang"`
	Home            string           `json:"home"`
	ConfigFiles     []string         `json:"config_files"`
	// ConfigError is why the last edit of the configuration is not in use. ConfigProblem contains its parts.
	ConfigError   string         `json:"config_error,omitempty"`
	ConfigProblem *ConfigProblem `json:"config_problem,omitempty"`
	Running       int            `json:"running"`
	Waiting       int            `json:"waiting"`
	Approvals     int            `json:"approvals"`
	Notifications int            `json:"notifications"`
	// Dropped counts notifications that were dropped for lack of room or time.
	Dropped     int `json:"notifications_dropped"`
	Automations int `json:"automations"`
	// Bridges lists the messengers' bridges that were set up.
	Bridges   []BridgeStatus `json:"bridges"`
	Clients   int            `json:"clients"`
	IdleExit  int            `json:"idle_exit_s"` // 0: never
	Idle      Idle           `json:"idle"`
	Turns     int            `json:"turns"`
	TokensIn  int            `json:"tokens_in"`
	TokensOut int            `json:"tokens_out"`
	// Today is the usage of the day's requests to models, including those of earlier daemons. Budget is the state
	// of the day's budget, nil if there is none.
	Today  UsageSum   `json:"today"`
	Budget *DayBudget `json:"budget,omitempty"`
	// Sandbox is the protection of SAFE commands. Privilege is the way to root rights.
	Sandbox      string            `json:"sandbox"`
	Privilege    string            `json:"privilege,omitempty"`
	Process      Process           `json:"process"`
	Connections  []ConnectionUsage `json:"connections"`
	Tasks        []TaskUsage       `json:"tasks"`
	Log          LogTarget         `json:"log"`
	LastLog      []string          `json:"last_log"` // warnings and worse
	LastCommands []string          `json:"last_commands"`
	// Problems lists errors in the daemon's files.
	Problems []string `json:"problems,omitempty"`
	// Agents are the agents that a message can name, the default one first.
	Agents []string `json:"agents,omitempty"`
}

// PausedProvider is a provider that is paused until a time.
type PausedProvider struct {
	Provider string    `json:"provider"`
	Why      string    `json:"why"` // network, rate_limit, auth, api, …
	Failures int       `json:"failures"`
	Until    time.Time `json:"until"`
	Message  string    `json:"message"`
}

// Idle describes when an idle daemon exits.
type Idle struct {
	// ExitsIn is the idle limit in seconds after the last client and task, 0 for never.
	ExitsIn int `json:"exits_in_s"`
	// Activities lists what keeps the daemon running, without the client that asks, with counts: "client 1", "task 2",
	// "delivery 1".
	Activities []string `json:"holds"`
}

// Process is the daemon's resource usage.
type Process struct {
	RSS        int64 `json:"rss_bytes"`
	Heap       int64 `json:"heap_bytes"` // live objects
	Goroutines int   `json:"goroutines"`
	OpenFiles  int   `json:"open_files"`
}

// Traffic counts the traffic of a connection since it was opened.
type Traffic struct {
	BytesIn   int64 `json:"bytes_in"`
	BytesOut  int64 `json:"bytes_out"`
	FramesIn  int64 `json:"frames_in"`
	FramesOut int64 `json:"frames_out"`
}

// ConnectionUsage holds the counters of one connection.
type ConnectionUsage struct {
	Client  string    `json:"client,omitempty"` // from its hello, "" before that
	Channel string    `json:"channel,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Since   time.Time `json:"since"`
	Traffic
	Requests int64 `json:"requests"`
	Self     bool  `json:"self,omitempty"` // the connection of this query
}

// TaskUsage holds the counters of one active task.
type TaskUsage struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Channel   string `json:"channel"`
	Session   string `json:"session"`
	Age       int    `json:"age_s"`
	Rounds    int    `json:"rounds"`
	TokensIn  int    `json:"tokens_in"`
	TokensOut int    `json:"tokens_out"`
	Commands  int    `json:"commands"` // tool calls that ran
}

// LogTarget describes where the daemon's log goes, and at which levels.
type LogTarget struct {
	To        string `json:"to"` // journal or stderr
	Level     string `json:"level"`
	File      string `json:"file,omitempty"` // today's
	FileLevel string `json:"file_level,omitempty"`
	Problem   string `json:"problem,omitempty"` // why the file is not written
}

// BridgeStatus is the last reported and the current state of a bridge that was set up.
type BridgeStatus struct {
	Channel string `json:"channel"`
	Unit    string `json:"unit"`
	// Running reports that the bridge's process runs.
	Running bool `json:"running"`
	// Phase is one of package bridge/state, "" if it is unknown, in which case Problem says why. A bridge that
	// does not run is stopped, regardless of its last report.
	Phase string    `json:"phase,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"` // end of its wait
	// Account is the bridge's account on its channel.
	Account string `json:"account,omitempty"`
	Detail  string `json:"detail,omitempty"` // message of the channel's server
	Version string `json:"version,omitempty"`
	PID     int    `json:"pid,omitempty"`
	// Unsent counts the messages that wait for the channel's server, Untaken those that wait for the daemon.
	Unsent      int `json:"unsent"`
	Undelivered int `json:"untaken"`
	// NeedsPerson reports that the bridge cannot continue without help. Do is the command that helps, or "".
	NeedsPerson bool   `json:"needs_person"`
	Remedy      string `json:"do,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

// UsageSum is the usage of a number of requests to models.
type UsageSum struct {
	Requests int64 `json:"requests"`
	In       int64 `json:"in"` // tokens, including the cached ones
	Out      int64 `json:"out"`
	Cached   int64 `json:"cached"`
	// CostUSD is the cost of the requests with a known price, in US dollars. Unpriced counts the others. If it is
	// not 0, the cost is a lower bound.
	CostUSD  float64 `json:"cost_usd"`
	Unpriced int64   `json:"unpriced"`
}

// UsageRow is the sum of a day, a provider or another group. Name is "" if it is unknown, as for old
// conversations, which are not listed separately.
type UsageRow struct {
	Name string `json:"name"`
	UsageSum
}

// UsageReport is the result data of the query "usage".
type UsageReport struct {
	// Turns, In and Out count since the start of this daemon.
	Turns int `json:"turns"`
	In    int `json:"in"`
	Out   int `json:"out"`
	// Since is the first counted day, "" for all.
	Since  string     `json:"since"`
	By     string     `json:"by"`
	Rows   []UsageRow `json:"rows"`
	Total  UsageSum   `json:"total"`
	Today  UsageSum   `json:"today"`
	Budget *DayBudget `json:"budget,omitempty"`
}

// DayBudget is the state of a day's budget.
type DayBudget struct {
	Day string `json:"day"` // in the person's time zone
	// Limit is the setting of the limit that is nearest.
	Limit       string  `json:"limit"`
	CostUSD     float64 `json:"cost_usd"` // spent so far
	Tokens      int64   `json:"tokens"`
	DailyUSD    float64 `json:"daily_usd,omitempty"`
	DailyTokens int64   `json:"daily_tokens,omitempty"`
	// PerAutomationUSD is the limit of each automation.
	PerAutomationUSD float64 `json:"per_automation_usd,omitempty"`
	Share            float64 `json:"share"` // used share of the limit, 1 when reached
	Warn             bool    `json:"warn"`
	Reached          bool    `json:"reached"`
	WhenReached      string  `json:"when_reached"` // local or stop
	Renews           int     `json:"renews_s"`     // until the day ends
}

// Nearest returns the limit that is nearest and the used amount, in US dollars or, if tokens is true, in tokens.
func (b DayBudget) Nearest() (limit, used float64, tokens bool) {
	switch b.Limit {
	case "daily_tokens":
		return float64(b.DailyTokens), float64(b.Tokens), true
	case "per_automation_usd":
		return b.PerAutomationUSD, b.CostUSD, false
	}
	return b.DailyUSD, b.CostUSD, false
}

// ModelPrice is the price of a million tokens of a model, in US dollars.
type ModelPrice struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
	// Noted is the day of the vendor's price list. It is "" for configured prices and free models.
	Noted string `json:"noted,omitempty"`
	// Own reports that the price is from the person's configuration.
	Own bool `json:"own,omitempty"`
}

// ModelInfo is a model that can be chosen.
type ModelInfo struct {
	ID      string      `json:"id"`
	Context int         `json:"context,omitempty"` // tokens, 0 if unknown
	Price   *ModelPrice `json:"price,omitempty"`   // nil if unknown
	Images  bool        `json:"images,omitempty"`
	// Live reports that the provider's server lists it.
	Live bool `json:"live,omitempty"`
}

// The states of a provider's key.
const (
	KeyPresent  = "present"
	KeyMissing  = "missing"
	KeyOptional = "optional" // missing, but not required
	KeyNone     = "none"     // the provider uses no key
	KeyBad      = "bad"      // it exists but must not be used
)

// The reasons for the choice of a provider.
const (
	WhyConfigured  = "configured"  // set by the configuration or a flag
	WhyEnvironment = "environment" // set by LLM_PROVIDER
	WhyKey         = "key"         // the first provider with a key
	WhyLogin       = "login"       // the user is logged in to it
	WhyLocal       = "local"       // a server on this computer was found
	WhyNothing     = "nothing"     // no other provider was found
)

// ProviderModels is one provider in the result of the query "models".
type ProviderModels struct {
	Provider string   `json:"provider"`
	Label    string   `json:"label"`
	Default  string   `json:"default,omitempty"`
	Models   []string `json:"models"` // suggested ids, others work too
	// Known describes the same models, and those that its server lists.
	Known   []ModelInfo `json:"known"`
	BaseURL string      `json:"base_url,omitempty"`
	Key     string      `json:"key"`
	// KeyNames lists the environment variables for the key.
	KeyNames []string `json:"key_names,omitempty"`
	Free     bool     `json:"free,omitempty"` // all its requests are free
	Plan     bool     `json:"plan,omitempty"` // because they are part of a subscription
	// Answers is the current model, if it is one of this provider. Why is the reason for its choice.
	Answers string `json:"answers,omitempty"`
	Why     string `json:"why,omitempty"`
	// Problem is why its server could not be reached, or why it cannot answer.
	Problem string `json:"problem,omitempty"`
}

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
	// At is a single due time, Once removes a reminder with events when it was sent, Say is its text.
	At   string `json:"at,omitempty"`
	Once bool   `json:"once,omitempty"`
	Say  string `json:"say,omitempty"`
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
	// Warnings says why its messages do not arrive.
	Warnings []string `json:"warnings,omitempty"`
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
	At       string   `json:"at,omitempty"` // also a span from now ("30m") or the next time of a day ("18:00")
	On       []string `json:"on,omitempty"`
	Once     bool     `json:"once,omitempty"`
	Say      string   `json:"say,omitempty"`
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
