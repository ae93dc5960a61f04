package mcpclient

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is the configuration of one server.
type Server struct {
	Name    string
	Command []string // program and arguments, or else URL
	URL     string
	Env     []string // NAME=value, the program's whole environment
	Dir     string   // working directory of the program
	Allow   []string // tools that only read, by the server's names
	Timeout time.Duration
	// Problem is the reason why the configuration cannot be used, "" for none.
	Problem string
}

func (c Server) equal(o Server) bool {
	return c.Name == o.Name && c.URL == o.URL && c.Dir == o.Dir && c.Timeout == o.Timeout && c.Problem == o.Problem &&
		slices.Equal(c.Command, o.Command) && slices.Equal(c.Env, o.Env) && slices.Equal(c.Allow, o.Allow)
}

// Options configures [Servers]. Only Dial has no default.
type Options struct {
	Version string // of this program, sent to servers
	// Dial connects to a server. end stops what it started and may be nil.
	Dial func(ctx context.Context, s Server, errors io.Writer) (t mcp.Transport, end func(), err error)
	// Log receives log lines about a server.
	Log func(server, line string)
	Now func() time.Time
	// ListTimeout is how long to wait for the first tool list (default 2 s). Startup limits a start (default 20
	// s). Idle is how long an unused server keeps running (default 5 min).
	ListTimeout, StartTimeout, IdleTimeout time.Duration
}
