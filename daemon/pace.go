package daemon

import (
	"slices"
	"sync"
	"time"
)

// pace holds senders to so many questions a minute.
type pace struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[address]*paced
}

type paced struct {
	at   []time.Time // of the last minute
	told bool        // that there were too many, since there were none
}

func newPace(now func() time.Time) *pace { return &pace{now: now, of: map[address]*paced{}} }

// take counts a question. It reports whether there were too many in the last minute,
// and whether that is news to the sender.
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
