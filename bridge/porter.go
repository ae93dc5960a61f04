package bridge

import (
	"sync"
	"time"
)

// The bounds of what people may have a bridge do.
const (
	askAgainAfter = 10 * time.Minute // for one stranger's code
	asksAnHour    = 30               // for codes of all strangers
	looksAnHour   = 60               // at who may write, because a stranger wrote
	looksOfOne    = 6                // of those for one stranger
	mostAMinute   = 30               // messages of one who may write
	mostMet       = 1000             // strangers that are remembered
)

// porter counts what strangers and floods cost. It is safe for concurrent use.
type porter struct {
	now func() time.Time

	mu     sync.Mutex
	met    map[string]time.Time // strangers a code was asked for
	asks   window
	looks  window
	looked map[string]*window // by stranger
	flow   map[string]*flow
	full   map[string]time.Time // senders who were told that too much waits
}

// window is when something happened lately.
type window []time.Time

// room reports whether less than most happened in a while, and counts one more.
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

// flow is one sender's messages of the last minute, and since when they are
// told that there were too many.
type flow struct {
	lately window
	told   time.Time
}

func newPorter(now func() time.Time) *porter {
	return &porter{now: now, met: map[string]time.Time{}, looked: map[string]*window{}, flow: map[string]*flow{}, full: map[string]time.Time{}}
}

// mayAsk reports whether a stranger's code is asked for now.
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
		clear(p.met) // an hour's bound holds all the same
	}
	p.met[sender] = now
	return true
}

// mayLook reports whether it is asked who may write because of a stranger. One alone
// does not use up what there is for all.
func (p *porter) mayLook(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.looked[sender]
	if own == nil {
		if len(p.looked) >= mostMet {
			clear(p.looked) // an hour's bound holds all the same
		}
		own = &window{}
		p.looked[sender] = own
	}
	return own.room(p.now(), time.Hour, looksOfOne) && p.looks.room(p.now(), time.Hour, looksAnHour)
}

// passes reports whether one more message of somebody is taken, and where it
// is not, whether they are told.
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

// mayTell reports whether somebody is told once more that too much waits.
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
