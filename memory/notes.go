package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Notes returns all notes: SYSTEM.md, USER.md, MEMORY.md, then the days, the oldest first. If files cannot be
// read, it returns the notes of the others and an error that lists the unreadable ones.
func (m *Memory) Notes(ctx context.Context) ([]Note, error) {
	var all []Note
	err := m.readEach(ctx, func(name string, c content) {
		all = append(all, Split(name, c.text, c.modified)...)
	})
	return all, err
}

// readEach reads all existing files. If a file cannot be read completely, readEach passes on the readable part and
// continues.
func (m *Memory) readEach(ctx context.Context, read func(name string, c content)) error {
	names, err := m.names(ctx)
	faults := []error{err}
	for _, name := range names {
		if ctx.Err() != nil {
			return errors.Join(append(faults, ctx.Err())...)
		}
		c, err := m.readWhole(name)
		faults = append(faults, err)
		if c.file != nil {
			read(name, c)
		}
	}
	return errors.Join(faults...)
}

// File is one file of the notes, for display to a person.
type File struct {
	Name     string    `json:"name"` // below the notes' directory
	Path     string    `json:"path"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified,omitzero"`
	Text     string    `json:"text"`          // valid UTF-8
	Cut      bool      `json:"cut,omitempty"` // the text is its last 64 KiB
	// Problem is why the file cannot be used, with a command that helps.
	Problem string `json:"problem,omitempty"`
	Err     error  `json:"-"` // same as Problem, for callers that translate it
}

// maxShown bounds the text of a [File], in bytes.
const maxShown = 64 << 10

// Files returns the existing files, including unreadable ones. The error lists their problems.
func (m *Memory) Files(ctx context.Context) ([]File, error) {
	names, err := m.names(ctx)
	faults := []error{err}
	var files []File
	for _, name := range names {
		f, there := m.displayFile(name)
		faults = append(faults, f.Err)
		if there {
			files = append(files, f)
		}
	}
	return files, errors.Join(faults...)
}

func (m *Memory) displayFile(name string) (File, bool) {
	f := File{Name: name, Path: m.path(name)}
	fi, err := os.Lstat(f.Path)
	if os.IsNotExist(err) {
		return f, false
	}
	if err == nil {
		f.Size, f.Modified = fi.Size(), fi.ModTime()
		f.Text, f.Cut, err = m.readTail(name, maxShown)
	}
	if err != nil {
		f.Err = fault("read", f.Path, name, err)
		f.Problem = f.Err.Error()
	}
	return f, true
}

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

// Everything as a query finds all that was stored on purpose, the latest first.
const Everything = "*"

// Query describes a search for notes.
type Query struct {
	Words string // in a person's words, in any language, or [Everything]
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

// hashKey returns the key for a note without one: a short hash of its text, independent of the note's place.
func hashKey(n Note) string {
	text := norm.NFC.String(n.Text)
	if n.Category == Daily {
		text = n.Created.Format("2006-01-02 15:04 ") + text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// maxKey bounds a key, in bytes.
const maxKey = 64

// Slug converts a name to a key: its letters and digits of any script in lower case, with a hyphen for anything
// between them, at most 64 bytes. It is empty for a name without letters and digits.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(name)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > maxKey+utf8.UTFMax {
			break
		}
	}
	return strings.Trim(truncate(b.String(), maxKey), "-")
}

// NoteCounts is the number of notes, in total and by category.
type NoteCounts struct {
	Notes      int             `json:"notes"`
	Categories []CategoryCount `json:"categories"` // core and daily first
	// Problems describe files that could not be counted, with a command that helps.
	Problems []string `json:"problems,omitempty"`
}

// CategoryCount is the number of notes of one category.
type CategoryCount struct {
	Category Category `json:"category"`
	Notes    int      `json:"notes"`
}

// Count returns the number of notes, without those of SYSTEM.md, which the program writes. If files cannot be
// read, it counts the others and returns an error that lists the unreadable ones.
func (m *Memory) Count(ctx context.Context) (NoteCounts, error) {
	notes, err := m.Notes(ctx)
	by := map[Category]int{Core: 0, Daily: 0}
	all := 0
	for _, n := range notes {
		if n.Source != systemFile {
			by[n.Category]++
			all++
		}
	}
	counted := NoteCounts{Notes: all, Categories: []CategoryCount{}}
	for c, n := range by {
		counted.Categories = append(counted.Categories, CategoryCount{c, n})
	}
	first := []Category{Daily, Core} // in reverse: these two come first
	sorting.By(counted.Categories, func(a, b CategoryCount) int {
		return cmp.Or(slices.Index(first, b.Category)-slices.Index(first, a.Category), cmp.Compare(a.Category, b.Category))
	})
	return counted, err
}
