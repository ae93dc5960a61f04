package ipc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
