package mcpclient

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Server is the configuration of one server.
type Server struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"` // program and arguments, or else URL
	URL     string   `json:"url,omitempty"`
	Env     []string `json:"env,omitempty"` // NAME=value, the program's whole environment
	Dir     string   `json:"dir,omitempty"` // working directory of the program
	// Allow lists tools that only read, by the server's names. Timeout bounds a call. Problem is the reason why the
	// configuration cannot be used, "" for none.
	Allow   []string      `json:"-"`
	Timeout time.Duration `json:"-"`
	Problem string        `json:"-"`
}

func (c Server) equal(o Server) bool {
	return c.Name == o.Name && c.URL == o.URL && c.Dir == o.Dir && c.Timeout == o.Timeout && c.Problem == o.Problem &&
		slices.Equal(c.Command, o.Command) && slices.Equal(c.Env, o.Env) && slices.Equal(c.Allow, o.Allow)
}

// Options configures [Servers]. Only Connect has no default.
type Options struct {
	// Connect starts a server or reaches its URL. It gives up when ctx ends.
	Connect func(ctx context.Context, s Server, e Events) (Connection, error)
	// Log receives log lines about a server.
	Log func(server, line string)
	Now func() time.Time
	// ListTimeout is how long to wait for the first tool list (default 2 s). Startup limits a start (default 20
	// s). Idle is how long an unused server keeps running (default 5 min).
	ListTimeout, StartTimeout, IdleTimeout time.Duration
}

// Events are what a server reports unasked. The functions must not block.
type Events struct {
	Changed func()            // its tools have changed
	Stderr  func(line string) // it wrote a line to its standard error
}

// Connection is a connection to one server.
type Connection interface {
	// Tools lists its tools.
	Tools(ctx context.Context) ([]Tool, error)
	// Call calls a tool. It returns when ctx ends, even if the server does not read the request.
	Call(ctx context.Context, tool string, input json.RawMessage) (Result, error)
	// Done is closed at the end of the connection. Then Err returns its reason, nil if the server ended in order.
	Done() <-chan struct{}
	Err() error
	// Close closes the connection and waits for the end of what was started for it, for a bounded time.
	Close()
}

// The limits for one tool as it passes from a connection. The tool itself has no limits.
const (
	MaxListed        = 256       // tools
	MaxListedName    = 256       // bytes
	MaxListedText    = 8 << 10   // bytes of a description
	MaxListedSchema  = 64 << 10  // bytes
	MaxListedSchemas = 512 << 10 // bytes, of all tools
)

// Tool is a tool as its server describes it. Its texts are untrusted.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // its first MaxListedText bytes
	// Schema is nil if it is longer than the limits. Digest covers the whole description of the tool.
	Schema json.RawMessage `json:"schema,omitempty"`
	Digest string          `json:"digest"`
}

// Result is the answer to a call.
type Result struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"` // the tool reports a failure
	// Refused reports that the server did not run the tool.
	Refused bool `json:"refused,omitempty"`
}
