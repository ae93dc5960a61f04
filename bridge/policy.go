package bridge

import (
	"strings"
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
