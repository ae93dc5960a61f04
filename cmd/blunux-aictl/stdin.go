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

// stdinNoticeDelay is how long standard input may be silent before a message explains the wait.
const stdinNoticeDelay = 2 * time.Second

// hasPipedInput reports whether standard input has data for us: a pipe, a file, or a socket with data. ssh and some
// parent processes leave an unused socket open as standard input.
func hasPipedInput(f *os.File) bool {
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

// input is the part of standard input that was kept.
type input struct{ ipc.Excerpt }

// readInput reads r until it or ctx ends. If r stays silent for [stdinNoticeDelay], it calls silent once; silent
// may be nil.
func readInput(ctx context.Context, r io.Reader, silent func()) (input, error) {
	type result struct {
		in  input
		err error
	}
	counted := &countingReader{r: r}
	done := make(chan result, 1)
	go func() {
		in, err := readEnds(printableReader{counted})
		done <- result{in, err}
	}()
	patience := time.NewTimer(stdinNoticeDelay)
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

// countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// printableReader removes the C0 controls except newline and tab, and therefore also the carriage return of a CRLF.
// They are useless to a model and take six bytes each on the wire.
type printableReader struct{ r io.Reader }

func (p printableReader) Read(buf []byte) (int, error) {
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

// readEnds reads r to its end. If it is too long, it keeps the beginning and the end.
func readEnds(r io.Reader) (input, error) {
	ends, err := ipc.ReadExcerpt(r)
	if err != nil {
		return input{}, inputError{err}
	}
	return input{ends}, nil
}

// inputError is an error of reading standard input.
type inputError struct{ error }

// Unwrap returns the system's error.
func (e inputError) Unwrap() error { return e.error }

// size returns the number of bytes read, without control characters.
func (in input) size() int { return in.Size() }

// text returns the kept text, shortened to budget bytes on the wire. The note about the shortening is not
// counted.
func (in input) text(budget int, lang i18n.Lang) string {
	return in.Text(budget, func(left int) string { return i18n.StdinCut(left).In(lang) })
}

// stdinBudget returns how many bytes a frame with the question has left for standard input.
func stdinBudget(question string) int { return ipc.StdinBudget(question) }
