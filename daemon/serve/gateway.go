package serve

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxMessageID bounds the gateway's id of a message, in bytes.
const maxMessageID = 256

// gatewayStream is the gateway's side of a message. The gateway may die after it has read an answer, so the answer also
// goes to the outbox, until the gateway acknowledges it.
type gatewayStream struct{ *stream }

// Finish implements [turns.Client]. It never reports a delivery.
func (s gatewayStream) Finish(m ipc.Message) (delivered bool) {
	s.stream.Finish(m)
	return false
}

// gatewayMessage queues a message of the gateway, which names it: a message with the same id becomes no second task.
func (c *peerConn) gatewayMessage(ctx context.Context, m ipc.Message) {
	var req ipc.GatewayRequest
	if err := m.Decode(&req); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	if strings.ContainsFunc(m.Session+req.MID, ipc.Unprintable) || req.MID == "" || len(req.MID) > maxMessageID {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrSessionName)
		return
	}
	lang := c.language()
	if l, ok := i18n.Parse(req.Lang); ok {
		lang = l
	}
	c.pendingRequests.Add(1)
	s := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	if id, known := c.s.turns.ByMessageID(c.hello.Channel, sessionName(m), req.MID); known {
		_ = s.Send(ipc.Message{Type: ipc.TypeAccepted}.WithData(ipc.Accepted{Task: id, Duplicate: true}))
		s.Finish(ipc.Message{Type: ipc.TypeResponse}.WithData(ipc.Outcome{Task: id, Stop: "duplicate", Lang: string(lang)}))
		return
	}
	if strings.TrimSpace(m.Body) == "" {
		s.Finish(turns.ErrorFrame(&ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang)}))
		return
	}
	r := c.s.turns.NewTask(c.hello.Channel, sessionName(m), m.Body, req.Request, lang)
	r.MessageID = req.MID
	accepted := func() {
		_ = s.Send(ipc.Message{Type: ipc.TypeAccepted}.WithData(ipc.Accepted{Task: r.ID}))
		if c.hello.Channel == ipc.FleetChannel {
			c.announceFleet(r)
		}
	}
	if err := c.s.turns.Accept(ctx, r, req.Request, gatewayStream{s}, accepted); err != nil {
		s.Finish(turns.ErrorFrame(err))
	}
}

// gatewayAnswer answers an approval that no turn waits for. What comes of it goes to the outbox, as for each message of
// the gateway.
func (c *peerConn) gatewayAnswer(ctx context.Context, r approval.Record, m ipc.Message, data ipc.Answer) error {
	a := turns.AnswerSource{By: c.hello.Channel, Lang: c.language(), Client: turns.NoClient{}}
	if m.Action != ipc.ActionReject { // after a no, the one who asked is informed
		a.Name = sessionName(m)
	}
	err := c.s.turns.Stored.Decide(ctx, r, m.Action, data, a)
	if err == nil {
		c.ok(m, m.Action)
	}
	return err
}
