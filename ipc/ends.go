package ipc

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// maxEnds bounds what [ReadEnds] keeps, in bytes.
const maxEnds = 256 << 10

// Ends are what is kept of a text that goes with a question: its beginning and
// its end, and how many bytes between them were not kept.
type Ends struct {
	Head, Tail []byte
	Left       int
}

// ReadEnds reads r to its end and keeps at most 256 KiB of it, half of it from the
// beginning. Its errors are the reader's.
func ReadEnds(r io.Reader) (Ends, error) {
	head, err := io.ReadAll(io.LimitReader(r, maxEnds/2))
	if err != nil {
		return Ends{}, err
	}
	tail, left, err := readTail(r, maxEnds/2)
	if err != nil {
		return Ends{}, err
	}
	return Ends{head, tail, left}, nil
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

// Size is how many bytes came.
func (e Ends) Size() int { return len(e.Head) + e.Left + len(e.Tail) }

// Text is what was kept, cut further so that it takes at most budget bytes on the
// wire, the sentence about the cut not counted, which cut makes of the number of
// bytes that were left out.
func (e Ends) Text(budget int, cut func(left int) string) string {
	head, tail, left := e.Head, e.Tail, e.Left
	if left == 0 {
		all := bytes.Join([][]byte{head, tail}, nil)
		if WireSize(all) <= budget {
			return valid(all)
		}
		head, tail = all, nil
	}
	h := within(head, budget/2)
	if e.Left == 0 {
		tail = head[h:]
	} else {
		left += len(head) - h
	}
	skip := overflow(tail, budget/2)
	left += skip
	return valid(head[:h]) + "\n" + cut(left) + "\n" + valid(tail[skip:])
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// StdinBudget is what of a line is left, in bytes, for the text that goes with a
// question beside the question, the working directory and the frame itself.
func StdinBudget(question string) int {
	return MaxLine - 64<<10 - WireSize([]byte(question))
}

// WireSize is at least how many bytes text takes in a JSON string.
func WireSize(text []byte) int {
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
