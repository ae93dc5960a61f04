package ipc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// once connects and serves the connection until it is lost, which is its
// error, or let go of, which is none. It reports whether it was up.
func (l *Link) once(ctx context.Context, start bool) (up bool, err error) {
	c, err := l.reach(ctx, start)
	if err != nil {
		return false, err
	}
	defer c.Close()
	if !l.tell(ctx, LinkEvent{Up: &c.Server}) {
		return true, ctx.Err()
	}
	return true, l.serve(ctx, c.Conn)
}

// reach connects and says hello; once more where a daemon that was just
// leaving took the connection. A daemon that does not get as far as hello
// cannot be reached: nothing was asked of it.
func (l *Link) reach(ctx context.Context, start bool) (*Client, error) {
	c, err := l.reachOnce(ctx, start)
	if errors.Is(err, ErrLost) {
		c, err = l.reachOnce(ctx, start)
	}
	if errors.Is(err, ErrLost) || errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: it does not answer a hello: %w", ErrUnreachable, err)
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

// serve sends what is queued while another goroutine reads, until the
// connection is lost or nobody needs it.
func (l *Link) serve(ctx context.Context, c *Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	lost := make(chan error, 1)
	go func() {
		defer close(lost)
		defer c.Close() // ends a write
		lost <- l.read(ctx, c)
	}()
	defer func() {
		cancel()
		c.Close()
		for range lost { // until it is closed: nothing is told after this
		}
	}()
	defer context.AfterFunc(ctx, func() { c.Close() })() // ends a read and a write
	l.touch()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		if err := l.flush(c); err != nil {
			c.Close()
			return <-lost // it may know why
		}
		left, ends := l.left()
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

// flush sends what is queued.
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

// next takes the first message of the queue. It counts as open until its last
// frame comes; a subscription never ends and does not count.
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

// read hands over the daemon's frames until the connection ends, and says why
// it did.
func (l *Link) read(ctx context.Context, c *Conn) error {
	var stray *Error // names no request; it may be why the daemon closes
	for {
		m, err := c.Read()
		switch {
		case errors.Is(err, ErrNotMessage):
			continue
		case err != nil:
			return lost(err, stray)
		case m.Re == "" && m.Error != nil:
			stray = m.Error
		}
		l.came(m)
		if !l.tell(ctx, LinkEvent{Frame: &m}) {
			return ctx.Err()
		}
	}
}

func (l *Link) came(m Message) {
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

// left is how long the connection is kept if nothing more happens; ends is
// false where it is kept as long as it lasts.
func (l *Link) left() (left time.Duration, ends bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	after := l.Rest
	switch {
	case after < 0:
		return 0, false
	case after == 0:
		after = restAfter
	}
	if len(l.open) > 0 || len(l.queue) > 0 {
		return after, true
	}
	return after - time.Since(l.last), true
}
