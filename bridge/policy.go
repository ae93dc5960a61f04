package bridge

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// knock has the daemon reached, where it is not: it is asked who may write,
// which is what a connection begins with. One that could not say so is asked anew.
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

// refresh asks who may write, because that may have changed.
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

// askAgain asks who may write once more after a while, as long as something waits for
// that: a daemon whose configuration cannot be used says nothing.
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
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("the daemon does not say who may write")
		c.to.lost() // who waits does so as if it were away
		c.askAgain()
		return
	}
	if err := c.in.admit(p); err != nil {
		c.log.Warn().Err(err).Msg("who may write is not on the disk")
	}
	c.to.policy(p)
	c.pump()
}

// asError is an error that may be none.
func asError(e *ipc.Error) error {
	if e == nil {
		return nil
	}
	return e
}
