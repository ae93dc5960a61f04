package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxStdin bounds what is kept of standard input, in bytes.
const maxStdin = 256 << 10

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

// input is what was kept of standard input: its beginning and its end, and
// how many bytes between them were not kept.
type input struct {
	head, tail []byte
	left       int
}

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
	head, err := io.ReadAll(io.LimitReader(r, maxStdin/2))
	if err != nil {
		return input{}, fmt.Errorf("cannot read standard input: %w", err)
	}
	tail, left, err := readTail(r, maxStdin/2)
	if err != nil {
		return input{}, fmt.Errorf("cannot read standard input: %w", err)
	}
	return input{head, tail, left}, nil
}

// readTail reads r to its end and returns its last n bytes and how many came
// before them.
func readTail(r io.Reader, n int) (tail []byte, left int, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, err := r.Read(buf)
		tail = append(tail, buf[:k]...)
		if over := len(tail) - n; over > 0 {
			left += over
			tail = append(tail[:0], tail[over:]...)
		}
		if err == io.EOF {
			return tail, left, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// size is how many bytes came, controls not counted.
func (in input) size() int { return len(in.head) + in.left + len(in.tail) }

// text is what was kept, cut further so that it takes at most budget bytes on
// the wire, the sentence about the cut not counted.
func (in input) text(budget int, lang i18n.Lang) string {
	head, tail, left := in.head, in.tail, in.left
	if left == 0 {
		all := bytes.Join([][]byte{head, tail}, nil)
		if wireSize(all) <= budget {
			return valid(all)
		}
		head, tail = all, nil
	}
	h := within(head, budget/2)
	if in.left == 0 {
		tail = head[h:]
	} else {
		left += len(head) - h
	}
	skip := overflow(tail, budget/2)
	left += skip
	return valid(head[:h]) + "\n" + i18n.StdinCut.In(lang, left) + "\n" + valid(tail[skip:])
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// stdinBudget is what of a line is left for standard input beside a question,
// the working directory and the frame itself.
func stdinBudget(question string) int {
	return ipc.MaxLine - 64<<10 - wireSize([]byte(question))
}

// wireSize is at least how many bytes text takes in a JSON string.
func wireSize(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += runeSize(r)
		text = text[size:]
	}
	return n
}

// runeSize is how many bytes a character takes in a JSON string at most, as
// encoding/json writes it.
func runeSize(r rune) int {
	switch {
	case r == '\n', r == '\t', r == '"', r == '\\':
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == 0x7f:
		return 6
	}
	return max(utf8.RuneLen(r), 1)
}

// within is how long a beginning of text fits into n bytes on the wire.
func within(text []byte, n int) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if n -= runeSize(r); n < 0 {
			break
		}
		end += size
	}
	return end
}

// overflow is where the end of text begins that fits into n bytes on the wire.
func overflow(text []byte, n int) int {
	start := len(text)
	for start > 0 {
		r, size := utf8.DecodeLastRune(text[:start])
		if n -= runeSize(r); n < 0 {
			break
		}
		start -= size
	}
	return start
}
