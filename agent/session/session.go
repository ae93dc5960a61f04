// Package session keeps conversations: one append-only JSON-lines file a
// session, synced before anybody is told that a message was answered.
//
// A line is an [Entry] (Moonbot specification section 7.3: type, content,
// timestamp, metadata) with the message itself as the model saw it. Nothing is
// ever rewritten: a reset is an entry, and so is a summary of what came before.
// A model is shown the latest summary and what follows it, at most a window of
// messages; that is read from the end of the file, within a bound, and nothing
// is kept in memory, so neither memory nor time grow with the number or the
// length of conversations. Several programs may write at once: every write is
// one call under a lock of the file.
package session

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/secret"
)

// Type says what an entry is.
type Type string

// The types. The last three are additions to the specification.
const (
	TypeUser    Type = "user"    // a person's words
	TypeThought Type = "thought" // the model's words
	TypeTool    Type = "tool"    // the model's tool calls, written before they run
	TypeResult  Type = "result"  // what one of them brought
	TypeError   Type = "error"   // a turn that failed, as the person was told
	TypeReset   Type = "reset"   // the conversation starts anew
	TypeSummary Type = "summary" // what came before Metadata.Covers, in short
	TypeTorn    Type = "torn"    // the line before was cut off when the machine died
)

// Entry is one line of a conversation's file.
type Entry struct {
	Type Type `json:"type"`
	// Content is what a person reads of it; of calls and results at most 4 KiB.
	Content   string             `json:"content"`
	Timestamp int64              `json:"timestamp"` // milliseconds since 1970, UTC
	Metadata  *Metadata          `json:"metadata,omitempty"`
	Message   *providers.Message `json:"message,omitempty"`
}

// Metadata is what is known of an entry besides its words.
type Metadata struct {
	Task    string `json:"task,omitempty"`
	Channel string `json:"channel,omitempty"`
	Tool    string `json:"tool,omitempty"`    // name of the tool, of several calls all
	Call    string `json:"call,omitempty"`    // id of the call a result is of
	Class   string `json:"class,omitempty"`   // the checker's verdict on it
	Exit    *int   `json:"exit,omitempty"`    // of the last command it ran
	Refusal string `json:"refusal,omitempty"` // why nothing ran
	// Ended is why that command did not come to its own end: timeout, missing or
	// unknown. Program is then the one that is not installed, Limit the seconds it
	// was given.
	Ended   string `json:"ended,omitempty"`
	Program string `json:"program,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	// Covers is the byte offset of the first entry a summary does not cover.
	Covers int64 `json:"covers,omitempty"`
	// Untrusted reports that words carry, or a summary is made of, text that
	// others may have written.
	Untrusted bool `json:"untrusted,omitempty"`
	// Key is the session's, in the first entry of a file whose name could not
	// hold all of it.
	Key string `json:"key,omitempty"`
}

// Said returns the entry of a message: its type follows from what it holds.
func Said(m providers.Message, about *Metadata) Entry {
	return Entry{Type: typeOf(m), Content: contentOf(m), Metadata: about, Message: &m}
}

// Failed returns the entry of a turn that ended without an answer: told is what
// the person reads of it; the model reads that there was no answer.
func Failed(told string, about *Metadata) Entry {
	m := providers.AssistantText(unanswered)
	return Entry{Type: TypeError, Content: told, Metadata: about, Message: &m}
}

// unanswered stands where an answer should: the next question must follow the
// assistant's words, or strict servers refuse it.
const unanswered = "[this question was left without an answer]"

func typeOf(m providers.Message) Type {
	for _, b := range m.Content {
		switch b.Type {
		case providers.BlockToolUse:
			return TypeTool
		case providers.BlockToolResult:
			return TypeResult
		}
	}
	if m.Role == providers.RoleUser {
		return TypeUser
	}
	return TypeThought
}

// maxContent bounds what is repeated of calls and results for people, in bytes;
// the message has all of it.
const maxContent = 4 << 10

// contentOf is a message as a person reads it.
func contentOf(m providers.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case providers.BlockText:
			parts = append(parts, b.Text)
		case providers.BlockToolUse:
			parts = append(parts, cut(b.Name+" "+string(b.Input), maxContent))
		case providers.BlockToolResult:
			parts = append(parts, cut(printed(b), maxContent))
		}
	}
	return strings.Join(parts, "\n")
}

// printed is what a call's commands printed, or what the model reads of it.
func printed(b providers.Block) string {
	if b.Output == nil || len(b.Output.Steps) == 0 {
		return b.Content
	}
	var out strings.Builder
	for _, s := range b.Output.Steps {
		out.WriteString(s.Stdout + s.Stderr)
	}
	return strings.TrimRight(out.String(), "\n")
}

// cut returns s, or its first n bytes and "…".
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Store keeps the conversations of one directory. It is safe for concurrent
// use, by several programs too.
type Store struct {
	dir     string
	window  int
	timeout time.Duration
	now     func() time.Time
	warn    func(key string, lines int)
	fence   func(tool, text string) string

	mu      sync.Mutex
	damaged []Damage

	redactor *secret.Redactor
	telling  sync.Mutex
	told     map[string][]string // what persons told as passwords, by conversation
}

// Options makes a [Store].
type Options struct {
	Dir string
	// Window is how many messages a model is shown at most, the person's new
	// words among them; default 50.
	Window int
	// Timeout is how long a conversation may pause before the next message
	// starts it anew, default one hour. The file keeps everything.
	Timeout time.Duration
	Now     func() time.Time
	// Warn is told once of each conversation that holds lines nobody can read;
	// may be nil.
	Warn func(key string, lines int)
	// Fence marks a tool's late output as data for the model; nil marks each
	// of its lines.
	Fence func(tool, text string) string
	// Redactor takes secrets out of what is kept; nil keeps everything as it is.
	Redactor *secret.Redactor
}

// New returns a store; its directory is made when first written.
func New(o Options) *Store {
	if o.Window == 0 {
		o.Window = 50
	}
	if o.Timeout == 0 {
		o.Timeout = time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string, int) {}
	}
	if o.Fence == nil {
		o.Fence = func(_, text string) string { return "| " + strings.ReplaceAll(text, "\n", "\n| ") }
	}
	return &Store{dir: o.Dir, window: o.Window, timeout: o.Timeout, now: o.Now, warn: o.Warn, fence: o.Fence, redactor: o.Redactor}
}

// Key returns the key of a channel's session: agent:<id>:session:<name>
// (Moonbot specification section 7.2).
func Key(agent, channel, name string) string {
	return "agent:" + agent + ":session:" + channel + "/" + name
}

// Damage is a conversation with lines that cannot be read.
type Damage struct {
	Key   string
	Lines int // how many were seen
}

// maxDamaged bounds how many damaged conversations are remembered.
const maxDamaged = 256

// Damaged returns the damaged conversations that were come across, at most 256.
func (s *Store) Damaged() []Damage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged)
}

// found remembers a conversation's unreadable lines, and warns of it once.
func (s *Store) found(key string, lines int) {
	s.mu.Lock()
	i := slices.IndexFunc(s.damaged, func(d Damage) bool { return d.Key == key })
	known := i >= 0
	switch {
	case known:
		s.damaged[i].Lines = max(s.damaged[i].Lines, lines)
	case lines > 0 && len(s.damaged) < maxDamaged:
		s.damaged = append(s.damaged, Damage{key, lines})
	default:
		known = true
	}
	s.mu.Unlock()
	if !known {
		s.warn(key, lines)
	}
}

// forget drops what is remembered of a conversation that is no more.
func (s *Store) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = slices.DeleteFunc(s.damaged, func(d Damage) bool { return d.Key == key })
}
