package daemon

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// Turns are the turns whose model calls tools over a connection of its own. A
// turn is named by a capability, and only processes that descend from the one
// it was made for may use it.
type Turns interface {
	Tools(turn string, pid int) ([]providers.ToolDefinition, error)
	Call(ctx context.Context, turn string, pid int, use providers.Block) (providers.Block, error)
}

// callers is the channel of MCP clients, whose calls belong to no turn.
const callers = "mcp"

// errNoTurn reports a call for a turn where there are none.
var errNoTurn = errors.New("no such turn is running")

// queryTools lists the tools of a turn, or those a peer may call on its own
// account.
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
		rt, err := c.current()
		if err != nil {
			return nil, err
		}
		return rt.Gate.Definitions(), nil
	}
	if c.o.Turns == nil {
		return nil, errNoTurn
	}
	return c.o.Turns.Tools(turn, c.peer.PID)
}

// call carries out one tool call: in the turn it names, or on the peer's own
// account. It ends with the connection.
func (c *peerConn) call(ctx context.Context, m ipc.Message) {
	var call ipc.Call
	if err := m.Decode(&call); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err)
		return
	}
	run := c.callAlone
	switch {
	case call.Turn != "":
		run = c.callInTurn
	case c.hello.Channel != callers: // a bridge has words to pass on, and no tools to call
		c.refuse(m, ipc.CodeDenied, i18n.ErrNotCaller)
		return
	}
	c.owed.Add(1)
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

// callInTurn hands a call to the turn that waits for it.
func (c *peerConn) callInTurn(ctx context.Context, _ context.CancelCauseFunc, _ ipc.Message, call ipc.Call, s *stream) {
	err := errNoTurn
	var result providers.Block
	if c.o.Turns != nil {
		use := providers.Block{Type: providers.BlockToolUse, ID: call.Call, Name: call.Name, Input: call.Input}
		if use.ID == "" {
			use.ID = "call_" + randomHex(8)
		}
		result, err = c.o.Turns.Call(ctx, call.Turn, c.peer.PID, use)
	}
	if err != nil {
		s.finish(errorFrame(&ipc.Error{Code: ipc.CodeDenied, Message: err.Error()}))
		return
	}
	called := ipc.Called{Content: result.Content, IsError: result.IsError}
	if result.Output != nil {
		called.Refusal = result.Output.Refusal
	}
	s.finish(ipc.Message{Type: ipc.TypeResult}.WithData(called))
}

// caller is the client side of a call on a peer's own account. A question is
// shown there, and answered there or wherever else the daemon is reached.
type caller struct{ *stream }

// canAsk is true while the peer is there: it waits, whoever answers.
func (s caller) canAsk() bool {
	select {
	case <-s.c.gone:
		return false
	default:
		return true
	}
}

func (s caller) ask(a *approval.Approval, question string) bool {
	return !s.wants(ipc.CapAsk) || s.stream.ask(a, question)
}

// callAlone carries out a call that belongs to no turn. It is judged, asked
// about and recorded like a model's. What an unknown program wants is not the
// person's own words: nothing that was granted before holds for it.
func (c *peerConn) callAlone(ctx context.Context, cancel context.CancelCauseFunc, m ipc.Message, call ipc.Call, s *stream) {
	rt, err := c.working()
	if err == nil && c.isStopping() {
		err = errStopping
	}
	if err != nil {
		s.finish(errorFrame(c.failure(err, s.lang)))
		return
	}
	rec := c.record(c.hello.Channel, sessionName(m), call.Name, ipc.Request{Cwd: call.Cwd}, s.lang)
	j := &job{rec: rec, answerIn: s.lang, client: caller{s}, ctx: ctx, cancel: cancel, state: task.Running}
	leave, tired := c.idle.enter(holdTask), c.rest.enter(holdTask)
	c.jobs.add(j)
	defer func() {
		c.jobs.remove(j)
		tired()
		leave()
	}()
	w := &worker{Daemon: c.Daemon, job: j, rt: rt}
	judged, refused := rt.Gate.Prepare(tools.Call{ID: call.Call, Name: call.Name, Input: call.Input, Untrusted: true}, rec.Session, call.Cwd)
	if refused == nil {
		judged.Origin = tools.Origin{Task: rec.ID, Channel: rec.Channel}
		out := rt.Gate.Run(ctx, judged, w, w.observe)
		refused = &out
	}
	s.finish(ipc.Message{Type: ipc.TypeResult}.WithData(ipc.Called{
		Content: bounded(agent.Fence("tool "+call.Name, rt.redact(refused.Text)), s.lang), IsError: refused.IsError,
		Refusal: refused.Output.Refusal, Pending: refused.Pending,
	}))
	w.settled()
}
