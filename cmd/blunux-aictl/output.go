package main

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/ipc"
)

// output is standard output: it remembers the first write that failed, so
// that an answer nobody could read is never a success. A reader that closed
// its end (head -1) ends the program silently, with SIGPIPE, before that.
//
// It is also the last thing before a terminal: a character that a terminal
// would act on is written as JSON does (\u009b), which is the same value in
// the JSON that is printed here and a visible oddity in text that should have
// been cleaned before.
type output struct {
	w   io.Writer
	err error
}

// outputError is why standard output could not be written to.
type outputError struct{ error }

// Unwrap returns what the system said.
func (e outputError) Unwrap() error { return e.error }

// Write writes to the stream below; after a failure it only repeats that.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if _, err := o.w.Write(printableJSON(p)); err != nil {
		o.err = outputError{err}
		return 0, o.err
	}
	return len(p), nil
}

// printableJSON writes what does not print, but newline and tab, as \uXXXX
// (RFC 8259, section 7), and a byte that is not UTF-8 as the replacement
// character.
func printableJSON(p []byte) []byte {
	var out []byte // nil until something had to be changed
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		as := p[i : i+size]
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && ipc.Unprintable(r) {
			if out == nil {
				out = append(make([]byte, 0, len(p)+16), p[:i]...)
			}
			as = escapeJSON(r)
		}
		if out != nil {
			out = append(out, as...)
		}
		i += size
	}
	if out == nil {
		return p
	}
	return out
}

func escapeJSON(r rune) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
