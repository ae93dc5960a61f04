package ipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// LinkEvent is an event of a link. Exactly one of its fields is set.
type LinkEvent struct {
	// Frame is a message of the daemon.
	Frame *Message
	// Connected is the daemon's hello after each successful connection.
	Connected *Hello
	// Disconnected is why the daemon cannot be reached, or no longer. Open requests get no more frames, but the daemon
	// keeps their tasks.
	Disconnected error
}

// ErrLinkFull reports that the send queue of a link is full.
var ErrLinkFull = errors.New("send queue to the daemon is full")

// ErrLinkClosed reports that a link's Run has returned.
var ErrLinkClosed = errors.New("the link to the daemon was closed")

const (
	// idleAfter is how long a link without traffic keeps its connection.
	idleAfter = 2 * time.Minute
	// greetTime bounds the wait for the daemon's hello.
	greetTime = 10 * time.Second
	// maxQueued bounds the messages that wait for a connection.
	maxQueued = 256
	// firstPause and longestPause bound the pauses between attempts to reconnect, and maxAttempts bounds their
	// number: about a minute in total. After that, only the next message triggers another attempt.
	firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second
	maxAttempts              = 12
)

// Link is a connection to the daemon that many requests share and that reconnects automatically. It is for
// long-running programs: a chat, a bridge.
//
// An open connection prevents the daemon's idle exit. A link therefore silently closes a connection without
// traffic and without open requests, and dials again when a message is sent. Each connection causes a
// [LinkEvent.Connected], after which subscriptions must be renewed.
//
// A daemon that disconnects during an open request is started again, once, and resumes its tasks. A daemon that
// disconnects at another time was stopped by someone: the link tries to reconnect for a minute without starting
// it, and starts it when a message is sent.
type Link struct {
	// IdleTimeout is after how long without traffic the connection is closed. 0 means two minutes, a negative value
	// never. It must be set before Run.
	IdleTimeout time.Duration

	hello  Hello
	dial   func(ctx context.Context, start bool) (io.ReadWriteCloser, error)
	events chan LinkEvent
	wake   chan struct{} // signals a queued message

	mu     sync.Mutex
	queue  []Message
	open   map[string]struct{} // ids of sent requests without a last frame
	last   time.Time           // time of the latest traffic
	closed bool
}

// NewLink returns a link that dials with d and says hello. It does nothing before [Link.Run].
func NewLink(d Dialer, hello Hello) *Link {
	l := newLink(hello)
	l.dial = func(ctx context.Context, start bool) (io.ReadWriteCloser, error) {
		d := d
		d.NoStart = d.NoStart || !start
		c, err := d.Dial(ctx)
		if err != nil {
			return nil, err // do not wrap a nil connection in an interface
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

// Events returns the events of the link. They must be read continuously, because the daemon disconnects a client
// that does not read for 20 s. It is closed when Run returns.
func (l *Link) Events() <-chan LinkEvent { return l.events }

// Send queues a message and returns immediately. Messages are sent in the order of the calls once the daemon is
// reached. The caller chooses an id that is unique on the link. If the daemon turns out to be unreachable, queued
// messages are dropped with a [LinkEvent.Disconnected] that is an [ErrUnreachable]. A Down that is [ErrLost] ends the
// messages that were sent.
//
// It fails with [ErrTooLarge], with [ErrLinkFull] and after Run with [ErrLinkClosed].
func (l *Link) Send(m Message) error {
	if _, err := Append(nil, m); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return ErrLinkClosed
	case len(l.queue) >= maxQueued:
		return ErrLinkFull
	}
	l.queue = append(l.queue, m)
	select {
	case l.wake <- struct{}{}:
	default: // already signalled, the receiver sees the whole queue
	}
	return nil
}

// Run keeps the link connected until ctx ends, and returns ctx's error. It may be called once. It connects
// immediately and starts the daemon if necessary.
func (l *Link) Run(ctx context.Context) error {
	defer l.finish()
	pause, looks, start := newBackoff(), 0, true
	for {
		up, err := l.serveOnce(ctx, start)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !up && !start && l.hasQueued() {
			start = true // a message was queued while reconnecting without start
			continue
		}
		asked := false
		if err != nil && (up || start) {
			asked = l.drop()
			if !l.sendEvent(ctx, LinkEvent{Disconnected: err}) {
				return ctx.Err()
			}
		}
		if up {
			pause, looks = newBackoff(), 0
		}
		rest := err == nil || looks >= maxAttempts
		start, looks = up && asked, looks+1
		woken, err := l.await(ctx, pause.NextBackOff(), rest)
		if err != nil {
			return err
		}
		if woken {
			pause, looks, start = newBackoff(), 0, true
		}
	}
}

func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = firstPause, longestPause, 2
	return b
}

// await waits until a message is queued, which it reports, or until the pause is over. With rest it waits without
// a limit.
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
			return l.hasQueued(), nil
		case <-l.wake:
			if l.hasQueued() { // and not sent in the meantime
				return true, nil
			}
		}
	}
}

func (l *Link) hasQueued() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}

// drop clears the queue and the open requests after a reported failure, and reports whether requests were open.
func (l *Link) drop() (asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked = len(l.open) > 0
	clear(l.open)
	l.queue = nil
	return asked
}

// finish closes the link for senders and readers.
func (l *Link) finish() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	close(l.events)
}

// sendEvent sends an event, or returns false if ctx has ended.
func (l *Link) sendEvent(ctx context.Context, e LinkEvent) bool {
	select {
	case l.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// serveOnce connects and serves the connection until it is lost, which is the error, or closed as idle, which is nil.
// up reports whether it was connected.
func (l *Link) serveOnce(ctx context.Context, start bool) (up bool, err error) {
	c, err := l.reach(ctx, start)
	if err != nil {
		return false, err
	}
	defer c.Close()
	if !l.sendEvent(ctx, LinkEvent{Connected: &c.Server}) {
		return true, ctx.Err()
	}
	return true, l.serve(ctx, c.Conn)
}

// reach connects and says hello. It tries once more if a daemon that was about to exit accepted the connection. A
// daemon that does not answer the hello counts as unreachable, because nothing was requested yet.
func (l *Link) reach(ctx context.Context, start bool) (*Client, error) {
	c, err := l.reachOnce(ctx, start)
	if errors.Is(err, ErrLost) {
		c, err = l.reachOnce(ctx, start)
	}
	if errors.Is(err, ErrLost) || errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: no answer to hello: %w", ErrUnreachable, err)
	}
	return c, err
}

func (l *Link) reachOnce(ctx context.Context, start bool) (*Client, error) {
	raw, err := l.dial(ctx, start)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	return greet(ctx, raw, l.hello)
}

// serve sends queued messages while another goroutine reads, until the connection is lost or idle.
func (l *Link) serve(ctx context.Context, c *Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	lost := make(chan error, 1)
	go func() {
		defer close(lost)
		defer c.Close() // ends a pending write
		lost <- l.read(ctx, c)
	}()
	defer func() {
		cancel()
		c.Close()
		for range lost { // wait until it is closed, so that no events follow
		}
	}()
	defer context.AfterFunc(ctx, func() { c.Close() })() // ends pending reads and writes
	l.touch()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		if err := l.flush(c); err != nil {
			c.Close()
			return <-lost // the reader may know the cause
		}
		left, ends := l.remainingTime()
		if ends && left <= 0 {
			return nil
		}
		rest.Stop()
		if ends {
			rest.Reset(left)
		}
		select {
		case err := <-lost:
			return err
		case <-l.wake:
		case <-rest.C:
		}
	}
}

// flush sends the queued messages.
func (l *Link) flush(c *Conn) error {
	for {
		m, ok := l.next()
		if !ok {
			return nil
		}
		if err := c.Write(m); err != nil {
			return err
		}
	}
}

// next takes the first message of the queue. It counts as open until its last frame. Subscriptions never end and
// do not count.
func (l *Link) next() (Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return Message{}, false
	}
	m := l.queue[0]
	l.queue = l.queue[1:]
	if m.ID != "" && m.Type != TypeSubscribe {
		l.open[m.ID] = struct{}{}
	}
	l.last = time.Now()
	return m, true
}

// read passes the daemon's frames on until the connection ends, and returns why it did.
func (l *Link) read(ctx context.Context, c *Conn) error {
	var stray *Error // without a request id, may be why the daemon closes
	for {
		m, err := c.Read()
		switch {
		case errors.Is(err, ErrNotMessage):
			continue
		case err != nil:
			return lostError(err, stray)
		case m.Re == "" && m.Error != nil:
			stray = m.Error
		}
		l.recordFrame(m)
		if !l.sendEvent(ctx, LinkEvent{Frame: &m}) {
			return ctx.Err()
		}
	}
}

func (l *Link) recordFrame(m Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
	if m.Done {
		delete(l.open, m.Re)
	}
}

func (l *Link) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
}

// remainingTime returns how long the connection is kept without further traffic. ends is false if there is no limit.
func (l *Link) remainingTime() (remainingTime time.Duration, ends bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	after := l.IdleTimeout
	switch {
	case after < 0:
		return 0, false
	case after == 0:
		after = idleAfter
	}
	if len(l.open) > 0 || len(l.queue) > 0 {
		return after, true
	}
	return after - time.Since(l.last), true
}
