package daemon

import (
	"context"
	"encoding/json"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// queryJudge returns the gate's verdict on a command that a person is still writing. It asks, records and runs
// nothing.
func (c *peerConn) queryJudge(_ context.Context, q ipc.Query) (any, error) {
	if c.visibleChannel() != "" {
		return nil, settings.ErrOnlyHere
	}
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(map[string]string{"command": q.Text})
	if err != nil {
		return nil, err
	}
	j, refused := rt.Gate.Prepare(tools.Call{Name: "run_command", Input: input, Words: q.Text}, "", q.Dir)
	if refused != nil {
		return ipc.Judgement{Class: "BLOCKED", Reasons: []string{refused.Output.Refusal}}, nil
	}
	return ipc.Judgement{Class: j.Class.String(), Reasons: j.Reasons, Privileged: j.Privileged, Warnings: j.Notices()}, nil
}
