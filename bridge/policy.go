package bridge

import (
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// connect connects to the daemon if needed, by querying the policy, which every connection begins
// with. If an earlier query failed, it is repeated.
func (c *daemonClient) connect() {
	c.mu.Lock()
	switch {
	case c.stopped:
	case !c.connected && !c.connecting:
		c.connecting = c.queryPolicy()
	case c.connected && !c.policyKnown && !c.queryingPolicy && c.reconnectTimer == nil:
		c.queryPolicy()
	}
	c.mu.Unlock()
	c.scheduleReconnect()
}

// refreshPolicy queries the policy, because it may have changed.
func (c *daemonClient) refreshPolicy() {
	c.mu.Lock()
	up := c.connected
	if up && !c.queryingPolicy {
		c.queryPolicy()
	}
	c.mu.Unlock()
	if !up {
		c.connect()
	}
}

func (c *daemonClient) queryPolicy() bool {
	c.queryingPolicy = c.send(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "channel", Text: strings.Join(c.handler.openConfirmations(), " ")}), request{
		onFrame: c.handlePolicy,
		onLost:  func() { c.setFlag(&c.queryingPolicy, false) },
	})
	return c.queryingPolicy
}

// schedulePolicyQuery schedules another policy query while messages wait for it. A daemon with an invalid
// configuration does not answer the query.
func (c *daemonClient) schedulePolicyQuery() {
	if c.inbox.count() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reconnectTimer == nil && c.connected && !c.stopped {
		c.reconnectTimer = time.AfterFunc(c.reconnectBackoff.NextBackOff(), func() {
			c.mu.Lock()
			c.reconnectTimer = nil
			c.mu.Unlock()
			c.refreshPolicy()
		})
	}
}

func (c *daemonClient) setFlag(what *bool, to bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = to
}

func (c *daemonClient) handlePolicy(m ipc.Message) {
	var p ipc.ChannelPolicy
	failed := m.Error != nil || m.Decode(&p) != nil
	c.mu.Lock()
	c.queryingPolicy = false
	c.policyKnown = c.policyKnown || !failed
	c.mu.Unlock()
	if failed {
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("cannot query the daemon's policy")
		c.handler.handleDisconnected() // handled like an unreachable daemon
		c.schedulePolicyQuery()
		return
	}
	if err := c.inbox.savePolicy(p); err != nil {
		c.log.Warn().Err(err).Msg("cannot save the daemon's policy")
	}
	c.handler.handlePolicy(p)
	c.sendNext()
}

// asError converts e to an error, and nil to nil.
func asError(e *ipc.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// Rate limits.
const (
	noticeInterval    = 10 * time.Minute // between two notices to one sender
	pairingsPerHour   = 30               // for all strangers
	queriesPerHour    = 60               // policy queries caused by strangers
	queriesPerSender  = 6                // policy queries caused by one stranger
	messagesPerMinute = 30               // messages of one admitted sender
	maxRemembered     = 1000             // maximum size of each map of senders
)

// limiter limits the work that strangers and message floods can cause. It is safe for concurrent use.
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

// allowMessage reports whether another message of a sender is accepted, and if not, whether to notify them.
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
