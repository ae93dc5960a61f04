package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/tools/action"
)

// The pause after a failure, which doubles with each consecutive failure.
const (
	firstPause = time.Second
	lastPause  = 5 * time.Minute
)

// server is one configured server, running or not.
type server struct {
	settings
	// baseCtx is cancelled when the server is closed, which cancels a start in progress.
	baseCtx context.Context
	cancel  context.CancelFunc

	mu           sync.Mutex
	closed       bool
	link         *link         // current connection, or nil
	starting     chan struct{} // closed at the end of the start in progress
	requested    bool          // its tools were requested before
	tools        toolList
	trouble          // why the last starts failed
	runningCalls int // number of running calls
	idleTimer    *time.Timer
}

// link is a connection whose changes are noticed.
type link struct {
	Connection
	changed chan struct{} // signals changed tools; buffers one
}

// settings are how a server is reached, and how its texts are shown.
type settings struct {
	o        *Options
	c        Server
	ownNames []string
	clean    func(string) string
}

// trouble is the last failure of a server.
type trouble struct {
	failures int       // in a row
	retry    time.Time // time of the next try
	err      error
}

func newServer(o *Options, c Server, own []string, clean func(string) string) *server {
	s := &server{settings: settings{o: o, c: c, ownNames: own, clean: clean}}
	s.baseCtx, s.cancel = context.WithCancel(context.Background())
	return s
}

// unavailableError reports a server that does not answer.
type unavailableError struct {
	server string
	err    error
}

func (e *unavailableError) Error() string {
	return fmt.Sprintf("server %s does not answer: %v", e.server, e.err)
}

func (e *unavailableError) Unwrap() error { return e.err }

// startFirst starts a server when its tools are first requested, and waits briefly for them.
func (s *server) startFirst() {
	s.mu.Lock()
	asked := s.requested
	s.requested = true
	known := len(s.tools.tools) > 0 || s.link != nil
	s.mu.Unlock()
	if known {
		return
	}
	started := s.ensureStarted()
	if asked || started == nil { // wait only the first time
		return
	}
	timer := time.NewTimer(s.o.ListTimeout)
	defer timer.Stop()
	select {
	case <-started:
	case <-timer.C:
	}
}

// ensureStarted starts the server unless it is running or paused after a failure. It returns a channel that is closed
// at the end of the start, or nil.
func (s *server) ensureStarted() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || s.link != nil || s.starting == nil && s.o.Now().Before(s.retry):
		return nil
	case s.starting == nil:
		s.starting = make(chan struct{})
		go s.start()
	}
	return s.starting
}

// start connects to the server and lists its tools.
func (s *server) start() {
	ctx, cancel := context.WithTimeout(s.baseCtx, s.o.StartTimeout)
	defer cancel()
	l, list, err := s.connect(ctx)
	s.mu.Lock()
	starting, closed := s.starting, s.closed
	s.starting = nil
	switch {
	case closed:
	case err != nil:
		s.recordFailure(err)
	default:
		s.link = l
		s.setTools(list)
		s.restartIdleTimer()
	}
	s.mu.Unlock()
	if closed && l != nil {
		l.Close()
	} else if l != nil {
		go s.watchConnection(l)
		go s.watchTools(l)
	}
	close(starting)
}

// recordFailure records a failure and pauses the server. The caller holds the lock.
func (s *server) recordFailure(err error) {
	pause := min(firstPause<<min(s.failures, 16), lastPause)
	s.failures++
	s.err, s.retry = err, s.o.Now().Add(pause)
	s.o.Log(s.c.Name, fmt.Sprintf("%s; next try in %s", s.clean(err.Error()), pause))
}

// setTools stores a tool list and reports newly skipped tools. The caller holds the lock.
func (s *server) setTools(list toolList) {
	for _, d := range list.skipped {
		if !contains(s.tools.skipped, d) {
			s.o.Log(s.c.Name, d)
		}
	}
	s.tools = list
}

func contains(list []string, text string) bool {
	for _, x := range list {
		if x == text {
			return true
		}
	}
	return false
}

// watchConnection waits for the end of a connection. It is a failure unless this program closed the connection.
func (s *server) watchConnection(l *link) {
	<-l.Done()
	err := l.Err()
	s.mu.Lock()
	if s.link == l {
		s.link = nil
		if err == nil {
			err = errors.New("it exited")
		}
		s.recordFailure(err)
	}
	s.mu.Unlock()
	l.Close()
}

// refreshTools refreshes the tool list after the server reported a change.
func (s *server) refreshTools(l *link) {
	if err := s.reloadTools(s.baseCtx, l); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.link == l {
			s.o.Log(s.c.Name, "cannot list its tools again: "+err.Error())
		}
	}
}

// reloadTools reads the tool list again.
func (s *server) reloadTools(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.StartTimeout)
	defer cancel()
	list, err := s.read(ctx, l)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.setTools(list)
	}
	return nil
}

// resetFailures resets the failures.
func (s *server) resetFailures() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.err, s.retry = 0, nil, time.Time{}
}

// endCall ends a call and starts the idle timer.
func (s *server) endCall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runningCalls--
	s.restartIdleTimer()
}

// restartIdleTimer restarts the timer that closes an unused connection. The caller holds the lock.
func (s *server) restartIdleTimer() {
	if s.idleTimer != nil {
		s.idleTimer.Stop()
	}
	l := s.link
	s.idleTimer = time.AfterFunc(s.o.IdleTimeout, func() {
		s.mu.Lock()
		wanted := s.runningCalls > 0
		s.mu.Unlock()
		if !wanted && l != nil {
			s.disconnect(l)
		}
	})
}

// disconnect closes a connection without counting a failure.
func (s *server) disconnect(l *link) {
	s.mu.Lock()
	if s.link == l {
		s.link = nil
	}
	s.mu.Unlock()
	l.Close()
}

// listedTools returns the tools of the last list.
func (s *server) listedTools() []action.ForeignTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools.tools
}

func (s *server) problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	if s.err != nil && s.link == nil {
		list = append(list, s.clean((&unavailableError{s.c.Name, s.err}).Error()))
	}
	for _, d := range s.tools.skipped {
		list = append(list, "server "+s.c.Name+": "+d)
	}
	return list
}

// close ends the server permanently.
func (s *server) close() {
	s.mu.Lock()
	l := s.link
	s.link, s.closed = nil, true
	s.cancel()
	if s.idleTimer != nil {
		s.idleTimer.Stop()
	}
	starting := s.starting
	s.mu.Unlock()
	if l != nil {
		l.Close()
	}
	if starting != nil {
		<-starting
	}
}

// connect connects to the server and lists its tools.
func (s *server) connect(ctx context.Context) (*link, toolList, error) {
	if s.c.Problem != "" {
		return nil, toolList{}, errors.New(s.c.Problem)
	}
	l := &link{changed: make(chan struct{}, 1)}
	events := Events{
		Stderr: func(line string) { s.o.Log(s.c.Name, "stderr: "+s.clean(line)) },
		Changed: func() {
			select {
			case l.changed <- struct{}{}:
			default: // a refresh is already pending
			}
		},
	}
	c, err := s.o.Connect(ctx, s.c, events)
	if err != nil {
		return nil, toolList{}, startError(ctx, err)
	}
	l.Connection = c
	list, err := s.read(ctx, l)
	if err != nil {
		l.Close()
		return nil, toolList{}, startError(ctx, err)
	}
	return l, list, nil
}

// watchTools refreshes the tool list after each change until the connection ends.
func (s *server) watchTools(l *link) {
	for {
		select {
		case <-l.changed:
			s.refreshTools(l)
		case <-l.Done():
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
