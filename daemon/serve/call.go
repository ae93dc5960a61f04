package serve

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
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
		list[i] = ipc.ToolInfo{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema, OnlyReads: tools.OnlyReads(d.Name)}
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
	if c.s.about.Callers == nil {
		return nil, errNoTurn
	}
	return c.s.about.Callers.Tools(turn, c.peer.PID)
}

// Call runs one tool call: in the turn it names, or outside a turn. It ends with the connection.
func (c *peerConn) call(ctx context.Context, m ipc.Message) {
	var call ipc.Call
	if err := m.Decode(&call); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	run := c.callAlone
	if call.Turn != "" {
		run = c.callInTurn
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
	if c.s.about.Callers != nil {
		use := providers.Block{Type: providers.BlockToolUse, ID: call.Call, Name: call.Name, Input: call.Input}
		if use.ID == "" {
			use.ID = task.NewID("call_", 8)
		}
		result, err = c.s.about.Callers.Call(ctx, call.Turn, c.peer.PID, use)
	}
	if err != nil {
		s.Finish(turns.ErrorFrame(&ipc.Error{Code: ipc.CodeDenied, Message: err.Error()}))
		return
	}
	s.sendPicture(result.Picture)
	called := ipc.CallResult{Content: result.Content, IsError: result.IsError}
	if result.Output != nil {
		called.Refusal = result.Output.Refusal
	}
	s.Finish(ipc.Message{Type: ipc.TypeResult}.WithData(called))
}

// callClient is the client of a call outside a turn. A question is shown there, and can also be answered by any other
// client.
type callClient struct{ *stream }

// CanAsk reports whether the client is connected. It waits for the answer, wherever that comes from.
func (s callClient) CanAsk() bool {
	select {
	case <-s.c.gone:
		return false
	default:
		return true
	}
}

func (s callClient) Ask(a *approval.Approval, question string) bool {
	return !s.wants(ipc.CapAsk) || s.stream.Ask(a, question)
}

// callAlone runs a call that belongs to no turn.
func (c *peerConn) callAlone(ctx context.Context, cancel context.CancelCauseFunc, m ipc.Message, call ipc.Call, s *stream) {
	result, picture, err := c.s.turns.Call(ctx, cancel, turns.ToolCall{Call: call, Channel: c.hello.Channel, Session: sessionName(m), Lang: s.lang}, callClient{s})
	if err != nil {
		s.Finish(turns.ErrorFrame(c.s.settings.Failure(err, s.lang)))
		return
	}
	s.sendPicture(picture)
	s.Finish(ipc.Message{Type: ipc.TypeResult}.WithData(result))
}
