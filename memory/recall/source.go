package recall

import (
	"context"

	"github.com/nidoit/blunux-ai/memory"
)

// Source is a set of files with notes.
type Source interface {
	// Name identifies the source in the index and never changes.
	Name() string
	// Files lists the existing files. It must be cheap, because it is called before every answer.
	Files(ctx context.Context) ([]File, error)
	// Read returns the notes of a file after a mark, or all notes if the mark is empty or the file has changed
	// otherwise. It fails with [fs.ErrNotExist] if the file no longer exists.
	Read(ctx context.Context, f File, after Mark) (Piece, error)
	// Holds reports whether the source can contain notes for a query.
	Holds(q memory.Query) bool
}

// File is one file of a source.
type File struct {
	Name string
	// Stamp changes whenever the file changes. It is "" for a file that was written just now, which could change
	// again with the same stamp and must be read.
	Stamp string
}

// Mark is how far a file has been read, in a format known only to its source.
type Mark string

// Piece is a part of a file.
type Piece struct {
	Notes    []memory.Note
	Mark     Mark // position after the piece
	Replaces bool // the piece replaces all earlier notes of the file
	More     bool // more follows
	// Cut reports that a part of the file is left out because it is too large.
	Cut bool
}
