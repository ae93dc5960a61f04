// Package protocol is what the daemon and the index program (cmd/blunux-ai-index) say to each other over internal/peer.
// The daemon opens an index once and then searches and updates it. The program asks the daemon for vectors, because only
// the daemon has a network, keys and the redactor.
package protocol

import "github.com/nidoit/blunux-ai/memory"

// Version is the version of these messages. A program refuses another one, which a daemon has that was not restarted
// after an update.
const Version = 1

// MaxLine bounds a message, in bytes: 200 hits of 16 KiB with escapes.
const MaxLine = 32 << 20

// Methods of the index program, with their parameters and results.
const (
	MethodOpen   = "open"   // [Opening]
	MethodSearch = "search" // [Search] → [][memory.Hit]
	MethodUpdate = "update" // [Update]
)

// MethodEmbed is the daemon's method: it returns a vector for each text, []string → [][]float32.
const MethodEmbed = "embed"

// NoticeWarning is the program's notice of a problem, a [Warning].
const NoticeWarning = "warning"

// CodeVersion is the error of an [Opening] with another version.
const CodeVersion = "version"

// Opening is the first request. It decides what the program reads and writes.
type Opening struct {
	Version       int    `json:"version"`
	File          string `json:"file"`            // the index
	Notes         string `json:"notes"`           // directory
	Conversations string `json:"conversations"`   // directory
	Names         string `json:"names,omitempty"` // the person's own table of program names
	Model         string `json:"model,omitempty"` // of vectors, "" for a search without them
}

// Search is a query.
type Search struct {
	Words         string            `json:"words"`
	Limit         int               `json:"limit,omitempty"`
	Categories    []memory.Category `json:"categories,omitempty"`
	Conversations bool              `json:"conversations,omitempty"`
	// Current brings the index up to date first, however long that takes.
	Current bool `json:"current,omitempty"`
}

// Update brings the index up to date with the files that were written, and makes missing vectors.
type Update struct {
	Notes         []string `json:"notes,omitempty"`         // files below the notes' directory
	Conversations []string `json:"conversations,omitempty"` // session keys
	// All compares all files. Purge does too, and removes every trace of deleted notes.
	All   bool `json:"all,omitempty"`
	Purge bool `json:"purge,omitempty"`
}

// Warning is a problem: that of a recall.Warning, or index-behind.
type Warning struct {
	Code  string `json:"code"`
	File  string `json:"file,omitempty"`
	Error string `json:"error,omitempty"`
}
