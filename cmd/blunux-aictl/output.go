package main

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/spf13/cobra"
)

// output is standard output. It keeps the first write error, so that the program does not report success for an
// answer that was not written. If a reader closes the pipe early (head -1), SIGPIPE ends the program silently
// before that.
//
// It also escapes control characters as JSON does (\u009b), as the last protection of the terminal. In JSON
// that is the same value. In text, which is cleaned before, such an escape shows a mistake of ours.
type output struct {
	w   io.Writer
	err error
}

// outputError is an error of writing to standard output.
type outputError struct{ error }

// Unwrap returns the system's error.
func (e outputError) Unwrap() error { return e.error }

// Write writes to the underlying stream. After a failure it returns the same error again.
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

// printableJSON escapes unprintable characters except newline and tab as \uXXXX (RFC 8259, section 7), and
// replaces invalid UTF-8 with the replacement character.
func printableJSON(p []byte) []byte {
	var out []byte // nil until something has to be changed
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

func (a *app) jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, i18n.FlagJson.In(a.lang))
}
