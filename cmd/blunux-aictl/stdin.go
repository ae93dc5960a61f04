package main

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// stdinPatience is how long standard input may be silent before the person is
// told what is being waited for.
const stdinPatience = 2 * time.Second

// piped reports whether somebody feeds standard input: a pipe or a file, or a
// socket with something to read. A silent socket is how ssh and some parents
// leave standard input open without meaning anything by it.
func piped(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	if fi.Mode()&os.ModeSocket != 0 {
		poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 100)
		return err == nil && n > 0 && poll[0].Revents&unix.POLLIN != 0
	}
	return fi.Mode().IsRegular() || fi.Mode()&os.ModeNamedPipe != 0
}

// input is what was kept of standard input.
type input struct{ ipc.Ends }

// readInput reads r to its end, or until ctx ends. Where r gives nothing for
// [stdinPatience], silent is called once; it may be nil.
func readInput(ctx context.Context, r io.Reader, silent func()) (input, error) {
	type result struct {
		in  input
		err error
	}
	counted := &countingReader{r: r}
	done := make(chan result, 1)
	go func() {
		in, err := readEnds(printable{counted})
		done <- result{in, err}
	}()
	patience := time.NewTimer(stdinPatience)
	defer patience.Stop()
	for {
		select {
		case res := <-done:
			return res.in, res.err
		case <-ctx.Done():
			return input{}, ctx.Err()
		case <-patience.C:
			if silent != nil && counted.n.Load() == 0 {
				silent()
			}
		}
	}
}

// countingReader counts the bytes that came.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// printable leaves out the C0 controls but newline and tab, so that a
// carriage return before a newline goes too: they mean nothing to a model and
// take six bytes each on the wire.
type printable struct{ r io.Reader }

func (p printable) Read(buf []byte) (int, error) {
	for {
		n, err := p.r.Read(buf)
		kept := buf[:0]
		for _, b := range buf[:n] {
			if b >= ' ' || b == '\n' || b == '\t' {
				kept = append(kept, b)
			}
		}
		if len(kept) > 0 || err != nil || len(buf) == 0 {
			return len(kept), err
		}
	}
}

// readEnds reads r to its end and keeps the beginning and the end of what is
// too long.
func readEnds(r io.Reader) (input, error) {
	ends, err := ipc.ReadEnds(r)
	if err != nil {
		return input{}, inputError{err}
	}
	return input{ends}, nil
}

// inputError is why standard input could not be read.
type inputError struct{ error }

// Unwrap returns what the system said.
func (e inputError) Unwrap() error { return e.error }

// size is how many bytes came, controls not counted.
func (in input) size() int { return in.Size() }

// text is what was kept, cut further so that it takes at most budget bytes on
// the wire, the sentence about the cut not counted.
func (in input) text(budget int, lang i18n.Lang) string {
	return in.Text(budget, func(left int) string { return i18n.StdinCut.In(lang, left) })
}

// stdinBudget is what of a line is left for standard input beside a question.
func stdinBudget(question string) int { return ipc.StdinBudget(question) }
