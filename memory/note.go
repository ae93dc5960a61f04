package memory

import (
	"context"
	"slices"
	"time"
)

// Category says what kind of thing a note is (RRClaw's MemoryCategory); any
// other word is a category of the person's own.
type Category string

// The categories that every installation has.
const (
	Core         Category = "core"         // USER.md, and MEMORY.md where it says nothing else
	Daily        Category = "daily"        // daily/YYYY-MM-DD.md
	Conversation Category = "conversation" // what was said in conversations
)

// Note is one thing that is remembered: an item of a list or a paragraph of one
// of the files, or a message of a conversation.
type Note struct {
	// Key names the note: what it was given, else made of its text.
	Key      string   `json:"key"`
	Text     string   `json:"content"`
	Category Category `json:"category"`
	// Heading are the headings the note stands under, the outermost first,
	// joined by " / ".
	Heading string `json:"heading,omitempty"`
	// Source is the file below the notes' directory, or the conversation's key;
	// Line counts its lines from 1.
	Source  string    `json:"source"`
	Line    int       `json:"line,omitempty"`
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at"`
}

// Hit is a note that was found.
type Hit struct {
	Note
	// Score says how well it answers the query, from 0 to 1.
	Score float64 `json:"relevance_score"`
}

// Query says what to look for.
type Query struct {
	Words string // as a person says them, in any language
	Limit int    // of hits, 1 to 200; 0 for 10
	// Categories to look in; none for all but [Conversation], and that one too
	// with Conversations.
	Categories    []Category
	Conversations bool
}

// Wants reports whether notes of a category are looked for.
func (q Query) Wants(c Category) bool {
	if len(q.Categories) > 0 {
		return slices.Contains(q.Categories, c)
	}
	return c != Conversation || q.Conversations
}

// Recaller finds notes by what they are about.
type Recaller interface {
	// Recall returns the best hits first; no hit is no error.
	Recall(ctx context.Context, q Query) ([]Hit, error)
}

// Change is what was done to a file, for the person to see.
type Change struct {
	File    string   `json:"file"`
	Added   []string `json:"added,omitempty"` // lines
	Removed []string `json:"removed,omitempty"`
	Note    Note     `json:"note,omitzero"` // that was stored or removed
	// Also are the other files that a forgotten note went from, Still those of the
	// notes that hold it and cannot be changed.
	Also  []FileLines `json:"also,omitempty"`
	Still []string    `json:"still,omitempty"`
}

// FileLines is how many lines of a file went.
type FileLines struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
}
