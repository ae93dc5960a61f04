package use

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/tools"
)

// The pause after a failure, which doubles with each consecutive failure.
const (
	firstPause = time.Second
	lastPause  = 5 * time.Minute
)

// server is one configured server, running or not.
type server struct {
	o     *Options
	c     Server
	own   []string
	clean func(string) string
	// living is cancelled when the server is closed, which cancels a start in progress.
	living context.Context
	end    context.CancelFunc

	mu       sync.Mutex
	closed   bool
	link     *link         // current connection, or nil
	starting chan struct{} // closed at the end of the start in progress
	asked    bool          // its tools were requested before
	offered  offered
	failures int       // in a row
	retry    time.Time // time of the next try
	err      error     // the last failure
	busy     int       // number of running calls
	rest     *time.Timer
}

func newServer(o *Options, c Server, own []string, clean func(string) string) *server {
	s := &server{o: o, c: c, own: own, clean: clean}
	s.living, s.end = context.WithCancel(context.Background())
	return s
}

// awayError reports a server that does not answer.
type awayError struct {
	server string
	why    error
}

func (e *awayError) Error() string {
	return fmt.Sprintf("server %s does not answer: %v", e.server, e.why)
}

func (e *awayError) Unwrap() error { return e.why }

// first starts a server when its tools are first requested, and waits briefly for them.
func (s *server) first() {
	s.mu.Lock()
	asked := s.asked
	s.asked = true
	known := len(s.offered.tools) > 0 || s.link != nil
	s.mu.Unlock()
	if known {
		return
	}
	started := s.begin()
	if asked || started == nil { // wait only the first time
		return
	}
	timer := time.NewTimer(s.o.Patience)
	defer timer.Stop()
	select {
	case <-started:
	case <-timer.C:
	}
}

// begin starts the server unless it is running or paused after a failure. It returns a channel that is closed
// at the end of the start, or nil.
func (s *server) begin() <-chan struct{} {
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
	ctx, cancel := context.WithTimeout(s.living, s.o.Startup)
	defer cancel()
	l, list, err := s.connect(ctx)
	s.mu.Lock()
	starting, closed := s.starting, s.closed
	s.starting = nil
	switch {
	case closed:
	case err != nil:
		s.failed(err)
	default:
		s.link = l
		s.take(list)
		s.idle()
	}
	s.mu.Unlock()
	if closed && l != nil {
		l.close()
	} else if l != nil {
		go s.watch(l)
		go s.heed(l)
	}
	close(starting)
}

// failed records a failure and pauses the server. The caller holds the lock.
func (s *server) failed(err error) {
	pause := min(firstPause<<min(s.failures, 16), lastPause)
	s.failures++
	s.err, s.retry = err, s.o.Now().Add(pause)
	s.o.Told(s.c.Name, fmt.Sprintf("%s; next try in %s", s.clean(err.Error()), pause))
}

// take stores a tool list and reports newly skipped tools. The caller holds the lock.
func (s *server) take(list offered) {
	for _, d := range list.dropped {
		if !contains(s.offered.dropped, d) {
			s.o.Told(s.c.Name, d)
		}
	}
	s.offered = list
}

func contains(list []string, text string) bool {
	for _, x := range list {
		if x == text {
			return true
		}
	}
	return false
}

// watch waits for the end of a connection. It is a failure unless this program closed the connection.
func (s *server) watch(l *link) {
	err := l.session.Wait()
	close(l.over)
	s.mu.Lock()
	if s.link == l {
		s.link = nil
		if err == nil {
			err = errors.New("it exited")
		}
		s.failed(err)
	}
	s.mu.Unlock()
	l.close()
}

// announced refreshes the tool list after the server reported a change.
func (s *server) announced(l *link) {
	if err := s.relist(s.living, l); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.link == l {
			s.o.Told(s.c.Name, "cannot list its tools again: "+err.Error())
		}
	}
}

// relist reads the tool list again.
func (s *server) relist(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Startup)
	defer cancel()
	list, err := l.list(ctx, s)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.take(list)
	}
	return nil
}

// answered resets the failures.
func (s *server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.err, s.retry = 0, nil, time.Time{}
}

// done ends a call and starts the idle timer.
func (s *server) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.idle()
}

// idle restarts the timer that closes an unused connection. The caller holds the lock.
func (s *server) idle() {
	if s.rest != nil {
		s.rest.Stop()
	}
	l := s.link
	s.rest = time.AfterFunc(s.o.Idle, func() {
		s.mu.Lock()
		wanted := s.busy > 0
		s.mu.Unlock()
		if !wanted && l != nil {
			s.drop(l)
		}
	})
}

// drop closes a connection without counting a failure.
func (s *server) drop(l *link) {
	s.mu.Lock()
	if s.link == l {
		s.link = nil
	}
	s.mu.Unlock()
	l.close()
}

// listed returns the tools of the last list.
func (s *server) listed() []tools.ForeignTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offered.tools
}

func (s *server) problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	if s.err != nil && s.link == nil {
		list = append(list, s.clean((&awayError{s.c.Name, s.err}).Error()))
	}
	for _, d := range s.offered.dropped {
		list = append(list, "server "+s.c.Name+": "+d)
	}
	return list
}

// close ends the server permanently.
func (s *server) close() {
	s.mu.Lock()
	l := s.link
	s.link, s.closed = nil, true
	s.end()
	if s.rest != nil {
		s.rest.Stop()
	}
	starting := s.starting
	s.mu.Unlock()
	if l != nil {
		l.close()
	}
	if starting != nil {
		<-starting
	}
}
