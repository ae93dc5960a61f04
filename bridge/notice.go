package bridge

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// deliver posts the parts of a notice that the messenger's server does not have yet. Its error is
// permanent.
func (p *mailer) deliver(ctx context.Context, c *chat, n ipc.Notice) error {
	if n.Approval != "" {
		p.settle(n.Task, true)
		return p.put(ctx, c, n)
	}
	p.settle(n.Task, false)
	pieces := p.pieces(n)
	for part, piece := range pieces {
		if err := p.piece(ctx, c, n, part, piece); err != nil {
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
func (p *mailer) pieces(n ipc.Notice) []Piece {
	var texts []string
	if n.Markup == ipc.MarkupPlain {
		texts = p.plain(n.Body)
	} else if strings.TrimSpace(n.Body) != "" {
		for _, text := range markup.Split(ipc.Clean(n.Body), p.traits.Length, p.traits.Render) {
			texts = append(texts, p.traits.Render(text))
		}
	}
	if len(texts) > mostPieces {
		texts = append(texts[:mostPieces-1], p.own(i18n.BridgeMore.In(p.lang(n), n.Task)))
	}
	pieces := make([]Piece, len(texts))
	for i, text := range texts {
		pieces[i] = Piece{ID: pieceID(n.ID, i), Chat: p.chatFor(n.To), Text: text}
	}
	if len(pieces) > 0 {
		pieces[0].Re = n.Re
	}
	return pieces
}

// plain splits and renders text that is not Markdown.
func (p *mailer) plain(body string) []string {
	if strings.TrimSpace(body) == "" {
		return nil
	}
	texts := markup.SplitPlain(body, p.traits.Length, p.own)
	for i := range texts {
		texts[i] = p.own(texts[i])
	}
	return texts
}

// piece posts one message, or a short replacement if the server rejects it.
func (p *mailer) piece(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	if p.sent.at(n.ID, part).Stays {
		return nil
	}
	err := p.attempt(ctx, c, n, part, piece)
	if errors.Is(err, ErrRefused) {
		piece.Text = p.own(i18n.BridgeNotShown.In(p.lang(n), n.Task))
		err = p.attempt(ctx, c, n, part, piece)
	}
	return err
}

// attempt sends a piece as a new message in its final text, because telephones announce new
// messages and not edits. Only an answer whose beginning was posted moments ago is completed in
// place.
func (p *mailer) attempt(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	live := p.liveMessage(n, part)
	if live.Handle != "" && !live.Asked && p.now().Sub(live.At) < p.editFor {
		err := p.again(ctx, func() error { return p.m.Edit(ctx, live.Handle, piece) })
		if err == nil {
			return p.stays(n, part, c.id, live.Handle)
		}
		if !errors.Is(err, ErrRefused) { // the person may have deleted it
			return err
		}
	}
	handle, err := p.postNew(ctx, c, n, part, piece)
	if err != nil {
		return err
	}
	p.remove(ctx, c, live.Handle)
	return p.stays(n, part, c.id, handle)
}

// liveMessage returns the live message of an answer.
func (p *mailer) liveMessage(n ipc.Notice, part int) beginning {
	if part > 0 || n.Task == "" || !p.traits.Edits {
		return beginning{}
	}
	return p.sent.beginningOf(n.Task)
}

// postNew posts a piece as a new message. If the server may have accepted it before without a
// reply, the earlier copy is removed.
func (p *mailer) postNew(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) (string, error) {
	if p.traits.OwnIDs {
		posted, err := p.post(ctx, c, piece)
		return posted.Handle, err
	}
	m := p.sent.at(n.ID, part)
	again, before := m.Tried, m.Before
	if !again {
		m = mark{Notice: n.ID, Part: part, Chat: c.id, After: p.lastIn(c), Tried: true, At: p.now()}
		if err := p.sent.note(sentLine{Mark: &m}, true); err != nil {
			p.log.Warn().Err(err).Msg("cannot save that a message is being sent")
		}
	} else if before == "" {
		before = c.first
	}
	posted, unsure, err := p.tryPost(ctx, c, piece)
	if err != nil {
		return "", err
	}
	if before == "" {
		before = posted.Handle
	}
	if again || unsure {
		p.retract(ctx, c, m.After, before)
	}
	return posted.Handle, nil
}

// lastIn returns a message of the chat that is older than everything posted there from now on, or
// "" if none is known.
func (p *mailer) lastIn(c *chat) string {
	if c.handle != "" {
		return c.handle
	}
	return p.sent.lastIn(c.id)
}

// retract removes the copies of a piece that the server accepted without a reply: those posted
// between two messages of a chat. A copy that cannot be removed is only logged.
func (p *mailer) retract(ctx context.Context, c *chat, after, before string) {
	r, ok := p.m.(Remover)
	if !ok || after == "" {
		return
	}
	if err := r.Retract(ctx, c.id, after, before); err != nil {
		p.log.Warn().Err(err).Msg("cannot remove a message that was sent twice")
	}
}

// remove deletes the live message of an answer that was sent as a new message.
func (p *mailer) remove(ctx context.Context, c *chat, handle string) {
	if handle == "" {
		return
	}
	err := ErrRefused
	if r, ok := p.m.(Remover); ok {
		err = r.Remove(ctx, c.id, handle)
	}
	if err != nil {
		err = p.m.Edit(ctx, handle, Piece{Chat: c.id, Text: p.own(belowSign)})
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("cannot remove the beginning of an answer")
	}
}

// stays records that the server has a piece. It only logs an error, which does not prevent the
// delivery.
func (p *mailer) stays(n ipc.Notice, part int, chatID, handle string) error {
	m := mark{Notice: n.ID, Part: part, Chat: chatID, Handle: handle, Stays: true, At: p.now()}
	sync := !p.traits.OwnIDs && !p.traits.Edits
	if err := p.sent.note(sentLine{Mark: &m}, sync); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
	}
	return nil
}

// sendFile posts a file, or a replacement text if it cannot be sent.
func (p *mailer) sendFile(ctx context.Context, c *chat, n ipc.Notice, part int, f ipc.NoticeFile) error {
	if p.sent.at(n.ID, part).Stays {
		return nil
	}
	piece := Piece{ID: pieceID(n.ID, part), Chat: c.id}
	out, err := p.files.outgoing(f)
	if err == nil {
		piece.File = out
		var posted Posted
		if posted, err = p.post(ctx, c, piece); err == nil {
			m := mark{Notice: n.ID, Part: part, Chat: c.id, Handle: posted.Handle, Stays: true, At: p.now()}
			return p.sent.note(sentLine{Mark: &m}, true)
		}
	}
	if ctx.Err() != nil || errors.Is(err, ErrNoChat) {
		return err
	}
	p.log.Warn().Err(err).Msg("cannot send file")
	piece.File, piece.Text = nil, p.own(i18n.BridgeFileGone.In(p.lang(n), ipc.VisibleLine(f.Name)))
	return p.attempt(ctx, c, n, part, piece)
}
