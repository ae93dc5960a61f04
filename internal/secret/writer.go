package secret

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Writer redacts a stream. Its output equals that of [Redactor.Redact] for the whole text, however it is split
// into writes. It buffers an incomplete line, at most 16 KiB of it. It is not safe for concurrent use.
type Writer struct {
	to      io.Writer
	s       scanner
	pending []byte
	err     error

	live   bool // pass on the harmless beginning of an incomplete line
	passed int  // how much of held was passed on
}

// Writer returns a writer for redacted text. [Writer.Close] writes the buffered rest.
func (r *Redactor) Writer(to io.Writer) *Writer {
	return &Writer{to: to, s: scanner{Redactor: r}}
}

// LiveWriter returns a writer for live display. Of an incomplete line, it passes on the words at which no secret can
// begin. The complete output is the same.
func (r *Redactor) LiveWriter(to io.Writer) *Writer {
	w := r.Writer(to)
	w.live = true
	return w
}

// Write redacts text. After an error of the underlying writer it only returns that error.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(w.pending) > 0 && len(p) > 0 { // until the end of the buffered line
		end := bytes.IndexByte(p, '\n') + 1
		ended := end > 0
		if !ended {
			end = min(len(p), maxPiece)
		}
		w.pending, p = append(w.pending, p[:end]...), p[end:]
		if ended || len(w.pending) > maxPiece {
			w.pending = w.pending[:copy(w.pending, w.pending[w.writeLines(w.pending):])]
		}
	}
	if len(p) > 0 {
		w.pending = append(w.pending, p[w.writeLines(p):]...)
	}
	if w.live {
		w.passHarmless()
	}
	return n, w.err
}

// passHarmless passes on the beginning of an incomplete line, up to the last word after which enough text is
// known, unless it contains an anchor.
func (w *Writer) passHarmless() {
	if w.s.block.open || len(w.pending) > maxPiece/2 {
		return
	}
	line := unsafe.String(unsafe.SliceData(w.pending), len(w.pending))
	end := wordEnd(line[:max(len(line)-anchorLen+1, 0)])
	if end > w.passed && w.s.nextAnchor(line, max(w.passed-anchorLen+1, 0), end) < 0 {
		_, _ = errWriter{w}.WriteString(line[w.passed:end])
		w.passed = end
	}
}

// wordEnd returns the offset after the last blank or CJK character. A secret can only span one if an anchor
// precedes it.
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

// nextAnchor returns the first offset before end that triggers a rule, -1 for none.
func (r *Redactor) nextAnchor(line string, from, end int) int {
	for at := r.filter.next(line, from); at >= 0 && at < end; at = r.filter.next(line, at+1) {
		if len(r.rules[gramAt(line, at)]) > 0 || line[at] == '.' {
			return at
		}
	}
	return -1
}

// writeLines writes the whole lines of text, and pieces of a very long one, and returns the number of bytes written.
func (w *Writer) writeLines(text []byte) int {
	s := unsafe.String(unsafe.SliceData(text), len(text)) // copying all output would only create garbage
	end := bytes.LastIndexByte(text, '\n') + 1
	for len(s)-end > maxPiece {
		end = w.s.pieceAt(s, end)
	}
	w.write(s[:end])
	return end
}

func (w *Writer) write(text string) {
	if w.passed > 0 && text != "" {
		w.writeRest(text)
		return
	}
	out := errWriter{w}
	if w.err == nil && text != "" && w.s.scan(text, out) {
		_, _ = out.WriteString(text)
	}
}

// writeRest writes text whose beginning was already passed on.
func (w *Writer) writeRest(text string) {
	var clean strings.Builder
	if w.s.scan(text, &clean) {
		clean.WriteString(text)
	}
	rest, ok := strings.CutPrefix(clean.String(), text[:w.passed])
	if !ok { // should not happen, since no anchor was passed on: redact the rest separately
		rest = w.s.Redact(text[w.passed:])
	}
	w.passed = 0
	_, _ = errWriter{w}.WriteString(rest)
}

// errWriter writes to the underlying writer and stores its first error.
type errWriter struct{ *Writer }

func (t errWriter) WriteString(text string) (int, error) {
	if t.err == nil && text != "" {
		// A writer must neither modify nor retain the data (io.Writer).
		_, t.err = t.to.Write(unsafe.Slice(unsafe.StringData(text), len(text)))
	}
	return len(text), t.err
}

// Close writes the buffered text. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.write(string(w.pending))
	w.pending = nil
	return w.err
}
