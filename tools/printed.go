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
	// printedEvery is the interval at which new output is sent to a client that watches.
	printedEvery = 100 * time.Millisecond
	// maxPrinted is the maximum size of a piece in bytes. Of more output, only the end is sent.
	maxPrinted = 64 << 10
)

// printed collects a command's output and sends it in pieces of whole lines to a client that watches. Its input
// comes from a [secret.Writer], so it has no secrets. A nil printed sends nothing.
type printed struct {
	say func(string)

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer // runs while there is pending output
	over    bool
	saying  sync.Mutex // keeps pieces in order
}

func newPrinted(say func(string)) *printed {
	if say == nil {
		return nil
	}
	return &printed{say: say}
}

// and returns a writer that writes to w and to p.
func (p *printed) and(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return io.MultiWriter(w, p)
}

// Write adds output and never fails.
func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return len(text), nil
	}
	p.pending = append(p.pending, text...)
	if over := len(p.pending) - maxPrinted; over > 0 {
		end := bytes.IndexByte(p.pending[over:], '\n') + 1
		p.pending = p.pending[:copy(p.pending, p.pending[over+end:])]
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(printedEvery, p.tell)
	}
	return len(text), nil
}

// tell sends the pending output.
func (p *printed) tell() {
	p.saying.Lock()
	defer p.saying.Unlock()
	p.mu.Lock()
	text := string(p.pending)
	p.pending, p.timer = p.pending[:0], nil
	p.mu.Unlock()
	if text != "" {
		p.say(text)
	}
}

// close sends the rest of the output. Nothing is sent after it returns.
func (p *printed) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.tell()
}

// unitLook is the interval at which the files of a unit's output are read.
const unitLook = 200 * time.Millisecond

// lookOn sends the output of a command in a unit until the returned function is called. Only the part of each
// output that is kept of its beginning can be sent.
func (x *Executor) lookOn(run *unit.Run, p *printed) (end func()) {
	if p == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.readAlong(ctx, run, p)
	}()
	return func() {
		cancel()
		<-over
		p.close()
	}
}

func (x *Executor) readAlong(ctx context.Context, run *unit.Run, p *printed) {
	outputs := []string{record.StdoutFile, record.StderrFile}
	at := make([]int64, len(outputs))
	clean := make([]io.WriteCloser, len(outputs))
	for i := range outputs {
		clean[i] = x.redactor.Writer(p)
		defer clean[i].Close()
	}
	look := time.NewTicker(unitLook)
	defer look.Stop()
	for last := false; ; {
		for i, name := range outputs {
			text := run.Beginning(name, at[i])
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
