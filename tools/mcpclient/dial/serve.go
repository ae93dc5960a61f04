package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
)

// maxRequests bounds the requests at once: each connection is one.
const maxRequests = 1024

// Serve holds the connections of a [mcpclient.Helper] that writes to r and reads from w. It returns when r has ended
// and what was started for the connections has ended. The caller closes the pipes.
func Serve(r io.Reader, w io.Writer, d Dialer) {
	s := &service{dialer: d, open: map[uint64]mcpclient.Connection{}}
	ready := make(chan struct{})
	s.conn = peer.New(r, w, peer.Options{
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			<-ready // conn is set
			return s.handle(ctx, method, params)
		},
		MaxLine:     mcpclient.MaxLine,
		MaxRequests: maxRequests,
	})
	close(ready)
	s.conn.Wait()
}

// service is the side of the connections.
type service struct {
	dialer Dialer
	conn   *peer.Conn

	mu   sync.Mutex
	open map[uint64]mcpclient.Connection
}

func (s *service) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var p mcpclient.CallParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("cannot read a request: %w", err)
	}
	if method == mcpclient.MethodConnect {
		return nil, s.connect(ctx, params)
	}
	s.mu.Lock()
	c := s.open[p.ID]
	s.mu.Unlock()
	if c == nil {
		return nil, errors.New("it exited")
	}
	switch method {
	case mcpclient.MethodTools:
		return c.Tools(ctx)
	case mcpclient.MethodCall:
		return c.Call(ctx, p.Tool, p.Input)
	case mcpclient.MethodClose:
		c.Close()
		return nil, nil
	}
	return nil, peer.UnknownMethod(method)
}

// connect opens a connection and returns when it has ended.
func (s *service) connect(ctx context.Context, params json.RawMessage) error {
	var p mcpclient.ConnectParams
	if err := json.Unmarshal(params, &p); err != nil {
		return fmt.Errorf("cannot read a request: %w", err)
	}
	c, err := s.dialer.Connect(ctx, p.Server, mcpclient.Events{
		Changed: func() { s.notify(mcpclient.NoticeChanged, mcpclient.ConnectionParams{ID: p.ID}) },
		Stderr:  func(line string) { s.notify(mcpclient.NoticeStderr, mcpclient.StderrParams{ID: p.ID, Line: line}) },
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.open[p.ID] = c
	s.mu.Unlock()
	s.notify(mcpclient.NoticeReady, mcpclient.ConnectionParams{ID: p.ID})
	select {
	case <-c.Done():
		err = c.Err()
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	delete(s.open, p.ID)
	s.mu.Unlock()
	c.Close()
	return err
}

// notify sends a notice. The end of the connection to the daemon loses it.
func (s *service) notify(method string, params any) {
	_ = s.conn.Notify(context.Background(), method, params)
}
