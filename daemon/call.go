package daemon

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// Callers are the running turns whose model calls tools over a connection. A turn is identified by a capability,
// which only descendants of the process it was made for may use.
type Callers interface {
	Tools(turn string, pid int) ([]providers.ToolDefinition, error)
	Call(ctx context.Context, turn string, pid int, use providers.Block) (providers.Block, error)
}

// errNoTurn reports a call for a turn when there are none.
var errNoTurn = errors.New("no such turn is running")

// queryTools lists the tools of a turn, or those that a client may call outside a turn.
func (c *peerConn) queryTools(_ context.Context, q ipc.Query) (any, error) {
	defs, err := c.toolsOf(q.Turn)
	list := make([]ipc.ToolInfo, len(defs))
	for i, d := range defs {
		list[i] = ipc.ToolInfo{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
	}
	return list, err
}

func (c *peerConn) toolsOf(turn string) ([]providers.ToolDefinition, error) {
	if turn == "" {
		rt, err := c.s.settings.CurrentRuntime()
		if err != nil {
			return nil, err
		}
		return rt.Gate.Definitions(), nil
	}
	if c.s.callers == nil {
		return nil, errNoTurn
	}
	return c.s.callers.Tools(turn, c.peer.PID)
}

// call runs one tool call: in the turn it names, or outside a turn. It ends with the connection.
func (c *peerConn) call(ctx context.Context, m ipc.Message) {
	var call ipc.Call
	if err := m.Decode(&call); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	run := c.callAlone
	switch {
	case call.Turn != "":
		run = c.callInTurn
	case c.hello.Channel != post.MCPChannel: // bridges may not call tools
		c.refuse(m, ipc.CodeDenied, i18n.ErrNotCaller)
		return
	}
	c.pendingRequests.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		defer cancel(nil)
		s := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: c.language()}
		go func() {
			select {
			case <-c.gone:
				cancel(context.Canceled)
			case <-ctx.Done():
			}
		}()
		run(ctx, cancel, m, call, s)
	}()
}

// callInTurn passes a call to the turn that waits for it.
func (c *peerConn) callInTurn(ctx context.Context, _ context.CancelCauseFunc, _ ipc.Message, call ipc.Call, s *stream) {
	err := errNoTurn
	var result providers.Block
	if c.s.callers != nil {
		use := providers.Block{Type: providers.BlockToolUse, ID: call.Call, Name: call.Name, Input: call.Input}
		if use.ID == "" {
			use.ID = "call_" + randomHex(8)
		}
		result, err = c.s.callers.Call(ctx, call.Turn, c.peer.PID, use)
	}
	if err != nil {
		s.finish(errorFrame(&ipc.Error{Code: ipc.CodeDenied, Message: err.Error()}))
		return
	}
	called := ipc.CallResult{Content: result.Content, IsError: result.IsError}
	if result.Output != nil {
		called.Refusal = result.Output.Refusal
	}
	s.finish(ipc.Message{Type: ipc.TypeResult}.WithData(called))
}

// callClient is the client of a call outside a turn. A question is shown there, and can also be answered by any other
// client.
type callClient struct{ *stream }

// canAsk reports whether the client is connected. It waits for the answer, wherever that comes from.
func (s callClient) canAsk() bool {
	select {
	case <-s.c.gone:
		return false
	default:
		return true
	}
}

func (s callClient) ask(a *approval.Approval, question string) bool {
	return !s.wants(ipc.CapAsk) || s.stream.ask(a, question)
}

// callAlone runs a call that belongs to no turn. It is judged, confirmed and recorded like a model's. The call of
// an unknown program is not the person's own request, so earlier grants do not apply.
func (c *peerConn) callAlone(ctx context.Context, cancel context.CancelCauseFunc, m ipc.Message, call ipc.Call, s *stream) {
	rt, err := c.s.settings.EnabledRuntime()
	if err == nil && c.s.life.IsStopping() {
		err = settings.ErrStopping
	}
	if err != nil {
		s.finish(errorFrame(c.s.settings.Failure(err, s.lang)))
		return
	}
	rec := c.s.turns.newTask(c.hello.Channel, sessionName(m), call.Name, ipc.Request{Cwd: call.Cwd}, s.lang)
	j := &job{rec: rec, answerIn: s.lang, client: callClient{s}, ctx: ctx, cancel: cancel, state: task.Running}
	leave, endRelease := c.s.life.Idle.Begin(life.ActivityTask), c.s.life.ReleaseTimer.Begin(life.ActivityTask)
	c.s.turns.jobs.add(j)
	defer func() {
		c.s.turns.jobs.remove(j)
		endRelease()
		leave()
	}()
	w := &worker{ts: c.s.turns, job: j, rt: rt}
	judged, refused := rt.Gate.Prepare(tools.Call{ID: call.Call, Name: call.Name, Input: call.Input, Untrusted: true}, rec.Session, call.Cwd)
	if refused == nil {
		judged.Origin = tools.Origin{Task: rec.ID, Channel: rec.Channel}
		out := rt.Gate.Run(ctx, judged, w, w.observe)
		refused = &out
	}
	s.finish(ipc.Message{Type: ipc.TypeResult}.WithData(ipc.CallResult{
		Content: chat.BoundBody(agent.Fence("tool "+call.Name, rt.Redact(refused.Text)), s.lang), IsError: refused.IsError,
		Refusal: refused.Output.Refusal, Pending: refused.Pending,
	}))
	w.releaseOutput()
}
