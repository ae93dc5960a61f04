package remote

import (
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/daemon/post"
)

// rateLimiter limits how many questions per minute a sender may ask.
type rateLimiter struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[post.Address]*senderRate
}

type senderRate struct {
	at       []time.Time // of the last minute
	notified bool        // the sender was told about the limit
}

func newRateLimiter(now func() time.Time) *rateLimiter {
	return &rateLimiter{now: now, of: map[post.Address]*senderRate{}}
}

// take counts a question. over reports whether the sender exceeded the limit in the last minute, and news whether
// the sender has not been notified yet.
func (p *rateLimiter) take(from post.Address, perMinute int) (over, news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, counted := p.count(from, perMinute)
	if counted {
		return false, false
	}
	news, s.notified = !s.notified, true
	return true, news
}

// takeSilently counts a question that is not refused over the limit, and reports whether the sender exceeded it.
func (p *rateLimiter) takeSilently(from post.Address, perMinute int) (over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, counted := p.count(from, perMinute)
	return !counted
}

// count adds a question to a sender's rate, unless it exceeds the limit.
func (p *rateLimiter) count(from post.Address, perMinute int) (s *senderRate, counted bool) {
	since := p.now().Add(-time.Minute)
	for who, s := range p.of {
		s.at = slices.DeleteFunc(s.at, func(t time.Time) bool { return !t.After(since) })
		if len(s.at) == 0 && who != from {
			delete(p.of, who)
		}
	}
	s = p.of[from]
	if s == nil || len(s.at) == 0 {
		s = &senderRate{}
		p.of[from] = s
	}
	if len(s.at) >= perMinute {
		return s, false
	}
	s.at = append(s.at, p.now())
	return s, true
}
