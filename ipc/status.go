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
