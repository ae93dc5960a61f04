package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nidoit/blunux-ai/tools/action"
)

// ready returns a connection for a call. It reads the tool list again, because a server need not announce
// changes, and checks that the tool is the same as when the call was planned.
func (s *server) ready(ctx context.Context, c action.ForeignCall) (*link, error) {
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
func (s *server) openConnection(ctx context.Context) (*link, error) {
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
	r, err := l.Call(ctx, c.Tool, c.Input)
	switch {
	case err == nil:
		if !r.Refused {
			s.resetFailures()
		}
		_, err := io.WriteString(to, r.Text)
		return r.Failed, err
	case ctx.Err() != nil: // cancelled: end the server, like a command
		s.disconnect(l)
		return false, ctx.Err()
	}
	return false, &unavailableError{s.c.Name, err}
}
