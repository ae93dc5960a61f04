package mcpclient

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/tools/action"
)

// connection is one connection to a server.
type connection struct {
	session *mcp.ClientSession
	end     func() // ends what was started for it, may be nil
	once    sync.Once
	changed chan struct{} // signals changed tools; buffers one
	done    chan struct{} // closed at the end of the connection
}

// ask calls a tool. It returns when ctx ends, even if the server does not read the request.
func (l *connection) ask(ctx context.Context, c action.ForeignCall) (*mcp.CallToolResult, error) {
	type answer struct {
		result *mcp.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		r, err := l.session.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Input})
		answered <- answer{r, err}
	}()
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// list reads the server's tools, up to the limits.
func (l *connection) list(ctx context.Context, s *server) (toolList, error) {
	var o toolList
	looked := 0
	for t, err := range l.session.Tools(ctx, nil) {
		if err != nil {
			return toolList{}, err
		}
		if looked++; looked > maxExamined {
			break
		}
		if t != nil {
			o.add(s.c, t, s.ownNames, s.clean)
		}
	}
	if len(o.skipped) > maxSkipped {
		o.skipped = append(o.skipped[:maxSkipped:maxSkipped], "and more tools skipped")
	}
	return o, nil
}

// maxSkipped bounds how many skipped tools are reported one by one.
const maxSkipped = 16

// kill ends what was started for the connection.
func (l *connection) kill() {
	l.once.Do(func() {
		if l.end != nil {
			l.end()
		}
	})
}

// close closes the connection and waits for the end of what was started for it. Closing a connection to a URL
// is bounded in time.
func (l *connection) close() {
	l.kill() // first, because closing waits for pending writes, and the server may not read
	closed := make(chan struct{})
	go func() {
		_ = l.session.Close()
		close(closed)
	}()
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
}
