package ipc

import "time"

// The states of a daemon, as [Status] has them.
const (
	StateRunning    = "running"
	StateStopping   = "stopping"
	StateNotRunning = "not running" // said by a client that must not start one
)

// Status is the data of the result of the query "status".
type Status struct {
	State   string `json:"state"`
	Version string `json:"version"`
	// Replaced: another program was installed meanwhile; this daemon gives way to
	// it once nothing needs it.
	Replaced bool      `json:"replaced,omitempty"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Uptime   int       `json:"uptime_s"`
	Provider string    `json:"provider,omitempty"`
	Model    string    `json:"model,omitempty"`
	// Resting are providers that are left alone for a while, because they failed.
	Resting     []Resting `json:"resting"`
	Lang        string    `json:"lang"`
	Home        string    `json:"home"`
	ConfigFiles []string  `json:"config_files"`
	// ConfigError is why the last edit of the configuration is not in use;
	// ConfigProblem is the same in parts.
	ConfigError   string         `json:"config_error,omitempty"`
	ConfigProblem *ConfigProblem `json:"config_problem,omitempty"`
	Running       int            `json:"running"`
	Waiting       int            `json:"waiting"`
	Approvals     int            `json:"approvals"`
	Notifications int            `json:"notifications"`
	// Dropped counts notifications that were given up for want of room or time.
	Dropped     int `json:"notifications_dropped"`
	Automations int `json:"automations"`
	// Bridges are the messengers' bridges that were set up.
	Bridges   []BridgeStatus `json:"bridges"`
	Clients   int            `json:"clients"`
	IdleExit  int            `json:"idle_exit_s"` // 0: never
	Idle      Idle           `json:"idle"`
	Turns     int            `json:"turns"`
	TokensIn  int            `json:"tokens_in"`
	TokensOut int            `json:"tokens_out"`
	// Today is what the day's requests to models took, also those of earlier
	// daemons, and Budget how its budget stands; nil where there is none.
	Today  UsageSum   `json:"today"`
	Budget *DayBudget `json:"budget,omitempty"`
	// Sandbox is what holds SAFE commands; Privilege how commands get root's
	// rights.
	Sandbox      string            `json:"sandbox"`
	Privilege    string            `json:"privilege,omitempty"`
	Process      Process           `json:"process"`
	Connections  []ConnectionUsage `json:"connections"`
	Tasks        []TaskUsage       `json:"tasks"`
	Log          LogPlace          `json:"log"`
	LastLog      []string          `json:"last_log"` // warnings and worse
	LastCommands []string          `json:"last_commands"`
	// Problems are parts of the daemon's files that cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// Resting is a provider that is not asked until a time.
type Resting struct {
	Provider string    `json:"provider"`
	Why      string    `json:"why"` // network, rate_limit, auth, api, …
	Failures int       `json:"failures"`
	Until    time.Time `json:"until"`
	Message  string    `json:"message"`
}

// Idle is when a daemon nobody needs exits.
type Idle struct {
	// ExitsIn is how many seconds after the last client and task; 0: never.
	ExitsIn int `json:"exits_in_s"`
	// Holds are what keeps it just now besides the one who asks, with how many
	// of each: "client 1", "task 2", "delivery 1".
	Holds []string `json:"holds"`
}

// Process is what the daemon takes of the machine.
type Process struct {
	RSS        int64 `json:"rss_bytes"`
	Heap       int64 `json:"heap_bytes"` // live objects
	Goroutines int   `json:"goroutines"`
	OpenFiles  int   `json:"open_files"`
}

// Traffic counts what went over a connection since it was opened.
type Traffic struct {
	BytesIn   int64 `json:"bytes_in"`
	BytesOut  int64 `json:"bytes_out"`
	FramesIn  int64 `json:"frames_in"`
	FramesOut int64 `json:"frames_out"`
}

// ConnectionUsage is one connection's figures.
type ConnectionUsage struct {
	Client  string    `json:"client,omitempty"` // as it said of itself; "" before its hello
	Channel string    `json:"channel,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Since   time.Time `json:"since"`
	Traffic
	Requests int64 `json:"requests"`
	Self     bool  `json:"self,omitempty"` // who asks
}

// TaskUsage is one living task's figures.
type TaskUsage struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Channel   string `json:"channel"`
	Session   string `json:"session"`
	Age       int    `json:"age_s"`
	Rounds    int    `json:"rounds"`
	TokensIn  int    `json:"tokens_in"`
	TokensOut int    `json:"tokens_out"`
	Commands  int    `json:"commands"` // calls of tools that ran
}

// LogPlace is where the daemon's log goes, and which levels.
type LogPlace struct {
	To        string `json:"to"` // journal or stderr
	Level     string `json:"level"`
	File      string `json:"file,omitempty"` // today's
	FileLevel string `json:"file_level,omitempty"`
	Problem   string `json:"problem,omitempty"` // why the file is not written
}

// BridgeStatus is a messenger's bridge that was set up once, as it said of itself
// last and as it is now.
type BridgeStatus struct {
	Channel string `json:"channel"`
	Unit    string `json:"unit"`
	// Running reports that a process is this bridge just now.
	Running bool `json:"running"`
	// Phase is one of package bridge/state's; "" where it cannot be told, and Problem
	// is why. What a bridge that does not run any more said is stopped.
	Phase string    `json:"phase,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"` // it waits as long
	// Account is who it is on its channel.
	Account string `json:"account,omitempty"`
	Detail  string `json:"detail,omitempty"` // what the channel's server said
	Version string `json:"version,omitempty"`
	PID     int    `json:"pid,omitempty"`
	// Unsent and Untaken are how many messages wait for the channel's server, and for
	// the daemon.
	Unsent  int `json:"unsent"`
	Untaken int `json:"untaken"`
	// NeedsPerson reports that nothing goes on by itself, and Do is the command that
	// helps; "" where none does.
	NeedsPerson bool   `json:"needs_person"`
	Do          string `json:"do,omitempty"`
	Problem     string `json:"problem,omitempty"`
}
