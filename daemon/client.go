package daemon

import (
	"errors"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// client receives the frames of a task: a peer that reads a stream of them, or an original one that reads a single
// line.
type client interface {
	// canAsk reports whether a person can be asked there now.
	canAsk() bool
	// ask shows a question and reports whether it was shown completely.
	ask(a *approval.Approval, question string) bool
	sendResolved(id string, r ipc.Resolved)
	sendDelta(text string)
	sendTool(t ipc.Tool)
	// wantsOutput reports whether the client wants the output of commands.
	wantsOutput() bool
	// finish ends the request with a response or an error frame, and reports whether that was delivered. Only the
	// first call counts.
	finish(m ipc.Message) (delivered bool)
	// detach ends the request of a task that the next daemon resumes.
	detach(m ipc.Message)
	// disconnected is closed when the client has disconnected.
	disconnected() <-chan struct{}
	// isRequest reports whether the client waits at c for the request named re.
	isRequest(c *peerConn, re string) bool
}

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

func (s *stream) wants(capability string) bool { return slices.Contains(s.caps, capability) }

func (s *stream) canAsk() bool {
	select {
	case <-s.c.gone:
		return false
	default:
		return s.wants(ipc.CapAsk)
	}
}

// send numbers a frame and writes it. Frames after the last one are discarded. A last frame that exceeds a line is
// sent without its data.
func (s *stream) send(m ipc.Message) error {
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

func (s *stream) ask(a *approval.Approval, question string) bool {
	err := s.send(ipc.Message{Type: ipc.TypeAsk, ID: a.ID, Body: question, Actions: approval.Actions(a.Ask)}.WithData(a.Ask))
	return !errors.Is(err, ipc.ErrTooLarge) // the read loop notices a disconnected peer
}

func (s *stream) sendResolved(id string, r ipc.Resolved) {
	_ = s.send(ipc.Message{Type: ipc.TypeResolved, ID: id}.WithData(r))
}

func (s *stream) sendDelta(text string) {
	if s.wants(ipc.CapDelta) {
		_ = s.send(ipc.Message{Type: ipc.TypeDelta, Body: text})
	}
}

func (s *stream) sendTool(t ipc.Tool) {
	if s.wants(ipc.CapTool) {
		_ = s.send(ipc.Message{Type: ipc.TypeTool}.WithData(t))
	}
}

func (s *stream) wantsOutput() bool { return s.wants(ipc.CapTool) && s.wants(ipc.CapOutput) }

func (s *stream) finish(m ipc.Message) (delivered bool) {
	m.Done, m.Body = true, chat.BoundBody(m.Body, s.lang)
	return s.send(m) == nil
}

func (s *stream) detach(m ipc.Message) { s.finish(m) }

func (s *stream) disconnected() <-chan struct{} { return s.c.gone }

func (s *stream) isRequest(c *peerConn, re string) bool { return s.c == c && s.re == re }
