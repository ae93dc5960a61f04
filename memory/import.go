package memory

import (
	"context"
	"io"
)

// Imported says what became of what was imported, in notes.
type Imported struct {
	Added    int       `json:"added"`
	Replaced int       `json:"replaced"` // an older note of the same key
	Same     int       `json:"same"`     // there already
	Refused  []Refusal `json:"refused,omitempty"`
}

// Refusal is a line that was not taken.
type Refusal struct {
	Line int    `json:"line"` // of what was imported, from 1
	Why  string `json:"why"`
}

// Import is to be written.
func (m *Memory) Import(ctx context.Context, r io.Reader) (Imported, error) {
	return Imported{}, nil
}
