package bridge

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// knock connects to the daemon if needed, by querying the policy, which every connection begins
// with. If an earlier query failed, it is repeated.
func (c *courier) knock() {
	c.mu.Lock()
	switch {
	case c.over:
	case !c.up && !c.knocked:
		c.knocked = c.askPolicy()
	case c.up && !c.fresh && !c.asking && c.look == nil:
		c.askPolicy()
	}
	c.mu.Unlock()
	c.lookAgain()
}

// refresh queries the policy, because it may have changed.
func (c *courier) refresh() {
	c.mu.Lock()
	up := c.up
	if up && !c.asking {
		c.askPolicy()
	}
	c.mu.Unlock()
	if !up {
		c.knock()
	}
}

func (c *courier) askPolicy() bool {
	c.asking = c.send(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "channel", Text: strings.Join(c.to.asking(), " ")}), request{
		frame: c.hearPolicy,
		lost:  func() { c.set(&c.asking, false) },
	})
	return c.asking
}

// askAgain schedules another policy query while messages wait for it. A daemon with an invalid
// configuration does not answer the query.
func (c *courier) askAgain() {
	if c.in.count() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.look == nil && c.up && !c.over {
		c.look = time.AfterFunc(c.looks.NextBackOff(), func() {
			c.mu.Lock()
			c.look = nil
			c.mu.Unlock()
			c.refresh()
		})
	}
}

func (c *courier) set(what *bool, to bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = to
}

func (c *courier) hearPolicy(m ipc.Message) {
	var p ipc.ChannelPolicy
	failed := m.Error != nil || m.Decode(&p) != nil
	c.mu.Lock()
	c.asking = false
	c.fresh = c.fresh || !failed
	c.mu.Unlock()
	if failed {
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("cannot query the daemon's policy")
		c.to.lost() // handled like an unreachable daemon
		c.askAgain()
		return
	}
	if err := c.in.admit(p); err != nil {
		c.log.Warn().Err(err).Msg("cannot save the daemon's policy")
	}
	c.to.policy(p)
	c.pump()
}

// asError converts e to an error, and nil to nil.
func asError(e *ipc.Error) error {
	if e == nil {
		return nil
	}
	return e
}
