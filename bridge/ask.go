package bridge

import (
	"context"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// question returns the piece that shows a confirmation, and whether it shows the full text
// literally. If it does not, the confirmation cannot be answered in that chat.
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

// put posts a confirmation. It is safe to post one twice: the daemon rejects the second answer.
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
	if live := p.liveMessage(n, 0); live.Handle != "" { // the answer is posted below the question
		live.Asked = true
		line.Begun = &live
	}
	if before, ok := p.sent.askedBy(n.Approval); ok {
		p.strip(before) // it is shown again: only the last message has buttons
	}
	if err := p.sent.note(line, true); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
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

// shownAs returns an open confirmation. If it is still being posted, shownAs records that it is
// already resolved.
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

// answered closes a confirmation and removes its buttons.
func (p *mailer) answered(code string) {
	a, ok := p.shownAs(code)
	if !ok {
		return
	}
	over := a
	over.Over, over.Text = true, ""
	if err := p.sent.note(sentLine{Asked: &over}, false); err != nil {
		p.log.Warn().Err(err).Msg("cannot save that a confirmation is closed")
	}
	p.strip(a)
}

// strip removes the buttons from a question in a chat.
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

// press sends a pressed button to the daemon.
func (b *Bridge) press(in Incoming) {
	pressed := func(text string) {
		ctx, cancel := context.WithTimeout(b.mailer.ctx, pressTime)
		defer cancel()
		if err := b.o.Messenger.Pressed(ctx, in.Press.ID, ipc.Clean(text)); err != nil {
			b.o.Log.Debug().Err(err).Msg("cannot answer a button press")
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
