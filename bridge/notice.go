package bridge

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// deliver brings all of a notice to the messenger's server, except what is
// there already. Its error says why the rest never will be.
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

// pieces are a notice's messages, rendered.
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

// plain is text that is not interpreted.
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

// piece brings one message to the server.
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

func (p *mailer) attempt(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	if p.traits.Edits && !p.traits.OwnIDs {
		return p.inPlace(ctx, c, n, part, piece)
	}
	posted, err := p.post(ctx, c, piece)
	if err != nil {
		return err
	}
	return p.stays(n, part, posted.Handle)
}

// inPlace posts a placeholder, notes where it is and then has the piece stand
// there: done twice, the reader still has it once.
func (p *mailer) inPlace(ctx context.Context, c *chat, n ipc.Notice, part int, piece Piece) error {
	handle := p.sent.at(n.ID, part).Handle
	if handle == "" && part == 0 && n.Task != "" {
		handle = p.sent.beginningOf(n.Task)
	}
	if handle == "" {
		holder := piece
		holder.Text = p.holder(n, part)
		posted, err := p.post(ctx, c, holder)
		if err != nil {
			return err
		}
		handle = posted.Handle
		m := mark{Notice: n.ID, Part: part, Handle: handle, At: p.now()}
		if err := p.sent.note(sentLine{Mark: &m}, true); err != nil {
			p.log.Warn().Err(err).Msg("what was sent is not on the disk")
		}
	}
	err := p.again(ctx, func() error { return p.m.Edit(ctx, handle, piece) })
	if errors.Is(err, ErrRefused) { // the person may have deleted it
		_, err = p.post(ctx, c, piece)
	}
	if err != nil {
		return err
	}
	return p.stays(n, part, handle)
}

// mostHeld is how much of an answer its placeholder shows, in characters: telephones tell of
// that, and not of what is put in its place.
const mostHeld = 100

// holder is the text of a placeholder.
func (p *mailer) holder(n ipc.Notice, part int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(n.Body), "\n")
	if part > 0 || line == "" {
		return waitSign
	}
	return p.own(waitSign + " " + ellipsis(ipc.VisibleLine(line), mostHeld))
}

// stays notes that a piece is with the server. That this is not on the disk is
// no reason to stop.
func (p *mailer) stays(n ipc.Notice, part int, handle string) error {
	m := mark{Notice: n.ID, Part: part, Handle: handle, Stays: true, At: p.now()}
	sync := !p.traits.OwnIDs && !p.traits.Edits
	if err := p.sent.note(sentLine{Mark: &m}, sync); err != nil {
		p.log.Warn().Err(err).Msg("what was sent is not on the disk")
	}
	return nil
}

// sendFile brings a file to the server.
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
			m := mark{Notice: n.ID, Part: part, Handle: posted.Handle, Stays: true, At: p.now()}
			return p.sent.note(sentLine{Mark: &m}, true)
		}
	}
	if ctx.Err() != nil || errors.Is(err, ErrNoChat) {
		return err
	}
	p.log.Warn().Err(err).Msg("a file cannot be sent")
	piece.File, piece.Text = nil, p.own(i18n.BridgeFileGone.In(p.lang(n), ipc.VisibleLine(f.Name)))
	return p.attempt(ctx, c, n, part, piece)
}
