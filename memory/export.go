package memory

import (
	"context"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"
)

// exportLine is one line of an export: a whole file or a note.
type exportLine struct {
	File     string    `json:"file,omitempty"`
	Text     *string   `json:"text,omitempty"`
	Base64   []byte    `json:"base64,omitempty"` // instead of Text, for a file that is not UTF-8
	Modified time.Time `json:"modified,omitzero"`
}

// Export writes everything as JSON lines: first every whole file, {"file","text"}, then every note,
// {"key","content",…}. [Memory.Import] restores the files from it byte for byte. Files that cannot be read are
// left out and listed in the error.
func (m *Memory) Export(ctx context.Context, w io.Writer) error {
	var notes []Note
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	var failed error
	put := func(v any) {
		if failed == nil {
			failed = to.Encode(v)
		}
	}
	err := m.readEach(ctx, func(name string, c content) {
		line := exportLine{File: name, Modified: c.modified}
		if utf8.ValidString(c.text) {
			line.Text = &c.text
		} else {
			line.Base64 = []byte(c.text)
		}
		put(line)
		notes = append(notes, Split(name, c.text, c.modified)...)
	})
	for _, n := range notes {
		put(n)
	}
	if failed != nil {
		return failed
	}
	return err
}
