package mcpclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/tools"
)

// connection is one connection to a server.
type connection struct {
	session *mcp.ClientSession
	end     func() // ends what was started for it, may be nil
	once    sync.Once
	changed chan struct{} // signals changed tools; buffers one
	done    chan struct{} // closed at the end of the connection
}

// connect connects to the server and lists its tools.
func (s *server) connect(ctx context.Context) (*connection, toolList, error) {
	if s.c.Problem != "" {
		return nil, toolList{}, errors.New(s.c.Problem)
	}
	said := &lineLogger{log: func(line string) { s.o.Log(s.c.Name, "stderr: "+s.clean(line)) }}
	transport, end, err := s.o.Dial(ctx, s.c, said)
	if err != nil {
		return nil, toolList{}, err
	}
	l := &connection{end: end, changed: make(chan struct{}, 1), done: make(chan struct{})}
	client := mcp.NewClient(&mcp.Implementation{Name: "blunux-ai", Version: s.o.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case l.changed <- struct{}{}:
			default: // a refresh is already pending
			}
		},
	})
	// A server that hangs during the handshake is killed, which ends the read.
	stop := context.AfterFunc(ctx, func() { l.kill() })
	defer stop()
	if l.session, err = client.Connect(ctx, transport, nil); err != nil {
		l.kill()
		return nil, toolList{}, startError(ctx, err)
	}
	list, err := l.list(ctx, s)
	if err != nil {
		l.close()
		return nil, toolList{}, startError(ctx, err)
	}
	return l, list, nil
}

// watchTools refreshes the tool list after each change until the connection ends.
func (s *server) watchTools(l *connection) {
	for {
		select {
		case <-l.changed:
			s.refreshTools(l)
		case <-l.done:
			return
		}
	}
}

// startError replaces an error caused by the start timeout.
func startError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("start timed out")
	}
	return err
}

// ask calls a tool. It returns when ctx ends, even if the server does not read the request.
func (l *connection) ask(ctx context.Context, c tools.ForeignCall) (*mcp.CallToolResult, error) {
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
