package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// output is standard output: it remembers the first write that failed, so
// that an answer nobody could read is never a success. A reader that closed
// its end (head -1) ends the program silently, with SIGPIPE, before that.
type output struct {
	w   io.Writer
	err error
}

// Write writes to the stream below; after a failure it only repeats that.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.err = fmt.Errorf("cannot write to standard output: %w", err)
	}
	return n, o.err
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
