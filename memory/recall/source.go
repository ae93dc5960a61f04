package recall

import (
	"context"

	"github.com/nidoit/blunux-ai/memory"
)

// Source is a set of files that hold notes.
type Source interface {
	// Name tells the sources of one index apart, and stays the same.
	Name() string
	// Files lists the files there are, cheaply: it is asked before every answer.
	Files(ctx context.Context) ([]File, error)
	// Read returns the notes of a file behind a mark, or all of them where the
	// mark says nothing or the file is another. It fails with [fs.ErrNotExist]
	// when the file is gone.
	Read(ctx context.Context, f File, after Mark) (Piece, error)
	// Holds reports whether notes that a query wants may be in it.
	Holds(q memory.Query) bool
}

// File is one file of a source.
type File struct {
	Name string
	// Stamp changes whenever the file does; "" for a file that may change
	// unseen (it was written just now) and must be read.
	Stamp string
}

// Mark says how far a file has been read; only its source understands it.
type Mark string

// Piece is a part of a file.
type Piece struct {
	Notes []memory.Note
	Mark  Mark // behind it
	Anew  bool // the file's notes begin with it: those known before are no more
	More  bool // there are more behind it
	// Cut says that a part of the file is left out because it is too large.
	Cut bool
}
