package ipc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// LinkEvent is what comes over a link: exactly one of its fields is set.
type LinkEvent struct {
	// Frame is a message of the daemon.
	Frame *Message
	// Up is what the daemon said of itself, now that it can be reached (again).
	Up *Hello
	// Down is why it cannot be reached, or not any more. What was asked and not
	// answered is over; the daemon keeps it.
	Down error
}

// ErrLinkFull reports that more waits to be sent than a link keeps.
var ErrLinkFull = errors.New("too much waits to be sent to the daemon")

// ErrLinkOver reports that a link's Run has returned.
var ErrLinkOver = errors.New("the link to the daemon was closed")

const (
	// restAfter is how long a link without traffic keeps its connection.
	restAfter = 2 * time.Minute
	// greetTime is how long a daemon may take to say hello.
	greetTime = 10 * time.Second
	// mostQueued is how many messages wait for a connection.
	mostQueued = 256
	// firstPause and longestPause are between two looks for a lost daemon,
	// mostLooks is how often it is looked for: about a minute in all. Whoever
	// waits longer does not wait; the next message looks again.
	firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second
	mostLooks                = 12
)

// Link is one connection to the daemon that many requests share, and that
// comes back by itself. It is for programs that stay: a chat, a bridge.
//
// A connection keeps the daemon from its idle exit. A link therefore lets go
// of one that had no traffic for a while and on which nothing is open, without
// a word, and dials again when something is sent; [LinkEvent.Up] says so each
// time, and subscriptions have to be made anew then.
//
// A daemon that went away while a request was open is started again, once: it
// takes up what it had begun. One that went away at another time was stopped
// by somebody; the link looks for it for a minute without starting it, and
// starts it when something is sent.
type Link struct {
	// Rest is after how long without traffic the connection is let go of; 0
	// means two minutes, less than 0 never. It is set before Run.
	Rest time.Duration

	hello  Hello
	dial   func(ctx context.Context, start bool) (io.ReadWriteCloser, error)
	events chan LinkEvent
	wake   chan struct{} // something was queued

	mu    sync.Mutex
	queue []Message
	open  map[string]struct{} // ids of what was sent and has no last frame
	last  time.Time           // of the latest traffic
	over  bool
}

// NewLink returns a link that dials with d and says hello. Nothing happens
// before [Link.Run].
func NewLink(d Dialer, hello Hello) *Link {
	l := newLink(hello)
	l.dial = func(ctx context.Context, start bool) (io.ReadWriteCloser, error) {
		d := d
		d.NoStart = d.NoStart || !start
		c, err := d.Dial(ctx)
		if err != nil {
			return nil, err // not a nil connection in an interface
		}
		return c, nil
	}
	return l
}

func newLink(hello Hello) *Link {
	return &Link{
		hello: hello, events: make(chan LinkEvent), wake: make(chan struct{}, 1), open: map[string]struct{}{},
	}
}

// Events returns what comes over the link. It must be read all the time: the
// daemon cuts off who does not read for 20 s. It is closed when Run returns.
func (l *Link) Events() <-chan LinkEvent { return l.events }

// Send hands over a message and returns at once; it is sent when the daemon is
// reached, in the order of the calls. The caller chooses its id, unique on the
// link. A message that waits when the daemon turns out to be unreachable is
// dropped with the [LinkEvent.Down] that says so, an [ErrUnreachable]; one
// that was sent is over with a Down that is [ErrLost].
//
// It fails with [ErrTooLarge], with [ErrLinkFull] and after Run with
// [ErrLinkOver].
func (l *Link) Send(m Message) error {
	if _, err := Append(nil, m); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return ErrLinkOver
	case len(l.queue) >= mostQueued:
		return ErrLinkFull
	}
	l.queue = append(l.queue, m)
	select {
	case l.wake <- struct{}{}:
	default: // whoever looks sees all of the queue
	}
	return nil
}

// Run keeps the link up until ctx ends, and returns its error then. It may be
// called once. The daemon is reached, and started where necessary, at once.
func (l *Link) Run(ctx context.Context) error {
	defer l.finish()
	pause, looks, start := pauses(), 0, true
	for {
		up, err := l.once(ctx, start)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !up && !start && l.waits() {
			start = true // it came while a daemon was only looked for
			continue
		}
		asked := false
		if err != nil && (up || start) {
			asked = l.drop()
			if !l.tell(ctx, LinkEvent{Down: err}) {
				return ctx.Err()
			}
		}
		if up {
			pause, looks = pauses(), 0
		}
		rest := err == nil || looks >= mostLooks
		start, looks = up && asked, looks+1
		woken, err := l.await(ctx, pause.NextBackOff(), rest)
		if err != nil {
			return err
		}
		if woken {
			pause, looks, start = pauses(), 0, true
		}
	}
}

func pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = firstPause, longestPause, 2
	return b
}

// await waits until something is to be sent, which it reports, or for a
// while; at rest it waits for the former alone.
func (l *Link) await(ctx context.Context, pause time.Duration, rest bool) (woken bool, err error) {
	var passed <-chan time.Time
	if !rest {
		t := time.NewTimer(pause)
		defer t.Stop()
		passed = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-passed:
			return l.waits(), nil
		case <-l.wake:
			if l.waits() { // and was not sent since
				return true, nil
			}
		}
	}
}

func (l *Link) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}

// drop forgets what is over after a failure that is told, and reports whether something
// was open at the daemon.
func (l *Link) drop() (asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked = len(l.open) > 0
	clear(l.open)
	l.queue = nil
	return asked
}

// finish ends the link for those who send and those who read.
func (l *Link) finish() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	close(l.events)
}

// tell hands an event over, or reports that ctx has ended.
func (l *Link) tell(ctx context.Context, e LinkEvent) bool {
	select {
	case l.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}
