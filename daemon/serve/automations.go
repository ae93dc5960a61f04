package serve

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/ipc"
)

// automations returns the automations as their files have them now.
func (c *peerConn) automations() *rules.Automations {
	c.s.rules.ReloadIfChanged() // someone may just have saved a file
	return c.s.rules
}

// queryAutomations lists the rules, or the named one.
func (c *peerConn) queryAutomations(_ context.Context, q ipc.Query) (any, error) {
	return c.automations().Query(q, c.language())
}

func (c *peerConn) queryAutomationHistory(_ context.Context, q ipc.Query) (any, error) {
	return c.automations().History(q, c.language())
}

func (c *peerConn) queryAutomationNext(_ context.Context, q ipc.Query) (any, error) {
	return c.automations().Upcoming(q, c.language()), nil
}

// automationAction changes or starts a rule.
func (c *peerConn) automationAction(ctx context.Context, m ipc.Message) {
	a := c.automations()
	var change ipc.AutomationChange
	err := m.Decode(&change)
	switch {
	case err != nil:
	case m.Action == ipc.ActionAutomationRun:
		err = c.runNow(m, a, change)
	default:
		var data ipc.Automation
		if data, err = a.ApplyChange(ctx, m.Action, change, c.language()); err == nil {
			_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(data))
		}
	}
	if err != nil {
		c.Fail(m, a.Failure(err, c.language()))
	}
}

// runNow starts a rule now.
func (c *peerConn) runNow(m ipc.Message, a *rules.Automations, change ipc.AutomationChange) error {
	run, err := a.Begin(change.Name)
	if err != nil {
		return err
	}
	reply := ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}
	if !change.Wait {
		_ = c.send(reply.WithData(rules.RunInfo(run, c.language())))
		return nil
	}
	c.pendingRequests.Add(1)
	c.s.life.Serving.Go(func() {
		defer c.pendingRequests.Done()
		_ = c.send(reply.WithData(rules.RunInfo(a.AwaitRun(run, c.gone), c.language())))
	})
	return nil
}
