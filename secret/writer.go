package secret

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Writer takes secrets out of a stream. What it writes is what
// [Redactor.Redact] makes of the whole, however the stream was split: it holds
// back a line that has no end yet, at most 16 KiB of it. It is not safe for
// concurrent use.
type Writer struct {
	to   io.Writer
	s    scanner
	held []byte
	err  error

	early bool // of a line without an end, what can be no secret is passed on
	said  int  // how much of what is held was
}

// Writer returns a writer of the text without secrets. What is held back is
// written by [Writer.Close].
func (r *Redactor) Writer(to io.Writer) *Writer {
	return &Writer{to: to, s: scanner{Redactor: r}}
}

// Live returns a writer for somebody who reads along: of a line that has no end
// yet it passes on the words that no secret can begin at, whatever follows.
// What is written is the same in the end.
func (r *Redactor) Live(to io.Writer) *Writer {
	w := r.Writer(to)
	w.early = true
	return w
}

// Write takes text. After an error of the writer below it only repeats that.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(w.held) > 0 && len(p) > 0 { // until its line has ended
		end := bytes.IndexByte(p, '\n') + 1
		ended := end > 0
		if !ended {
			end = min(len(p), maxPiece)
		}
		w.held, p = append(w.held, p[:end]...), p[end:]
		if ended || len(w.held) > maxPiece {
			w.held = w.held[:copy(w.held, w.held[w.pass(w.held):])]
		}
	}
	if len(p) > 0 {
		w.held = append(w.held, p[w.pass(p):]...)
	}
	if w.early {
		w.sayHarmless()
	}
	return n, w.err
}

// sayHarmless passes on the beginning of a line that has no end yet, up to the
// last word behind which enough is known, as long as nothing in it calls for a
// rule.
func (w *Writer) sayHarmless() {
	if w.s.block.open || len(w.held) > maxPiece/2 {
		return
	}
	line := unsafe.String(unsafe.SliceData(w.held), len(w.held))
	end := wordEnd(line[:max(len(line)-anchorLen+1, 0)])
	if end > w.said && w.s.calls(line, max(w.said-anchorLen+1, 0), end) < 0 {
		_, _ = teller{w}.WriteString(line[w.said:end])
		w.said = end
	}
}

// wordEnd returns the offset behind the last blank or CJK character: no secret
// goes across one without something before it that calls for a rule.
func wordEnd(line string) int {
	for end := len(line); end > 0; {
		r, size := utf8.DecodeLastRuneInString(line[:end])
		if r == ' ' || r == '\t' || r >= 0x2e80 && r != utf8.RuneError {
			return end
		}
		end -= size
	}
	return 0
}

// calls returns the first offset before end that a rule looks at, -1 for none.
func (r *Redactor) calls(line string, from, end int) int {
	for at := r.filter.next(line, from); at >= 0 && at < end; at = r.filter.next(line, at+1) {
		if len(r.rules[gramAt(line, at)]) > 0 || line[at] == '.' {
			return at
		}
	}
	return -1
}

// pass writes the whole lines of text, and pieces of a very long one, and
// returns how much that was.
func (w *Writer) pass(text []byte) int {
	s := unsafe.String(unsafe.SliceData(text), len(text)) // a copy of all output would only make garbage
	end := bytes.LastIndexByte(text, '\n') + 1
	for len(s)-end > maxPiece {
		end = w.s.pieceAt(s, end)
	}
	w.write(s[:end])
	return end
}

func (w *Writer) write(text string) {
	if w.said > 0 && text != "" {
		w.writeRest(text)
		return
	}
	out := teller{w}
	if w.err == nil && text != "" && w.s.scan(text, out) {
		_, _ = out.WriteString(text)
	}
}

// writeRest writes text of which the beginning was said already.
func (w *Writer) writeRest(text string) {
	var clean strings.Builder
	if w.s.scan(text, &clean) {
		clean.WriteString(text)
	}
	rest, ok := strings.CutPrefix(clean.String(), text[:w.said])
	if !ok { // nothing that calls for a rule was said, so this is the safe side of what cannot be
		rest = w.s.Redact(text[w.said:])
	}
	w.said = 0
	_, _ = teller{w}.WriteString(rest)
}

// teller writes to the writer below and remembers its first error.
type teller struct{ *Writer }

func (t teller) WriteString(text string) (int, error) {
	if t.err == nil && text != "" {
		// A writer neither changes nor keeps what it is given (io.Writer).
		_, t.err = t.to.Write(unsafe.Slice(unsafe.StringData(text), len(text)))
	}
	return len(text), t.err
}

// Close writes what was held back. It does not close the writer below.
func (w *Writer) Close() error {
	w.write(string(w.held))
	w.held = nil
	return w.err
}
