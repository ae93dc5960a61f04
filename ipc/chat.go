package ipc

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// ChatText returns an answer as a chat shows it: without characters that change how others are displayed, and with
// a quote mark before each line that could pass for a part of an approval. Such a line begins with a box-drawing
// character, like the command of an approval, or contains one of the phrases of approvals.
func ChatText(body string, phrases []string) string {
	var b strings.Builder
	signs := strings.NewReplacer(ApprovalSign, "|", ApprovalEnd, "+")
	for line := range strings.Lines(Clean(body)) {
		if looksLikeApproval(line, phrases) {
			b.WriteString("> ")
		}
		b.WriteString(signs.Replace(line))
	}
	return b.String()
}

func looksLikeApproval(line string, phrases []string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
	if first >= 0x2500 && first <= 0x259f || first >= 0x2758 && first <= 0x275a || first == 0xffe8 {
		return true
	}
	for _, phrase := range phrases {
		if strings.Contains(line, phrase) {
			return true
		}
	}
	return false
}

// maxExcerpt bounds the text that [ReadExcerpt] keeps, in bytes.
const maxExcerpt = 256 << 10

// Excerpt is a long text reduced to its beginning and end. Left is how many bytes between them were dropped.
type Excerpt struct {
	Head, Tail []byte
	Omitted    int
}

// ReadExcerpt reads r to its end and keeps at most 256 KiB, half of it from the beginning. Its errors are the reader's.
func ReadExcerpt(r io.Reader) (Excerpt, error) {
	head, err := io.ReadAll(io.LimitReader(r, maxExcerpt/2))
	if err != nil {
		return Excerpt{}, err
	}
	tail, left, err := readTail(r, maxExcerpt/2)
	if err != nil {
		return Excerpt{}, err
	}
	return Excerpt{head, tail, left}, nil
}

// readTail reads r to its end and returns its last n bytes and how many bytes came before them.
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

// Size returns the length of the whole text, in bytes.
func (e Excerpt) Size() int { return len(e.Head) + e.Omitted + len(e.Tail) }

// Text returns the kept text, cut further so that it takes at most budget bytes on the wire. cut returns the
// sentence about the dropped bytes, which does not count against the budget.
func (e Excerpt) Text(budget int, cut func(left int) string) string {
	head, tail, left := e.Head, e.Tail, e.Omitted
	if left == 0 {
		all := bytes.Join([][]byte{head, tail}, nil)
		if WireSize(all) <= budget {
			return validUTF8(all)
		}
		head, tail = all, nil
	}
	h := prefixLength(head, budget/2)
	if e.Omitted == 0 {
		tail = head[h:]
	} else {
		left += len(head) - h
	}
	skip := suffixStart(tail, budget/2)
	left += skip
	return validUTF8(head[:h]) + "\n" + cut(left) + "\n" + validUTF8(tail[skip:])
}

func validUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// StdinBudget returns how many bytes of a line remain for piped text next to the question, the working directory
// and the frame.
func StdinBudget(question string) int {
	return MaxLine - 64<<10 - WireSize([]byte(question))
}

// WireSize returns an upper bound for the bytes that text takes in a JSON string.
func WireSize(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += runeSize(r)
		text = text[size:]
	}
	return n
}

// runeSize returns the maximum number of bytes of a character in a JSON string of encoding/json.
func runeSize(r rune) int {
	switch {
	case r == '\n', r == '\t', r == '"', r == '\\':
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == 0x7f:
		return 6
	}
	return max(utf8.RuneLen(r), 1)
}

// prefixLength returns the length of the longest beginning of text that fits into n bytes on the wire.
func prefixLength(text []byte, n int) int {
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

// suffixStart returns the start of the longest end of text that fits into n bytes on the wire.
func suffixStart(text []byte, n int) int {
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
