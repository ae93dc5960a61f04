package bridge

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxPages bounds the messages of a confirmation, pageRoom is the room for what pages add to it, in UTF-16 code units.
const (
	maxPages = 8
	pageRoom = 300
)

// confirmationPieces returns the pieces that show a confirmation, and whether they show the full text literally. If they
// do not, the confirmation cannot be answered in that chat. The last one has the buttons.
func (p *dispatcher) confirmationPieces(n ipc.Notice) (pieces []Piece, whole bool) {
	chatID := p.chatFor(n.To)
	texts, whole := p.confirmationPages(n)
	if !whole {
		texts = []string{p.renderPlain(i18n.BridgeNotLiteral(n.Approval).In(p.lang(n)))}
	}
	for i, text := range texts {
		pieces = append(pieces, Piece{ID: pieceID(n.ID, i), Chat: chatID, Text: text})
	}
	pieces[0].Re = n.Re
	if whole && p.traits.Buttons {
		pieces[len(pieces)-1].Buttons = buttons(n, p.lang(n))
	}
	return pieces, whole
}

// confirmationPages returns a confirmation's text in markup, broken between lines into as few messages as possible. Each
// of several says which one it is. ok is false if a line does not fit a message, or cannot be shown literally.
func (p *dispatcher) confirmationPages(n ipc.Notice) (pages []string, ok bool) {
	if text, literal := p.traits.Literal(n.Body); literal && markup.Units(text) <= p.traits.Length {
		return []string{text}, true
	}
	var parts []string
	part := ""
	for line := range strings.Lines(n.Body) {
		if part != "" && !p.fitsPage(part+line) {
			parts, part = append(parts, part), ""
		}
		part += line
	}
	parts = append(parts, part)
	if len(parts) > maxPages {
		return nil, false
	}
	for i, part := range parts {
		head, foot := i18n.BridgePage(i+1, len(parts)).In(p.lang(n))+"\n", ""
		if i < len(parts)-1 {
			foot = "\n" + i18n.BridgePageMore.In(p.lang(n))
		}
		text, literal := p.traits.Literal(head + strings.TrimSuffix(part, "\n") + foot)
		if !literal || markup.Units(text) > p.traits.Length {
			return nil, false
		}
		pages = append(pages, text)
	}
	return pages, true
}

func (p *dispatcher) fitsPage(part string) bool {
	text, ok := p.traits.Literal(part)
	return ok && markup.Units(text) <= p.traits.Length-pageRoom
}

func buttons(n ipc.Notice, lang i18n.Lang) []Button {
	if n.Change != "" && slices.Contains(n.Actions, ipc.ActionUndo) {
		return []Button{{Label: i18n.BridgeUndo.In(lang), Action: ipc.ActionUndo, Code: n.Change}}
	}
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

// postConfirmation posts a confirmation. It is safe to post one twice: the daemon rejects the second answer. If not all of
// it can be posted, it cannot be answered in that chat.
func (p *dispatcher) postConfirmation(ctx context.Context, c *chat, n ipc.Notice) error {
	pieces, whole := p.confirmationPieces(n)
	last := len(pieces) - 1
	if p.deliveries.deliveryOf(n.ID, last).Delivered {
		return nil
	}
	for part, piece := range pieces[:last] {
		if p.deliveries.deliveryOf(n.ID, part).Delivered {
			continue
		}
		handle, err := p.postNew(ctx, c, n, part, piece)
		if err != nil {
			return p.hideConfirmation(ctx, c, n, err)
		}
		if err := p.recordDelivery(n, part, c.id, handle); err != nil {
			return err
		}
	}
	piece := pieces[last]
	posted, err := p.post(ctx, c, piece)
	if err != nil {
		return p.hideConfirmation(ctx, c, n, err)
	}
	a := confirmation{Code: n.Approval, Chat: c.id, Handle: posted.Handle, Hidden: !whole, Shown: posted.At, At: p.now()}
	if len(piece.Buttons) > 0 {
		a.Text = piece.Text
	}
	m := delivery{Notice: n.ID, Part: last, Chat: c.id, Handle: posted.Handle, Delivered: true, At: p.now()}
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

// hideConfirmation records that a confirmation was not shown completely, and returns why. A bridge that stops continues
// with it later.
func (p *dispatcher) hideConfirmation(ctx context.Context, c *chat, n ipc.Notice, err error) error {
	if ctx.Err() == nil {
		hidden := confirmation{Code: n.Approval, Chat: c.id, Hidden: true, At: p.now()}
		if err := p.deliveries.record(deliveryRecord{Confirmation: &hidden}, true); err != nil {
			p.log.Warn().Err(err).Msg("cannot save what was sent")
		}
	}
	return err
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
func (p *dispatcher) removeButtons(a confirmation) { p.dropButtons(a.Chat, a.Handle, a.Text) }

// dropButtons posts the text of a message without its buttons.
func (p *dispatcher) dropButtons(chatID, handle, text string) {
	if text == "" || handle == "" || !p.traits.Edits {
		return
	}
	p.enqueue(chatID, &job{run: func(ctx context.Context, c *chat) error {
		return p.retry(ctx, func() error {
			return p.m.Edit(ctx, handle, Piece{Chat: chatID, Text: text})
		})
	}})
}

// endOffer removes the button that takes a change back, once it was pressed.
func (p *dispatcher) endOffer(change string) {
	o, ok := p.deliveries.offerOf(change)
	if !ok {
		return
	}
	if err := p.deliveries.record(deliveryRecord{Offer: &offer{Change: change}}, false); err != nil {
		p.log.Warn().Err(err).Msg("cannot save that a button was pressed")
	}
	p.dropButtons(o.Chat, o.Handle, o.Text)
}

// forwardPress sends a pressed button to the daemon.
func (b *Bridge) forwardPress(in Incoming) {
	unanswered := func() { b.dispatcher.workers.Go(func() { b.answerPress(in, i18n.BridgePressLost.In(b.langOf(""))) }) }
	sent := b.client.sendIfConnected(ipc.Message{Type: ipc.TypeAction, Action: in.Press.Action, From: in.Sender}.WithData(
		ipc.Answer{Code: in.Press.Code, Digest: in.Press.Digest}), request{
		onFrame: func(m ipc.Message) {
			text := m.Body
			if m.Error != nil {
				text = m.Error.Message
			}
			if in.Press.Action == ipc.ActionUndo && (m.Error == nil || m.Error.Code == ipc.CodeExpired) {
				b.dispatcher.endOffer(in.Press.Code)
			}
			b.dispatcher.workers.Go(func() { b.answerPress(in, text) })
		},
		onLost: unanswered,
	})
	if !sent {
		b.client.connect()
		unanswered()
	}
}

// answerPress shows the presser of a button a text.
func (b *Bridge) answerPress(in Incoming, text string) {
	ctx, cancel := context.WithTimeout(b.dispatcher.ctx, pressTimeout)
	defer cancel()
	if err := b.o.Messenger.AnswerPress(ctx, in.Press.ID, ipc.Clean(text)); err != nil {
		b.o.Log.Debug().Err(err).Msg("cannot answer a button press")
	}
}
