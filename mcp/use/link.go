package use

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/tools"
)

// link is one connection to a server.
type link struct {
	session *mcp.ClientSession
	end     func() // ends what was started for it, may be nil
	once    sync.Once
	changed chan struct{} // signals changed tools; buffers one
	over    chan struct{} // closed at the end of the connection
}

// connect connects to the server and lists its tools.
func (s *server) connect(ctx context.Context) (*link, offered, error) {
	if s.c.Lacks != "" {
		return nil, offered{}, errors.New(s.c.Lacks)
	}
	said := &lines{told: func(line string) { s.o.Told(s.c.Name, "stderr: "+s.clean(line)) }}
	transport, end, err := s.o.Dial(ctx, s.c, said)
	if err != nil {
		return nil, offered{}, err
	}
	l := &link{end: end, changed: make(chan struct{}, 1), over: make(chan struct{})}
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
		return nil, offered{}, late(ctx, err)
	}
	list, err := l.list(ctx, s)
	if err != nil {
		l.close()
		return nil, offered{}, late(ctx, err)
	}
	return l, list, nil
}

// heed refreshes the tool list after each change until the connection ends.
func (s *server) heed(l *link) {
	for {
		select {
		case <-l.changed:
			s.announced(l)
		case <-l.over:
			return
		}
	}
}

// late replaces an error caused by the start timeout.
func late(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("start timed out")
	}
	return err
}

// ask calls a tool. It returns when ctx ends, even if the server does not read the request.
func (l *link) ask(ctx context.Context, c tools.ForeignCall) (*mcp.CallToolResult, error) {
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
func (l *link) list(ctx context.Context, s *server) (offered, error) {
	var o offered
	looked := 0
	for t, err := range l.session.Tools(ctx, nil) {
		if err != nil {
			return offered{}, err
		}
		if looked++; looked > maxLooked {
			break
		}
		if t != nil {
			o.add(s.c, t, s.own, s.clean)
		}
	}
	if len(o.dropped) > maxDropped {
		o.dropped = append(o.dropped[:maxDropped:maxDropped], "and more tools skipped")
	}
	return o, nil
}

// maxDropped bounds how many skipped tools are reported one by one.
const maxDropped = 16

// kill ends what was started for the connection.
func (l *link) kill() {
	l.once.Do(func() {
		if l.end != nil {
			l.end()
		}
	})
}

// close closes the connection and waits for the end of what was started for it. Closing a connection to a URL
// is bounded in time.
func (l *link) close() {
	l.kill() // first, because closing waits for pending writes, and the server may not read
	closed := make(chan struct{})
	go func() {
		_ = l.session.Close()
		close(closed)
	}()
	timer := time.NewTimer(leaving)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
}
