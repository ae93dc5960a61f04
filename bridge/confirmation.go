package bridge

import (
	"context"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// confirmationPiece returns the piece that shows a confirmation, and whether it shows the full text
// literally. If it does not, the confirmation cannot be answered in that chat.
func (p *dispatcher) confirmationPiece(n ipc.Notice) (piece Piece, whole bool) {
	piece = Piece{ID: pieceID(n.ID, 0), Chat: p.chatFor(n.To), Re: n.Re}
	text, ok := p.traits.Literal(n.Body)
	if !ok || markup.Units(text) > p.traits.Length {
		piece.Text = p.renderPlain(i18n.BridgeNotLiteral(n.Approval).In(p.lang(n)))
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

// postConfirmation posts a confirmation. It is safe to post one twice: the daemon rejects the second answer.
func (p *dispatcher) postConfirmation(ctx context.Context, c *chat, n ipc.Notice) error {
	if p.deliveries.deliveryOf(n.ID, 0).Delivered {
		return nil
	}
	piece, whole := p.confirmationPiece(n)
	posted, err := p.post(ctx, c, piece)
	if err != nil {
		return err
	}
	a := confirmation{Code: n.Approval, Chat: c.id, Handle: posted.Handle, Hidden: !whole, Shown: posted.At, At: p.now()}
	if len(piece.Buttons) > 0 {
		a.Text = piece.Text
	}
	m := delivery{Notice: n.ID, Chat: c.id, Handle: posted.Handle, Delivered: true, At: p.now()}
	line := deliveryRecord{Delivery: &m, Confirmation: &a}
	if live := p.liveMessageFor(n, 0); live.Handle != "" { // the answer is posted below the question
		live.HasQuestion = true
		line.Live = &live
	}
	if before, ok := p.deliveries.confirmationFor(n.Approval); ok {
		p.removeButtons(before) // it is shown again: only the last message has buttons
	}
	if err := p.deliveries.record(line, true); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
	}
	p.mu.Lock()
	over := p.resolvedEarly[n.Approval]
	delete(p.resolvedEarly, n.Approval)
	p.mu.Unlock()
	if over {
		p.closeConfirmation(n.Approval)
	}
	return nil
}

// findConfirmation returns an open confirmation. If it is still being posted, findConfirmation records that it is
// already resolved.
func (p *dispatcher) findConfirmation(code string) (confirmation, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.deliveries.confirmationFor(code)
	if ok {
		return a, true
	}
	if len(p.resolvedEarly) >= maxConfirmations {
		clear(p.resolvedEarly)
	}
	p.resolvedEarly[code] = true
	return a, false
}

// closeConfirmation closes a confirmation and removes its buttons.
func (p *dispatcher) closeConfirmation(code string) {
	a, ok := p.findConfirmation(code)
	if !ok {
		return
	}
	over := a
	over.Closed, over.Text = true, ""
	if err := p.deliveries.record(deliveryRecord{Confirmation: &over}, false); err != nil {
		p.log.Warn().Err(err).Msg("cannot save that a confirmation is closed")
	}
	p.removeButtons(a)
}

// removeButtons removes the buttons from a question in a chat.
func (p *dispatcher) removeButtons(a confirmation) {
	if a.Text == "" || a.Handle == "" || !p.traits.Edits {
		return
	}
	p.enqueue(a.Chat, &job{run: func(ctx context.Context, c *chat) error {
		return p.retry(ctx, func() error {
			return p.m.Edit(ctx, a.Handle, Piece{Chat: a.Chat, Text: a.Text})
		})
	}})
}

// forwardPress sends a pressed button to the daemon.
func (b *Bridge) forwardPress(in Incoming) {
	pressed := func(text string) {
		ctx, cancel := context.WithTimeout(b.dispatcher.ctx, pressTimeout)
		defer cancel()
		if err := b.o.Messenger.AnswerPress(ctx, in.Press.ID, ipc.Clean(text)); err != nil {
			b.o.Log.Debug().Err(err).Msg("cannot answer a button press")
		}
	}
	unanswered := func() { b.dispatcher.workers.Go(func() { pressed(i18n.BridgePressLost.In(b.langOf(""))) }) }
	sent := b.client.sendIfConnected(ipc.Message{Type: ipc.TypeAction, Action: in.Press.Action, From: in.Sender}.WithData(
		ipc.Answer{Code: in.Press.Code, Digest: in.Press.Digest}), request{
		onFrame: func(m ipc.Message) {
			text := m.Body
			if m.Error != nil {
				text = m.Error.Message
			}
			b.dispatcher.workers.Go(func() { pressed(text) })
		},
		onLost: unanswered,
	})
	if !sent {
		b.client.connect()
		unanswered()
	}
}
