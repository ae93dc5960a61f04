package tools

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/unit/record"
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

// unitPollInterval is the interval at which the files of a unit's output are read.
const unitPollInterval = 200 * time.Millisecond

// watchOutput sends the output of a command in a unit until the returned function is called. Only the part of each
// output that is kept of its beginning can be sent.
func (x *Executor) watchOutput(run *unit.Run, p *outputSender) (end func()) {
	if p == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.pollOutput(ctx, run, p)
	}()
	return func() {
		cancel()
		<-over
		p.close()
	}
}

func (x *Executor) pollOutput(ctx context.Context, run *unit.Run, p *outputSender) {
	outputs := []string{record.StdoutFile, record.StderrFile}
	at := make([]int64, len(outputs))
	clean := make([]io.WriteCloser, len(outputs))
	for i := range outputs {
		clean[i] = x.redactor.Writer(p)
		defer clean[i].Close()
	}
	look := time.NewTicker(unitPollInterval)
	defer look.Stop()
	for last := false; ; {
		for i, name := range outputs {
			text := run.ReadOutput(name, at[i])
			at[i] += int64(len(text))
			_, _ = clean[i].Write(text) // to p, which accepts everything
		}
		if last {
			return
		}
		select {
		case <-ctx.Done():
			last = true
		case <-look.C:
		}
	}
}
