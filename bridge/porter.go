package bridge

import (
	"sync"
	"time"
)

// Rate limits.
const (
	askAgainAfter = 10 * time.Minute // per stranger
	asksAnHour    = 30               // for all strangers
	looksAnHour   = 60               // policy queries caused by strangers
	looksOfOne    = 6                // policy queries caused by one stranger
	mostAMinute   = 30               // messages of one admitted sender
	mostMet       = 1000             // maximum size of each map of senders
)

// porter limits the work that strangers and message floods can cause. It is safe for concurrent
// use.
type porter struct {
	now func() time.Time

	mu     sync.Mutex
	met    map[string]time.Time // when a code was requested, by stranger
	asks   window
	looks  window
	looked map[string]*window // by stranger
	flow   map[string]*flow
	full   map[string]time.Time // when senders were notified that the inbox is full
}

// window has the times of recent events.
type window []time.Time

// room reports whether fewer than most events happened within while, and then adds one.
func (w *window) room(now time.Time, while time.Duration, most int) bool {
	for len(*w) > 0 && now.Sub((*w)[0]) >= while {
		*w = (*w)[1:]
	}
	if len(*w) >= most {
		return false
	}
	*w = append(*w, now)
	return true
}

// flow has one sender's messages of the last minute, and when they were last notified of a limit.
type flow struct {
	lately window
	told   time.Time
}

func newPorter(now func() time.Time) *porter {
	return &porter{now: now, met: map[string]time.Time{}, looked: map[string]*window{}, flow: map[string]*flow{}, full: map[string]time.Time{}}
}

// mayAsk reports whether a pairing code can be requested for a stranger now.
func (p *porter) mayAsk(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.met[sender]; ok && now.Sub(last) < askAgainAfter {
		return false
	}
	if !p.asks.room(now, time.Hour, asksAnHour) {
		return false
	}
	if len(p.met) >= mostMet {
		clear(p.met) // the hourly limit still applies
	}
	p.met[sender] = now
	return true
}

// mayLook reports whether the policy can be queried because of a stranger. The limit per stranger
// ensures that one alone cannot exhaust the limit for all.
func (p *porter) mayLook(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.looked[sender]
	if own == nil {
		if len(p.looked) >= mostMet {
			clear(p.looked) // the hourly limit still applies
		}
		own = &window{}
		p.looked[sender] = own
	}
	return own.room(p.now(), time.Hour, looksOfOne) && p.looks.room(p.now(), time.Hour, looksAnHour)
}

// passes reports whether another message of a sender is accepted, and if not, whether to notify
// them.
func (p *porter) passes(sender string) (passes, tell bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	f := p.flow[sender]
	if f == nil {
		if len(p.flow) >= mostMet {
			clear(p.flow)
		}
		f = &flow{}
		p.flow[sender] = f
	}
	if f.lately.room(now, time.Minute, mostAMinute) {
		return true, false
	}
	tell = f.told.IsZero() || now.Sub(f.told) >= time.Minute
	f.told = now
	return false, tell
}

// mayTell reports whether to notify a sender again that the inbox is full.
func (p *porter) mayTell(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.full[sender]; ok && now.Sub(last) < askAgainAfter {
		return false
	}
	if len(p.full) >= mostMet {
		clear(p.full)
	}
	p.full[sender] = now
	return true
}
