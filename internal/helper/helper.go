// Package helper runs a helper program of this daemon on demand: it starts the program with the first request, talks to
// it over pipes (internal/peer), and ends it after a time without requests. The program and the daemon both call each
// other. The kernel kills the program when the daemon dies (internal/child).
//
// If the program crashes, the requests in flight fail, and the next request restarts it, up to [MaxCrashes] times a
// minute.
package helper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/peer"
)

// Defaults of [Options].
const (
	DefaultIdle         = time.Minute
	DefaultStartTimeout = 20 * time.Second
	DefaultExitTimeout  = 2 * time.Second
)

// MaxCrashes is how often a program may crash in a minute. Then requests fail with [ErrCrashes] until the minute has
// passed.
const MaxCrashes = 3

const crashWindow = time.Minute

// The errors of requests to a program.
var (
	ErrClosed  = errors.New("it was stopped")
	ErrCrashes = errors.New("it crashed too often; the next try is in a minute")
	// ErrEnded reports that the program ended while a request was in flight.
	ErrEnded = errors.New("it ended unexpectedly")
)

// Process is a started program.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Done   <-chan struct{} // closed when it has ended
	Exit   func() error    // how it ended, once Done is closed
	Kill   func()          // kills it and what it started; does not wait
}

// Options configures a [Program]. Launch is required.
type Options struct {
	// Launch starts the program. stderr receives its standard error.
	Launch func(stderr io.Writer) (Process, error)
	// Setup makes the first requests to a program that has just started, before all others. It may be nil.
	Setup func(ctx context.Context, c *peer.Conn) error
	// Peer configures the connection: what the program may ask for, and its notices.
	Peer peer.Options
	// Log receives the program's standard error by line, and why it ended if that was unexpected. It may be nil.
	Log func(line string)
	// Idle is how long the program stays without requests; it is negative if the program stays until [Program.Close].
	// StartTimeout bounds Setup. ExitTimeout is how long the program may take to end once its input is closed, and how
	// long Close waits for requests in flight.
	Idle, StartTimeout, ExitTimeout time.Duration
}

// Start returns an Options.Launch that starts a program of a file. describe is called at each start.
func Start(describe func() (child.Start, error)) func(stderr io.Writer) (Process, error) {
	return func(stderr io.Writer) (Process, error) {
		s, err := describe()
		if err != nil {
			return Process{}, err
		}
		s.Errors = stderr
		c, err := child.New(s)
		if err != nil {
			return Process{}, err
		}
		return Process{Stdin: c.Stdin, Stdout: c.Stdout, Done: c.Done(), Exit: c.Exit, Kill: c.Kill}, nil
	}
}

// Program is a helper program, running or not. It is safe for concurrent use.
type Program struct {
	o    Options
	busy sync.WaitGroup

	mu      sync.Mutex
	current *run // nil if it does not run
	former  *run // the last one before, which may still be ending
	crashes []time.Time
	closed  bool
}

// run is one run of the program.
type run struct {
	ready chan struct{} // closed when it takes requests or has failed to start
	ended chan struct{} // closed when it has ended
	stop  chan struct{} // closed to end it

	// Set before ready is closed.
	conn     *peer.Conn
	startErr error

	exit error // why it ended, set before ended is closed

	// Guarded by Program.mu.
	users   int
	idle    *time.Timer
	drained chan struct{} // closed when the last user leaves, if Close waits for that
}

// New returns a program, which the first request starts. The caller must close it.
func New(o Options) *Program {
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.StartTimeout = cmp.Or(o.StartTimeout, DefaultStartTimeout)
	o.ExitTimeout = cmp.Or(o.ExitTimeout, DefaultExitTimeout)
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return &Program{o: o}
}

// SetIdle changes how long the program stays without requests, from the end of the next request on.
func (p *Program) SetIdle(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.Idle = d
}

// Call starts the program if needed, calls one of its methods, and decodes the result, which may be nil. The error is an
// [*peer.Error] of the program, the error of ctx, or it wraps [ErrEnded], [ErrCrashes], [ErrClosed] or why the program
// could not be started.
func (p *Program) Call(ctx context.Context, method string, params, result any) error {
	r, err := p.acquire(ctx, true)
	if err != nil {
		return err
	}
	defer p.release(r)
	return r.call(ctx, method, params, result)
}

// CallRunning is [Program.Call] for a program that runs already. Otherwise it does nothing and reports false.
func (p *Program) CallRunning(ctx context.Context, method string, params, result any) (ran bool, err error) {
	r, err := p.acquire(ctx, false)
	if r == nil || err != nil {
		return false, err
	}
	defer p.release(r)
	return true, r.call(ctx, method, params, result)
}

// call makes a request. If the program ends meanwhile, it returns why.
func (r *run) call(ctx context.Context, method string, params, result any) error {
	err := r.conn.Call(ctx, method, params, result)
	if err == nil || errors.As(err, new(*peer.Error)) || ctx.Err() != nil {
		return err
	}
	select {
	case <-r.conn.Done():
	default:
		return err // such as a request that is too long
	}
	select {
	case <-r.ended:
		return r.exit
	case <-ctx.Done():
		return ctx.Err()
	}
}

// acquire returns the running program, started if needed and start is set. The caller must release it.
func (p *Program) acquire(ctx context.Context, start bool) (*run, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if p.current == nil {
		if !start {
			p.mu.Unlock()
			return nil, nil
		}
		if err := p.checkCrashes(); err != nil {
			p.mu.Unlock()
			return nil, err
		}
		r := &run{ready: make(chan struct{}), ended: make(chan struct{}), stop: make(chan struct{})}
		former := p.former
		p.current, p.former = r, r
		p.busy.Go(func() { p.supervise(r, former) })
	}
	r := p.current
	r.users++
	if r.idle != nil {
		r.idle.Stop()
	}
	p.mu.Unlock()
	var err error
	select {
	case <-r.ready:
		err = r.startErr
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.release(r)
		return nil, err
	}
	return r, nil
}

// checkCrashes fails while the program has crashed too often. p.mu must be held.
func (p *Program) checkCrashes() error {
	p.crashes = slices.DeleteFunc(p.crashes, func(at time.Time) bool { return time.Since(at) >= crashWindow })
	if len(p.crashes) >= MaxCrashes {
		return ErrCrashes
	}
	return nil
}

// release ends a use of the program.
func (p *Program) release(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.users--; r.users > 0 {
		return
	}
	switch {
	case r.drained != nil:
		close(r.drained)
	case p.current == r && p.o.Idle > 0:
		r.idle = time.AfterFunc(p.o.Idle, func() { p.endIdle(r) })
	}
}

// endIdle ends a run that has no users.
func (p *Program) endIdle(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.users == 0 && p.current == r {
		p.current = nil
		close(r.stop)
	}
}

// Close ends the program. It refuses new requests, waits for those in flight, at most Options.ExitTimeout, and returns
// when the program has ended.
func (p *Program) Close() {
	p.mu.Lock()
	r := p.current
	if p.closed || r == nil {
		p.closed = true
		p.mu.Unlock()
		p.busy.Wait()
		return
	}
	p.closed, p.current = true, nil
	if r.idle != nil {
		r.idle.Stop()
	}
	r.drained = make(chan struct{})
	if r.users == 0 {
		close(r.drained)
	}
	p.mu.Unlock()
	timer := time.NewTimer(p.o.ExitTimeout)
	defer timer.Stop()
	select {
	case <-r.drained:
	case <-r.ended:
	case <-timer.C:
	}
	close(r.stop)
	p.busy.Wait()
}

// supervise starts the program and waits for its end.
func (p *Program) supervise(r, former *run) {
	defer close(r.ended)
	if former != nil {
		<-former.ended // two never run at once
	}
	stderr := child.NewLineLog(p.o.Log)
	proc, err := p.o.Launch(stderr)
	if err != nil {
		p.detach(r)
		r.startErr, r.exit = err, err
		close(r.ready)
		return
	}
	r.conn = peer.New(proc.Stdout, proc.Stdin, p.o.Peer)
	failed := p.setUp(r)
	if failed == nil {
		close(r.ready)
		select {
		case <-r.conn.Done():
		case <-r.stop:
		}
	}
	r.exit = p.end(r, proc, failed)
	if failed != nil {
		r.startErr = r.exit
		close(r.ready)
	}
}

// setUp makes the first requests.
func (p *Program) setUp(r *run) error {
	if p.o.Setup == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.o.StartTimeout)
	defer cancel()
	go func() {
		select {
		case <-r.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return p.o.Setup(ctx, r.conn)
}

// end ends the process, if it has not ended itself, and returns why it ended. failed is the error of setUp.
func (p *Program) end(r *run, proc Process, failed error) error {
	asked := p.detach(r)
	why := r.conn.Err()
	proc.Stdin.Close() // asks the program to end
	timer := time.NewTimer(p.o.ExitTimeout)
	defer timer.Stop()
	killed := false
	select {
	case <-proc.Done:
	case <-timer.C:
		killed = true
		proc.Kill()
		<-proc.Done
	}
	r.conn.Close()
	proc.Stdout.Close()
	r.conn.Wait()
	err := ErrEnded
	switch exit := proc.Exit(); {
	case asked:
		return ErrClosed
	case why == nil && failed != nil:
		err = fmt.Errorf("it does not start: %w", failed)
	case exit != nil && !killed:
		err = fmt.Errorf("%w: %w", ErrEnded, exit)
	case why != nil && !errors.Is(why, io.EOF):
		err = fmt.Errorf("%w: %w", ErrEnded, why)
	}
	p.o.Log(err.Error())
	return err
}

// detach makes the next request restart the program. It reports whether this run was to end; otherwise it counts as
// a crash.
func (p *Program) detach(r *run) (asked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == r {
		p.current = nil
	}
	if r.idle != nil {
		r.idle.Stop()
	}
	select {
	case <-r.stop:
		return true
	default:
	}
	if r.conn != nil {
		p.crashes = append(p.crashes, time.Now())
	}
	return false
}
