package executor

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// sendInterval is the interval at which new output is sent to a client that watches.
	sendInterval = 100 * time.Millisecond
	// maxPending is the maximum size of a piece in bytes. Of more output, only the end is sent.
	maxPending = 64 << 10
)

// outputSender collects a command's output and sends it in pieces of whole lines to a client that watches. Its input
// comes from a [secret.Writer], so it has no secrets. A nil outputSender sends nothing.
type outputSender struct {
	send func(string)

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer // runs while there is pending output
	closed  bool
	sendMu  sync.Mutex // keeps pieces in order
}

func newOutputSender(say func(string)) *outputSender {
	if say == nil {
		return nil
	}
	return &outputSender{send: say}
}

// tee returns a writer that writes to w and to p.
func (p *outputSender) tee(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return io.MultiWriter(w, p)
}

// Write adds output and never fails.
func (p *outputSender) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return len(text), nil
	}
	p.pending = append(p.pending, text...)
	if over := len(p.pending) - maxPending; over > 0 {
		end := bytes.IndexByte(p.pending[over:], '\n') + 1
		p.pending = p.pending[:copy(p.pending, p.pending[over+end:])]
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(sendInterval, p.flush)
	}
	return len(text), nil
}

// flush sends the pending output.
func (p *outputSender) flush() {
	p.sendMu.Lock()
	defer p.sendMu.Unlock()
	p.mu.Lock()
	text := string(p.pending)
	p.pending, p.timer = p.pending[:0], nil
	p.mu.Unlock()
	if text != "" {
		p.send(text)
	}
}

// close sends the rest of the output. Nothing is sent after it returns.
func (p *outputSender) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.flush()
}
