package bridge

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// deliverNotice posts the parts of a notice that the messenger's server does not have yet. Its error is permanent.
func (p *dispatcher) deliverNotice(ctx context.Context, c *chat, n ipc.Notice) error {
	if n.Approval != "" {
		p.stopLive(n.Task, true)
		return p.postConfirmation(ctx, c, n)
	}
	p.stopLive(n.Task, false)
	pieces := p.pieces(n)
	for part, piece := range pieces {
		if err := p.sendPiece(ctx, c, n, part, piece); err != nil {
			return err
		}
	}
	for i, f := range n.Files {
		if err := p.sendFile(ctx, c, n, len(pieces)+i, f); err != nil {
			return err
		}
	}
	return nil
}

// pieces returns a notice's messages, rendered.
func (p *dispatcher) pieces(n ipc.Notice) []Piece {
	var texts []string
	if n.Markup == ipc.MarkupPlain {
		texts = p.plainTexts(n.Body)
	} else if strings.TrimSpace(n.Body) != "" {
		for _, text := range markup.Split(ipc.Clean(n.Body), p.traits.Length, p.traits.Render) {
			texts = append(texts, p.traits.Render(text))
		}
	}
	if len(texts) > maxPieces {
		texts = append(texts[:maxPieces-1], p.renderPlain(i18n.BridgeMore(n.Task).In(p.lang(n))))
	}
	pieces := make([]Piece, len(texts))
	for i, text := range texts {
		pieces[i] = Piece{ID: pieceID(n.ID, i), Chat: p.chatFor(n.To), Text: text}
	}
	if len(pieces) > 0 {
		pieces[0].Re = n.Re
		if p.traits.Buttons && n.Change != "" {
			pieces[len(pieces)-1].Buttons = buttons(n, p.lang(n))
		}
	}
	return pieces
}

// plainTexts splits and renders text that is not Markdown.
func (p *dispatcher) plainTexts(body string) []string {
	if strings.TrimSpace(body) == "" {
		return nil
	}
	texts := markup.SplitPlain(body, p.traits.Length, p.renderPlain)
	for i := range texts {
		texts[i] = p.renderPlain(texts[i])
	}
	return texts
}

// sendPiece posts one message, or a short replacement if the server rejects it.
func (p *dispatcher) sendPiece(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	if p.deliveries.deliveryOf(n.ID, part).Delivered {
		return nil
	}
	err := p.editOrPost(ctx, c, n, part, piece)
	if errors.Is(err, ErrRefused) {
		piece.Text = p.renderPlain(i18n.BridgeNotShown(n.Task).In(p.lang(n)))
		err = p.editOrPost(ctx, c, n, part, piece)
	}
	return err
}

// editOrPost sends a piece as a new message in its final text, because telephones announce new messages and not edits.
// Only an answer whose beginning was posted moments ago is completed in place.
func (p *dispatcher) editOrPost(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	live := p.liveMessageFor(n, part)
	if live.Handle != "" && !live.HasQuestion && p.now().Sub(live.At) < p.editFor {
		err := p.retry(ctx, func() error { return p.m.Edit(ctx, live.Handle, piece) })
		if err == nil {
			return p.recordPiece(n, part, c.id, live.Handle, piece)
		}
		if !errors.Is(err, ErrRefused) { // the person may have deleted it
			return err
		}
	}
	handle, err := p.postNew(ctx, c, n, part, piece)
	if err != nil {
		return err
	}
	p.removeLive(ctx, c, live.Handle)
	return p.recordPiece(n, part, c.id, handle, piece)
}

// recordPiece records that the server has a piece, and where its button is.
func (p *dispatcher) recordPiece(n ipc.Notice, part int, chatID, handle string, piece Piece) error {
	if len(piece.Buttons) > 0 {
		o := offer{Change: n.Change, Chat: chatID, Handle: handle, Text: piece.Text, At: p.now()}
		if err := p.deliveries.record(deliveryRecord{Offer: &o}, false); err != nil {
			p.log.Warn().Err(err).Msg("cannot save where a button is")
		}
	}
	return p.recordDelivery(n, part, chatID, handle)
}

func (p *dispatcher) liveMessageFor(n ipc.Notice, part int) liveMessage {
	if part > 0 || n.Task == "" || !p.traits.Edits {
		return liveMessage{}
	}
	return p.deliveries.liveMessageOf(n.Task)
}

// postNew posts a piece as a new message. If the server may have accepted it before without a
// reply, the earlier copy is removed.
func (p *dispatcher) postNew(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) (string, error) {
	if p.traits.OwnIDs {
		posted, err := p.post(ctx, c, piece)
		return posted.Handle, err
	}
	m := p.deliveries.deliveryOf(n.ID, part)
	again, before := m.Attempted, m.Before
	if !again {
		m = delivery{Notice: n.ID, Part: part, Chat: c.id, After: p.lastPosted(c), Attempted: true, At: p.now()}
		if err := p.deliveries.record(deliveryRecord{Delivery: &m}, true); err != nil {
			p.log.Warn().Err(err).Msg("cannot save that a message is being sent")
		}
	} else if before == "" {
		before = c.firstHandle
	}
	posted, unsure, err := p.tryPost(ctx, c, piece)
	if err != nil {
		return "", err
	}
	before = cmp.Or(before, posted.Handle)
	if again || unsure {
		p.removeCopies(ctx, c, m.After, before)
	}
	return posted.Handle, nil
}

// lastPosted returns a message of the chat that is older than everything posted there from now on, or
// "" if none is known.
func (p *dispatcher) lastPosted(c *chat) string {
	if c.lastHandle != "" {
		return c.lastHandle
	}
	return p.deliveries.lastPostedIn(c.id)
}

// removeCopies removes the copies of a piece that the server accepted without a reply: those posted
// between two messages of a chat. A copy that cannot be removed is only logged.
func (p *dispatcher) removeCopies(ctx context.Context, c *chat, after, before string) {
	r, ok := p.m.(Remover)
	if !ok || after == "" {
		return
	}
	if err := r.Retract(ctx, c.id, after, before); err != nil {
		p.log.Warn().Err(err).Msg("cannot remove a message that was sent twice")
	}
}

// removeLive deletes the live message of an answer that was sent as a new message.
func (p *dispatcher) removeLive(ctx context.Context, c *chat, handle string) {
	if handle == "" {
		return
	}
	err := ErrRefused
	if r, ok := p.m.(Remover); ok {
		err = r.Remove(ctx, c.id, handle)
	}
	if err != nil {
		err = p.m.Edit(ctx, handle, Piece{Chat: c.id, Text: p.renderPlain(belowSign)})
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("cannot remove the beginning of an answer")
	}
}

// recordDelivery records that the server has a piece. It only logs an error, which does not prevent the delivery.
func (p *dispatcher) recordDelivery(n ipc.Notice, part int, chatID, handle string) error {
	m := delivery{Notice: n.ID, Part: part, Chat: chatID, Handle: handle, Delivered: true, At: p.now()}
	sync := !p.traits.OwnIDs && !p.traits.Edits
	if err := p.deliveries.record(deliveryRecord{Delivery: &m}, sync); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
	}
	return nil
}

// sendFile posts a file, or a replacement text if it cannot be sent.
func (p *dispatcher) sendFile(ctx context.Context, c *chat, n ipc.Notice, part int, f ipc.NoticeFile) error {
	if p.deliveries.deliveryOf(n.ID, part).Delivered {
		return nil
	}
	piece := Piece{ID: pieceID(n.ID, part), Chat: c.id}
	out, err := p.files.outgoing(f)
	if err == nil {
		piece.File = out
		var posted Posted
		if posted, err = p.post(ctx, c, piece); err == nil {
			m := delivery{Notice: n.ID, Part: part, Chat: c.id, Handle: posted.Handle, Delivered: true, At: p.now()}
			return p.deliveries.record(deliveryRecord{Delivery: &m}, true)
		}
	}
	if ctx.Err() != nil || errors.Is(err, ErrNoChat) {
		return err
	}
	p.log.Warn().Err(err).Msg("cannot send file")
	piece.File, piece.Text = nil, p.renderPlain(i18n.BridgeFileMissing(ipc.VisibleLine(f.Name)).In(p.lang(n)))
	return p.editOrPost(ctx, c, n, part, piece)
}
