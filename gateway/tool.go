package gateway

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// toolAgent is the agent of the conversations that questions about single tool calls belong to.
const toolAgent = "tool"

// toolCall is a tool call that runs at the daemon, which judges, asks, and records as for a model's.
type toolCall struct {
	g           *Gateway
	id, channel string
	token       string // its name
	client      string // who can cancel it, or ""

	mu       sync.Mutex
	request  string           // id of the request to the daemon
	timer    *time.Timer      // until the request is answered in any case; nil if it waits for the result
	answer   func(any, error) // called once
	answered bool

	cancelled bool
}

func newToolCall(g *Gateway, token Token, channel string, answer func(any, error)) *toolCall {
	return &toolCall{g: g, id: randomID("call-"), channel: channel, token: token.owner(), answer: answer}
}

// runTool serves tool.run.
func (c *call) runTool() {
	var p struct {
		ToolID    string          `json:"toolId"`
		Input     json.RawMessage `json:"input"`
		ChannelID string          `json:"channelId"`
	}
	err := decodeParams(c.params, &p)
	if err == nil {
		p.Input, err = toolInput(p.ToolID, p.ChannelID, p.Input)
	}
	if err != nil {
		c.answer(nil, err)
		return
	}
	c.startTool(p.ToolID, p.Input, p.ChannelID)
}

// toolInput returns the input of a call, {} if there is none, or why the call is refused.
func toolInput(tool, channel string, input json.RawMessage) (json.RawMessage, error) {
	if len(input) == 0 || string(input) == "null" {
		input = json.RawMessage("{}")
	}
	switch {
	case input[0] != '{':
		return nil, badParams(errObject)
	case tool == "" || len(channel) > maxName || strings.ContainsFunc(tool+channel, ipc.Unprintable):
		return nil, newError(codeParams, ipc.CodeBadRequest, i18n.GatewayName(maxName))
	}
	return input, nil
}

// startTool calls a tool. The request is answered with the result, or, when a person is asked or it takes too long, with
// the status pending; the result is then a notification. It ends with this program.
func (c *call) startTool(name string, input json.RawMessage, channel string) {
	t := newToolCall(c.g, c.token, channel, c.answer)
	t.timer = time.AfterFunc(c.g.CallTime, t.questionAsked)
	c.g.start(t, name, input)
}

// start sends a call to the daemon. It reports false, and answers nothing, if the token has too many.
func (g *Gateway) start(t *toolCall, name string, input json.RawMessage) bool {
	if !g.register(t) {
		return false
	}
	session := conversation{t.token, toolAgent, t.channel, t.id}.session()
	t.mu.Lock() // the first frame waits for the id
	defer t.mu.Unlock()
	id, err := g.daemon.requests.Send(ipc.Message{Type: ipc.TypeCall, Session: session}.WithData(ipc.Call{Call: t.id, Name: name, Input: input}), t.frame)
	if err != nil {
		t.finish(nil, err)
		return true
	}
	t.request = id
	g.mu.Lock()
	g.running[id] = t.token
	g.mu.Unlock()
	return true
}

// register keeps a call, unless its token has [maxCalls] of those that wait for their result.
func (g *Gateway) register(t *toolCall) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	waiting := 0
	for _, other := range g.calls {
		if other.token == t.token && other.timer == nil {
			waiting++
		}
	}
	if t.timer == nil && waiting >= maxCalls {
		return false
	}
	g.calls[t.id] = t
	return true
}

// openCalls returns the calls that run.
func (g *Gateway) openCalls() []*toolCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.calls))
}

// cancel ends the call and its question, once. Its result says so.
func (t *toolCall) cancel() {
	t.mu.Lock()
	id, again := t.request, t.cancelled
	t.cancelled = true
	t.mu.Unlock()
	if id == "" || again {
		return // it was not sent, or is being cancelled
	}
	if _, err := t.g.daemon.requests.Send(ipc.Message{Type: ipc.TypeCancel, Re: id}, func(ipc.Message, error) {}); err != nil {
		t.g.Log.Warn().Err(err).Msg("cannot cancel tool call")
	}
}

// questionAsked answers the request because its result takes longer, unless the client waits for the result.
func (t *toolCall) questionAsked() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.answered && t.timer != nil {
		t.answered = true
		t.answer(TaskResponse{TaskID: t.id, ChannelID: t.channel, Status: statusPending, Metadata: t.metadata("")}, nil)
	}
}

func (t *toolCall) metadata(code string) *TaskMetadata {
	return &TaskMetadata{Token: t.token, Code: code}
}

// frame serves a frame of the call.
func (t *toolCall) frame(m ipc.Message, err error) {
	if err == nil && !m.Done {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && m.Error != nil {
		err = m.Error
	}
	var r ipc.CallResult
	if err == nil {
		err = m.Decode(&r)
	}
	response := TaskResponse{TaskID: t.id, ChannelID: t.channel, Text: r.Content, Status: statusSuccess, Metadata: t.metadata(r.Refusal)}
	if r.IsError {
		response.Status = statusError
	}
	t.finish(&response, err)
}

// finish answers the request, or sends the result as a notification. The caller holds mu.
func (t *toolCall) finish(r *TaskResponse, err error) {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.g.mu.Lock()
	delete(t.g.calls, t.id)
	delete(t.g.running, t.request)
	t.g.mu.Unlock()
	if !t.answered {
		t.answered = true
		if err != nil {
			t.answer(nil, err)
		} else {
			t.answer(*r, nil)
		}
		return
	}
	if err != nil {
		e := encodeError(err, t.g.Lang)
		r = &TaskResponse{TaskID: t.id, ChannelID: t.channel, Text: e.Message, Status: statusError, Metadata: t.metadata("")}
		if e.Data != nil {
			r.Metadata.Code = string(cmp.Or(e.Data.Code, ipc.CodeInternal))
		}
	}
	t.g.mu.Lock()
	t.g.broadcast(t.token, "chat.response", *r)
	t.g.mu.Unlock()
}
