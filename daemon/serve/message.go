package serve

import (
	"context"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Message queues a hello peer's message.
func (c *peerConn) message(ctx context.Context, m ipc.Message) {
	var req ipc.Request
	if err := m.Decode(&req); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	lang := c.language()
	if l, ok := i18n.Parse(req.Lang); ok {
		lang = l
	}
	if strings.ContainsFunc(m.Session, ipc.Unprintable) {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrSessionName)
		return
	}
	if answer, ok := c.s.rules.SnoozeReply(c.hello.Channel, sessionName(m), m.Body, lang); ok {
		_ = c.send(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Seq: 1, To: c.hello.Channel, Body: answer, Done: true}.WithData(ipc.Outcome{Stop: "snoozed", Lang: string(lang)}))
		return
	}
	files, ok := c.takeAttached(req.Files)
	if !ok {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotAttached)
		return
	}
	c.pendingRequests.Add(1)
	cl := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	if err := c.s.turns.Submit(ctx, c.hello.Channel, sessionName(m), m.Body, req, cl, lang); err != nil {
		c.s.files.RemoveInboundFiles(c.hello.Channel, files)
		cl.Finish(turns.ErrorFrame(err))
	}
}

// sessionName returns the name of the conversation that a message belongs to.
func sessionName(m ipc.Message) string {
	if m.Session == "" {
		return "default"
	}
	return m.Session
}

// cancelTask stops a message of this connection (re) or any task (data.task).
func (c *peerConn) cancelTask(m ipc.Message) {
	var data struct {
		Task string `json:"task"`
	}
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	n := c.s.turns.Cancel(func(r task.Record, cl turns.Client) bool {
		return r.ID == data.Task || m.Re != "" && cl.IsRequest(c, m.Re)
	})
	if n == 0 && data.Task != "" {
		c.refuse(m, ipc.CodeBadRequest, i18n.NoSuchTask(data.Task))
		return
	}
	c.ok(m, strconv.Itoa(n))
}
