package secret

import (
	"bytes"
	"io"
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
}

// Writer returns a writer of the text without secrets. What is held back is
// written by [Writer.Close].
func (r *Redactor) Writer(to io.Writer) *Writer {
	return &Writer{to: to, s: scanner{Redactor: r}}
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
	return n, w.err
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
	out := teller{w}
	if w.err == nil && text != "" && w.s.scan(text, out) {
		_, _ = out.WriteString(text)
	}
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
