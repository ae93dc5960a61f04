package daemon

import (
	"slices"
	"sync"
	"time"
)

// pace limits how many questions per minute a sender may ask.
type pace struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[address]*paced
}

type paced struct {
	at   []time.Time // of the last minute
	told bool        // the sender was told about the limit
}

func newPace(now func() time.Time) *pace { return &pace{now: now, of: map[address]*paced{}} }

// take counts a question. over reports whether the sender exceeded the limit in the last minute, and news whether
// the sender has not been notified yet.
func (p *pace) take(from address, perMinute int) (over, news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.now().Add(-time.Minute)
	for who, s := range p.of {
		s.at = slices.DeleteFunc(s.at, func(t time.Time) bool { return !t.After(since) })
		if len(s.at) == 0 && who != from {
			delete(p.of, who)
		}
	}
	s := p.of[from]
	if s == nil || len(s.at) == 0 {
		s = &paced{}
		p.of[from] = s
	}
	if len(s.at) >= perMinute {
		news, s.told = !s.told, true
		return true, news
	}
	s.at = append(s.at, p.now())
	return false, false
}
