package turns

import (
	"context"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// ToolCall is a tool call of a program outside a turn.
type ToolCall struct {
	ipc.Call
	Channel, Session string
	Lang             i18n.Lang
}

// Call runs a tool call that belongs to no turn. It is judged, confirmed and recorded like a model's. The call of an
// unknown program is not the person's own request, so earlier grants do not apply. The picture of the result is nil if it
// has none.
func (ts *Turns) Call(ctx context.Context, cancel context.CancelCauseFunc, call ToolCall, cl Client) (ipc.CallResult, *providers.Picture, error) {
	rt, err := ts.settings.EnabledRuntime()
	if err == nil && ts.life.IsStopping() {
		err = settings.ErrStopping
	}
	if err != nil {
		return ipc.CallResult{}, nil, err
	}
	rec := ts.NewTask(call.Channel, call.Session, call.Name, ipc.Request{Cwd: call.Cwd}, call.Lang)
	j := &job{rec: rec, answerIn: call.Lang, client: cl, ctx: ctx, cancel: cancel, state: task.Running}
	defer ts.track(j)()
	w := &worker{ts: ts, job: j, rt: rt}
	judged, refused := rt.Gate.Prepare(tools.Call{ID: call.Call.Call, Name: call.Name, Input: call.Input, Untrusted: true}, rec.Session, call.Cwd)
	if refused == nil {
		judged.Origin = tools.Origin{Task: rec.ID, Channel: rec.Channel}
		out := rt.Gate.Run(ctx, judged, w, w.observe)
		refused = &out
	}
	w.releaseOutput()
	return ipc.CallResult{
		Content: chat.BoundBody(agent.Fence("tool "+call.Name, rt.Redact(refused.Text)), call.Lang), IsError: refused.IsError,
		Refusal: refused.Output.Refusal, Pending: refused.Pending,
	}, refused.Picture, nil
}

// track lists a job and keeps the daemon running until the returned function is called.
func (ts *Turns) track(j *job) (end func()) {
	leave, endRelease := ts.life.Idle.Begin(life.ActivityTask), ts.life.ReleaseTimer.Begin(life.ActivityTask)
	ts.backlog.jobs.add(j)
	return func() {
		ts.backlog.jobs.remove(j)
		endRelease()
		leave()
	}
}
