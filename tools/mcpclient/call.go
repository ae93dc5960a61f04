package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/nidoit/blunux-ai/tools/action"
)

// ready returns a connection for a call. It reads the tool list again, because a server need not announce
// changes, and checks that the tool is the same as when the call was planned.
func (s *server) ready(ctx context.Context, c action.ForeignCall) (*connection, error) {
	l, err := s.openConnection(ctx)
	if err == nil {
		err = s.reloadTools(ctx, l)
	}
	if err != nil {
		return nil, &unavailableError{s.c.Name, err}
	}
	for _, t := range s.listedTools() {
		if t.Tool == c.Tool && t.Digest == c.Digest {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%s of server %s: %w", c.Tool, s.c.Name, action.ErrForeignChanged)
}

// openConnection returns the connection, after connecting if necessary.
func (s *server) openConnection(ctx context.Context) (*connection, error) {
	for {
		if started := s.ensureStarted(); started != nil {
			select {
			case <-started:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		s.mu.Lock()
		l, err, closed := s.link, s.err, s.closed
		s.mu.Unlock()
		switch {
		case l != nil:
			return l, nil
		case closed:
			return nil, errClosed
		case err != nil:
			return nil, err
		}
		// The connection was closed as idle in the meantime.
	}
}

var errClosed = errors.New("it was stopped")

// call runs a tool call and writes its result.
func (s *server) call(ctx context.Context, c action.ForeignCall, to io.Writer) (failed bool, err error) {
	l, err := s.ready(ctx, c)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	s.runningCalls++
	s.mu.Unlock()
	defer s.endCall()
	r, err := l.ask(ctx, c)
	var refused *jsonrpc.Error
	switch {
	case err == nil && r.NeedsInput():
		return true, writeLine(to, "[the server requested input, which is not supported]")
	case err == nil:
		s.resetFailures()
		return r.IsError, writeResult(to, r)
	case ctx.Err() != nil: // cancelled: end the server, like a command
		s.disconnect(l)
		return false, ctx.Err()
	case errors.As(err, &refused):
		return true, writeLine(to, refused.Message)
	}
	return false, &unavailableError{s.c.Name, err}
}

func writeLine(to io.Writer, text string) error {
	_, err := io.WriteString(to, text+"\n")
	return err
}
