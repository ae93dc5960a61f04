package serve

import (
	"errors"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
)

// stream is the client side of a hello peer's message.
type stream struct {
	c    *peerConn
	re   string
	caps []string
	lang i18n.Lang

	mu   sync.Mutex
	seq  int64
	done bool
}

// actionReply is the client of a job that a hello peer's action started.
type actionReply struct {
	turns.NoClient
	c  *peerConn
	re ipc.Message
}

func (s *stream) wants(capability string) bool { return slices.Contains(s.caps, capability) }

func (s *stream) CanAsk() bool {
	select {
	case <-s.c.gone:
		return false
	default:
		return s.wants(ipc.CapAsk)
	}
}

// Send numbers a frame and writes it. Frames after the last one are discarded. A last frame that exceeds a line is
// sent without its data.
func (s *stream) Send(m ipc.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil
	}
	s.seq++
	m.Re, m.Seq, s.done = s.re, s.seq, m.Done
	err := s.c.send(m)
	if errors.Is(err, ipc.ErrTooLarge) && m.Done {
		m.Data = nil
		err = s.c.send(m)
	}
	if s.done {
		s.c.pendingRequests.Done()
	}
	return err
}

func (s *stream) Ask(a *approval.Approval, question string) bool {
	err := s.Send(ipc.Message{Type: ipc.TypeAsk, ID: a.ID, Body: question, Actions: approval.Actions(a.Ask)}.WithData(a.Ask))
	return !errors.Is(err, ipc.ErrTooLarge) // the read loop notices a disconnected peer
}

func (s *stream) SendResolved(id string, r ipc.Resolved) {
	_ = s.Send(ipc.Message{Type: ipc.TypeResolved, ID: id}.WithData(r))
}

func (s *stream) SendDelta(text string) {
	if s.wants(ipc.CapDelta) {
		_ = s.Send(ipc.Message{Type: ipc.TypeDelta, Body: text})
	}
}

func (s *stream) SendTool(t ipc.Tool) {
	if s.wants(ipc.CapTool) {
		_ = s.Send(ipc.Message{Type: ipc.TypeTool}.WithData(t))
	}
}

// sendPicture sends the picture of a result, nil for none, in pieces that fit a line.
func (s *stream) sendPicture(p *providers.Picture) {
	if p == nil || !s.wants(ipc.CapPicture) {
		return
	}
	for piece := range slices.Chunk(p.Data, ipc.MaxPicturePiece) {
		_ = s.Send(ipc.Message{Type: ipc.TypePicture}.WithData(ipc.PicturePiece{MediaType: p.MediaType, Data: piece}))
	}
}

func (s *stream) WantsOutput() bool { return s.wants(ipc.CapTool) && s.wants(ipc.CapOutput) }

func (s *stream) ShowsSteps() bool { return s.wants(ipc.CapTool) && s.wants(ipc.CapSteps) }

func (s *stream) Finish(m ipc.Message) (delivered bool) {
	m.Done, m.Body = true, chat.BoundBody(m.Body, s.lang)
	return s.Send(m) == nil
}

func (s *stream) Detach(m ipc.Message) { s.Finish(m) }

func (s *stream) Disconnected() <-chan struct{} { return s.c.gone }

func (s *stream) IsRequest(conn any, re string) bool { return conn == any(s.c) && s.re == re }

func (r *actionReply) Finish(m ipc.Message) (delivered bool) {
	if m.Error != nil {
		r.c.Fail(r.re, m.Error)
		return true
	}
	m.Re, m.Done = r.re.ID, true
	return r.c.send(m) == nil
}

func (r *actionReply) Detach(m ipc.Message) { r.Finish(m) }
