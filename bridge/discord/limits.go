package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
)

// maxRoutes bounds the number of remembered limits.
const maxRoutes = 256

// limits are the rate limits that the server reports (section "Rate Limits"). It is safe for concurrent use.
type limits struct {
	mu     sync.Mutex
	routes map[string]limit
	global time.Time // no call before it
}

// limit is the limit of a route: how many calls are left until it is reset.
type limit struct {
	remaining int
	reset     time.Time
}

func newLimits() *limits { return &limits{routes: map[string]limit{}} }

// wait waits until a call of a route is allowed, and counts it. It returns a [bridge.Busy] if that takes long, and ctx's
// error if it ends.
func (l *limits) wait(ctx context.Context, route string) error {
	for route != "" {
		pause := l.take(route)
		switch {
		case pause <= 0:
			return ctx.Err()
		case pause > maxInlineWait:
			return &bridge.Busy{After: account.Delay(pause)}
		}
		sleep(ctx, pause)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// take counts a call, or returns how long to wait for it.
func (l *limits) take(route string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.global.After(now) {
		return l.global.Sub(now)
	}
	r, ok := l.routes[route]
	switch {
	case !ok || !r.reset.After(now):
		return 0
	case r.remaining <= 0:
		return r.reset.Sub(now)
	}
	r.remaining--
	l.routes[route] = r
	return 0
}

// update saves the limit that an answer reports.
func (l *limits) update(route string, h http.Header) {
	remaining, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	after, errAfter := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64)
	if route == "" || err != nil || errAfter != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.routes) >= maxRoutes {
		clear(l.routes) // at worst, the server refuses a call
	}
	l.routes[route] = limit{remaining, time.Now().Add(seconds(after))}
}

// exceeded saves the limit of a refused call, and returns how long to wait.
func (l *limits) exceeded(route string, h http.Header, body []byte) error {
	var said struct {
		After  float64 `json:"retry_after"`
		Global bool    `json:"global"`
	}
	if json.Unmarshal(body, &said) != nil || said.After <= 0 { // a proxy in front of Discord
		said.After, _ = strconv.ParseFloat(h.Get("Retry-After"), 64)
		said.Global = true
	}
	pause := account.Delay(seconds(said.After))
	l.mu.Lock()
	defer l.mu.Unlock()
	switch until := time.Now().Add(pause); {
	case said.Global:
		l.global = until
	case route != "":
		l.routes[route] = limit{0, until}
	}
	return &bridge.Busy{After: pause}
}

func seconds(n float64) time.Duration {
	return time.Duration(min(max(n, 0), account.MaxDelay.Seconds()) * float64(time.Second))
}

// sleep waits for pause or until ctx ends.
func sleep(ctx context.Context, pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
