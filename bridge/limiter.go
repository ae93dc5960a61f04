package bridge

import (
	"sync"
	"time"
)

// Rate limits.
const (
	noticeInterval    = 10 * time.Minute // between two notices to one sender
	pairingsPerHour   = 30               // for all strangers
	queriesPerHour    = 60               // policy queries caused by strangers
	queriesPerSender  = 6                // policy queries caused by one stranger
	messagesPerMinute = 30               // messages of one admitted sender
	maxRemembered     = 1000             // maximum size of each map of senders
)

// limiter limits the work that strangers and message floods can cause. It is safe for concurrent
// use.
type limiter struct {
	now func() time.Time

	mu              sync.Mutex
	pairings        map[string]time.Time // when a code was requested, by stranger
	pairingWindow   window
	queryWindow     window
	queriesBySender map[string]*window // by stranger
	flow            map[string]*flow
	fullNotices     map[string]time.Time // when senders were notified that the inbox is full
}

// window has the times of recent events.
type window []time.Time

// allow reports whether fewer than most events happened within while, and then adds one.
func (w *window) allow(now time.Time, while time.Duration, most int) bool {
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
	recent     window
	notifiedAt time.Time
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, pairings: map[string]time.Time{}, queriesBySender: map[string]*window{}, flow: map[string]*flow{}, fullNotices: map[string]time.Time{}}
}

// allowPairing reports whether a pairing code can be requested for a stranger now.
func (p *limiter) allowPairing(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.pairings[sender]; ok && now.Sub(last) < noticeInterval {
		return false
	}
	if !p.pairingWindow.allow(now, time.Hour, pairingsPerHour) {
		return false
	}
	if len(p.pairings) >= maxRemembered {
		clear(p.pairings) // the hourly limit still applies
	}
	p.pairings[sender] = now
	return true
}

// allowPolicyQuery reports whether the policy can be queried because of a stranger. The limit per stranger
// ensures that one alone cannot exhaust the limit for all.
func (p *limiter) allowPolicyQuery(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.queriesBySender[sender]
	if own == nil {
		if len(p.queriesBySender) >= maxRemembered {
			clear(p.queriesBySender) // the hourly limit still applies
		}
		own = &window{}
		p.queriesBySender[sender] = own
	}
	return own.allow(p.now(), time.Hour, queriesPerSender) && p.queryWindow.allow(p.now(), time.Hour, queriesPerHour)
}

// allowMessage reports whether another message of a sender is accepted, and if not, whether to notify
// them.
func (p *limiter) allowMessage(sender string) (allowMessage, tell bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	f := p.flow[sender]
	if f == nil {
		if len(p.flow) >= maxRemembered {
			clear(p.flow)
		}
		f = &flow{}
		p.flow[sender] = f
	}
	if f.recent.allow(now, time.Minute, messagesPerMinute) {
		return true, false
	}
	tell = f.notifiedAt.IsZero() || now.Sub(f.notifiedAt) >= time.Minute
	f.notifiedAt = now
	return false, tell
}

// allowFullNotice reports whether to notify a sender again that the inbox is full.
func (p *limiter) allowFullNotice(sender string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.fullNotices[sender]; ok && now.Sub(last) < noticeInterval {
		return false
	}
	if len(p.fullNotices) >= maxRemembered {
		clear(p.fullNotices)
	}
	p.fullNotices[sender] = now
	return true
}
