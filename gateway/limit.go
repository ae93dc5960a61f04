package gateway

import (
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// maxConnections bounds the connections of clients with a token. All clients have one address, the loopback's.
	maxConnections = 128
	// maxStrangers bounds the connections without one. A new one ends the oldest, so that strangers keep no one out.
	maxStrangers = 64
	// perMinute is how many requests a token may make in a minute.
	perMinute = 60
)

// admission bounds the connections of a listener. It is safe for concurrent use.
type admission struct {
	net.Listener
	mu        sync.Mutex
	strangers []*counted
	known     int
}

// counted is a connection that counts.
type counted struct {
	net.Conn
	of     *admission
	once   sync.Once
	member bool // guarded by of.mu
}

// Accept waits for the next connection, which is a stranger's until it is promoted.
func (a *admission) Accept() (net.Conn, error) {
	c, err := a.Listener.Accept()
	if err != nil {
		return nil, err
	}
	next := &counted{Conn: c, of: a}
	a.mu.Lock()
	a.strangers = append(a.strangers, next)
	var oldest *counted
	if len(a.strangers) > maxStrangers {
		oldest = a.strangers[0]
	}
	a.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
	return next, nil
}

// promote counts a connection among those with a token, and reports whether there is room.
func (a *admission) promote(c *counted) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(a.strangers, c)
	if i < 0 || a.known >= maxConnections {
		return false
	}
	a.strangers = slices.Delete(a.strangers, i, i+1)
	a.known++
	c.member = true
	return true
}

// Close closes the connection. It can be called several times.
func (c *counted) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		if c.member {
			c.of.known--
		} else {
			c.of.strangers = slices.DeleteFunc(c.of.strangers, func(o *counted) bool { return o == c })
		}
	})
	return c.Conn.Close()
}

// rates bounds the requests of each token.
type rates struct {
	mu   sync.Mutex
	made map[string][]time.Time // of the last minute, oldest first, by the token's name
}

// take counts a request, or returns how long its token must wait.
func (r *rates) take(name string, now time.Time) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recent := slices.DeleteFunc(r.made[name], func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if ok = len(recent) < perMinute; ok {
		recent = append(recent, now)
	} else {
		wait = time.Minute - now.Sub(recent[0])
	}
	r.made[name] = recent
	return wait, ok
}
