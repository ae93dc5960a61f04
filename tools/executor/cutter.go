package executor

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// cutter is a writer that keeps the beginning and the end of a stream within a limit of bytes and lines, and
// reports how much it left out. It keeps the end because errors are usually there.
type cutter struct {
	maxBytes, maxLines int
	head               []byte
	tail               []byte // ring buffer of the last tailCap bytes
	next               int    // next write position in the ring
	total, lines       int
	gap                bool // something was left out before it was written here
}

func newCutter(maxBytes, maxLines int) *cutter {
	return &cutter{maxBytes: maxBytes, maxLines: maxLines}
}

func (c *cutter) headCap() int { return c.maxBytes * 3 / 4 }
func (c *cutter) tailCap() int { return c.maxBytes - c.headCap() }

// Write keeps what fits and never fails, so that the program never gets a write error.
func (c *cutter) Write(p []byte) (int, error) {
	c.total += len(p)
	c.lines += bytes.Count(p, []byte{'\n'})
	n := len(p)
	if room := c.headCap() - len(c.head); room > 0 && !c.gap {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	if over := len(p) - c.tailCap(); over > 0 {
		p = p[over:]
	}
	for len(p) > 0 {
		if len(c.tail) < c.tailCap() {
			take := min(c.tailCap()-len(c.tail), len(p))
			c.tail = append(c.tail, p[:take]...)
			p = p[take:]
			continue
		}
		k := copy(c.tail[c.next:], p)
		c.next = (c.next + k) % len(c.tail)
		p = p[k:]
	}
	return n, nil
}

// skip counts the part of a stream that was left out between its head, already written, and its tail, written next.
func (c *cutter) skip(s record.Stream) {
	c.gap = true
	c.total += int(s.Bytes) - len(s.Head) - len(s.Tail)
	c.lines += int(s.Lines) - bytes.Count(s.Head, []byte{'\n'}) - bytes.Count(s.Tail, []byte{'\n'})
}

// isCut reports whether something was left out.
func (c *cutter) isCut() bool { return c.total > c.maxBytes || c.lines > c.maxLines || c.gap }

// String returns the text as valid UTF-8, cut between characters, with a line at the cut that reports how much
// is missing. It replaces invalid bytes by "?", which is never longer.
func (c *cutter) String() string {
	head := string(c.head)
	tail := string(c.tail[c.next:]) + string(c.tail[:c.next])
	if !c.isCut() {
		return strings.ToValidUTF8(head+tail, "?")
	}
	if c.total > c.maxBytes || c.gap {
		head, tail = trimEnd(head), trimStart(tail)
	} else { // only too many lines: head and tail together are the complete text
		head, tail = head+tail, head+tail
	}
	headLines := c.maxLines * 3 / 4
	head, tail = firstLines(head, headLines), lastLines(tail, c.maxLines-headLines)
	left := c.total - len(head) - len(tail)
	lines := c.lines - strings.Count(head, "\n") - strings.Count(tail, "\n")
	mark := fmt.Sprintf("[… cut: %d bytes, %d lines left out …]\n", left, lines)
	if head != "" && !strings.HasSuffix(head, "\n") {
		mark = "\n" + mark
	}
	return strings.ToValidUTF8(head, "?") + mark + strings.ToValidUTF8(tail, "?")
}

// firstLines returns at most the first n lines of s with their newlines.
func firstLines(s string, n int) string {
	end := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			return s
		}
		end += i + 1
	}
	return s[:end]
}

// lastLines returns at most the last n lines of s.
func lastLines(s string, n int) string {
	start := len(s)
	for ; n > 0 && start > 0; n-- {
		start = strings.LastIndexByte(s[:start-1], '\n') + 1
	}
	return s[start:]
}

// trimEnd removes an incomplete character at the end.
func trimEnd(s string) string {
	for i := 1; i <= min(utf8.UTFMax, len(s)); i++ {
		if utf8.RuneStart(s[len(s)-i]) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			return s
		}
	}
	return s
}

// trimStart removes the rest of an incomplete character at the start.
func trimStart(s string) string {
	for i := range min(utf8.UTFMax, len(s)) {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	if len(s) < utf8.UTFMax {
		return "" // only the rest of a character
	}
	return s
}

// newResult returns the output of a command.
func newResult(stdout, stderr *cutter) Result {
	return Result{
		Stdout: stdout.String(), Stderr: stderr.String(),
		Cut: stdout.isCut() || stderr.isCut(), Bytes: stdout.total + stderr.total,
	}
}
