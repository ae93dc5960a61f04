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
	// printedEvery is how often somebody who looks on is told what a command has
	// printed since.
	printedEvery = 100 * time.Millisecond
	// maxPrinted bounds what is told at once, in bytes: of more only the end.
	maxPrinted = 64 << 10
)

// printed gathers what a command prints and tells it piece by piece to somebody
// who looks on, in whole lines, without secrets: what it is given came out of a
// [secret.Writer]. A nil one tells nobody.
type printed struct {
	say func(string)

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer // runs while something is pending
	over    bool
	saying  sync.Mutex // pieces are told in order
}

func newPrinted(say func(string)) *printed {
	if say == nil {
		return nil
	}
	return &printed{say: say}
}

// and returns a writer to w that is also gathered.
func (p *printed) and(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return io.MultiWriter(w, p)
}

// Write gathers text and never fails.
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

// tell says what is pending.
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

// close says what is left; nothing is said after it.
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

// unitLook is how often the files of a unit's output are looked at while
// somebody looks on.
const unitLook = 200 * time.Millisecond

// lookOn tells what a command in a unit prints until the function it returns is
// called. Of each output that is as much as is kept of its beginning.
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
			_, _ = clean[i].Write(text) // to p, which takes everything
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
