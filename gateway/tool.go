package gateway

import (
	"cmp"
	"encoding/json"
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
	g              *Gateway
	id, channel    string
	token, request string // the token's name, and the id of the request to the daemon
	timer          *time.Timer

	mu       sync.Mutex
	answer   func(any, error) // nil once the request was answered
	answered bool
}

// runTool serves tool.run.
func (c *call) runTool() {
	var p struct {
		ToolID    string          `json:"toolId"`
		Input     json.RawMessage `json:"input"`
		ChannelID string          `json:"channelId"`
	}
	err := decodeParams(c.params, &p)
	if len(p.Input) == 0 || string(p.Input) == "null" {
		p.Input = json.RawMessage("{}")
	}
	if err == nil && p.Input[0] != '{' {
		err = badParams(errObject)
	}
	if err == nil && (p.ToolID == "" || len(p.ChannelID) > maxName || strings.ContainsFunc(p.ToolID+p.ChannelID, ipc.Unprintable)) {
		err = newError(codeParams, ipc.CodeBadRequest, i18n.GatewayName(maxName))
	}
	if err != nil {
		c.answer(nil, err)
		return
	}
	c.startTool(p.ToolID, p.Input, p.ChannelID)
}

// startTool calls a tool. The request is answered with the result, or, when a person is asked or it takes too long, with
// the status pending; the result is then a notification. It ends with this program.
func (c *call) startTool(name string, input json.RawMessage, channel string) {
	t := &toolCall{g: c.g, id: randomID("call-"), channel: channel, token: c.token.Name, answer: c.answer}
	session := conversation{c.token.Name, toolAgent, channel, t.id}.session()
	c.g.mu.Lock()
	c.g.calls[t.id] = t
	c.g.mu.Unlock()
	t.mu.Lock() // the first frame waits for the id
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(c.g.CallTime, t.questionAsked)
	id, err := c.g.daemon.send(ipc.Message{Type: ipc.TypeCall, Session: session}.WithData(ipc.Call{Call: t.id, Name: name, Input: input}), t.frame)
	if err != nil {
		t.finish(nil, err)
		return
	}
	t.request = id
	c.g.mu.Lock()
	c.g.running[id] = c.token.Name
	c.g.mu.Unlock()
}

// questionAsked answers the request because its result takes longer.
func (t *toolCall) questionAsked() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.answered {
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
	t.timer.Stop()
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
