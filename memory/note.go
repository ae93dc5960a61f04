package memory

import (
	"context"
	"slices"
	"time"
)

// Category is the kind of a note (RRClaw's MemoryCategory). Words other than the constants are categories that a
// person made up.
type Category string

// The categories that every installation has.
const (
	Core         Category = "core"         // USER.md, and MEMORY.md without another category
	Daily        Category = "daily"        // daily/YYYY-MM-DD.md
	Conversation Category = "conversation" // messages of conversations
)

// Note is one remembered item: a list item or a paragraph of a file, or a message of a conversation.
type Note struct {
	// Key names the note. If the note has no key, one is made from its text.
	Key      string   `json:"key"`
	Text     string   `json:"content"`
	Category Category `json:"category"`
	// Heading is the path of headings above the note, the outermost first, joined by " / ".
	Heading string `json:"heading,omitempty"`
	// Source is the file below the notes' directory, or the conversation's key. Line counts its lines from 1.
	Source  string    `json:"source"`
	Line    int       `json:"line,omitempty"`
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at"`
}

// Hit is a note that was found.
type Hit struct {
	Note
	// Score is how well the note answers the query, from 0 to 1.
	Score float64 `json:"relevance_score"`
}

// Query describes a search for notes.
type Query struct {
	Words string // in a person's words, in any language
	Limit int    // of hits, 1 to 200; 0 for 10
	// Categories restricts the search. If empty, all categories but [Conversation] are searched, and that one too
	// with Conversations.
	Categories    []Category
	Conversations bool
}

// Includes reports whether the query searches a category.
func (q Query) Includes(c Category) bool {
	if len(q.Categories) > 0 {
		return slices.Contains(q.Categories, c)
	}
	return c != Conversation || q.Conversations
}

// Recaller finds notes by their meaning.
type Recaller interface {
	// Recall returns the best hits first. No hit is not an error.
	Recall(ctx context.Context, q Query) ([]Hit, error)
}

// Change is a change to a file, for display to the person.
type Change struct {
	File    string   `json:"file"`
	Added   []string `json:"added,omitempty"` // lines
	Removed []string `json:"removed,omitempty"`
	Note    Note     `json:"note,omitzero"` // the note that was stored or removed
	// Also lists the other files from which a forgotten note was removed. Still lists files that contain it and
	// cannot be changed.
	Also  []FileLines `json:"also,omitempty"`
	Still []string    `json:"still,omitempty"`
}

// FileLines is the number of lines removed from a file.
type FileLines struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
}
