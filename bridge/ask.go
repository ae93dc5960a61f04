package bridge

import (
	"context"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// question is the one piece that a confirmation is shown in, and whether it
// shows all of it as it is. Where it does not nothing can be answered there.
func (p *mailer) question(n ipc.Notice) (piece Piece, whole bool) {
	piece = Piece{ID: pieceID(n.ID, 0), Chat: p.chatFor(n.To), Re: n.Re}
	text, ok := p.traits.Literal(n.Body)
	if !ok || markup.Units(text) > p.traits.Length {
		piece.Text = p.own(i18n.BridgeNotLiteral.In(p.lang(n), n.Approval))
		return piece, false
	}
	piece.Text = text
	if p.traits.Buttons {
		piece.Buttons = buttons(n, p.lang(n))
	}
	return piece, true
}

func buttons(n ipc.Notice, lang i18n.Lang) []Button {
	labels := map[string]i18n.Text{
		ipc.ActionAllowOnce: i18n.BridgeYes, ipc.ActionReject: i18n.BridgeNo, ipc.ActionAllowSession: i18n.BridgeSession,
	}
	var all []Button
	for _, action := range n.Actions {
		if label, ok := labels[action]; ok {
			all = append(all, Button{Label: label.In(lang), Action: action, Code: n.Approval, Digest: n.Digest})
		}
	}
	return all
}

// put puts a confirmation to a person. It is posted at once: where that is
// done twice the second answer finds that there was one.
func (p *mailer) put(ctx context.Context, c *chat, n ipc.Notice) error {
	if p.sent.at(n.ID, 0).Stays {
		return nil
	}
	piece, whole := p.question(n)
	posted, err := p.post(ctx, c, piece)
	if err != nil {
		return err
	}
	a := asked{Code: n.Approval, Chat: c.id, Handle: posted.Handle, Hidden: !whole, Shown: posted.At, At: p.now()}
	if len(piece.Buttons) > 0 {
		a.Text = piece.Text
	}
	m := mark{Notice: n.ID, Chat: c.id, Handle: posted.Handle, Stays: true, At: p.now()}
	line := sentLine{Mark: &m, Asked: &a}
	if live := p.liveMessage(n, 0); live.Handle != "" { // the answer comes below the question
		live.Asked = true
		line.Begun = &live
	}
	if before, ok := p.sent.askedBy(n.Approval); ok {
		p.strip(before) // it is shown once more: the buttons are below the last
	}
	if err := p.sent.note(line, true); err != nil {
		p.log.Warn().Err(err).Msg("what was sent is not on the disk")
	}
	p.mu.Lock()
	over := p.quick[n.Approval]
	delete(p.quick, n.Approval)
	p.mu.Unlock()
	if over {
		p.answered(n.Approval)
	}
	return nil
}

// shownAs is how a confirmation is shown. Of one that is just being, it is
// remembered that it is over.
func (p *mailer) shownAs(code string) (asked, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.sent.askedBy(code)
	if ok {
		return a, true
	}
	if len(p.quick) >= mostAsks {
		clear(p.quick)
	}
	p.quick[code] = true
	return a, false
}

// answered takes the buttons from a confirmation that is over.
func (p *mailer) answered(code string) {
	a, ok := p.shownAs(code)
	if !ok {
		return
	}
	over := a
	over.Over, over.Text = true, ""
	if err := p.sent.note(sentLine{Asked: &over}, false); err != nil {
		p.log.Warn().Err(err).Msg("that a confirmation is over is not on the disk")
	}
	p.strip(a)
}

// strip takes the buttons from a question that stands in a chat.
func (p *mailer) strip(a asked) {
	if a.Text == "" || a.Handle == "" || !p.traits.Edits {
		return
	}
	p.enqueue(a.Chat, &item{do: func(ctx context.Context, c *chat) error {
		return p.again(ctx, func() error {
			return p.m.Edit(ctx, a.Handle, Piece{Chat: a.Chat, Text: a.Text})
		})
	}})
}

// press gives a button that was pressed to the daemon.
func (b *Bridge) press(in Incoming) {
	pressed := func(text string) {
		ctx, cancel := context.WithTimeout(b.mailer.ctx, pressTime)
		defer cancel()
		if err := b.o.Messenger.Pressed(ctx, in.Press.ID, ipc.Clean(text)); err != nil {
			b.o.Log.Debug().Err(err).Msg("cannot end a press")
		}
	}
	unanswered := func() { b.mailer.running.Go(func() { pressed(i18n.BridgePressLost.In(b.langOf(""))) }) }
	sent := b.courier.ask(ipc.Message{Type: ipc.TypeAction, Action: in.Press.Action, From: in.Sender}.WithData(
		ipc.Answer{Code: in.Press.Code, Digest: in.Press.Digest}), request{
		frame: func(m ipc.Message) {
			text := m.Body
			if m.Error != nil {
				text = m.Error.Message
			}
			b.mailer.running.Go(func() { pressed(text) })
		},
		lost: unanswered,
	})
	if !sent {
		b.courier.knock()
		unanswered()
	}
}
