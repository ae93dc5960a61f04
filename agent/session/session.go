// Package session stores conversations: one append-only JSON Lines file for each session, synced before an
// answer is confirmed.
//
// An [Entry] contains the message as the model saw it and a readable text. Entries are never rewritten: resets
// and summaries are entries too. [Store.Load] returns the latest summary and the messages after it, at most a
// window of messages, from the end of the file. Of the last few conversations it keeps that end parsed while the file
// is as it was read or written, so memory and time do not grow with the number or length of conversations. Several
// programs can write at the same time: every write is a single call under a file lock.
package session

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
)

// Type is the type of an entry.
type Type string

// The types. Reset, summary and torn are additions to the specification.
const (
	TypeUser    Type = "user"    // a user's message
	TypeThought Type = "thought" // the model's text
	TypeTool    Type = "tool"    // the model's tool calls, written before they run
	TypeResult  Type = "result"  // the result of one of them
	TypeError   Type = "error"   // a failed turn, with its explanation for the user
	TypeReset   Type = "reset"   // start of a new conversation
	TypeSummary Type = "summary" // summary of the entries before Metadata.Covers
	TypeTorn    Type = "torn"    // the line before was cut off by a crash
)

// Entry is one line of a conversation's file (Moonbot specification section 7.3: type, content, timestamp,
// metadata), with the message as the model saw it.
type Entry struct {
	Type Type `json:"type"`
	// Content is the text for people, at most 4 KiB for calls and results.
	Content   string             `json:"content"`
	Timestamp int64              `json:"timestamp"` // milliseconds since 1970, UTC
	Metadata  *Metadata          `json:"metadata,omitempty"`
	Message   *providers.Message `json:"message,omitempty"`
}

// Metadata has additional properties of an entry.
type Metadata struct {
	Task    string `json:"task,omitempty"`
	Channel string `json:"channel,omitempty"`
	Tool    string `json:"tool,omitempty"`    // name of the tool, or the names of several
	Call    string `json:"call,omitempty"`    // id of the call to which a result belongs
	Class   string `json:"class,omitempty"`   // the checker's verdict
	Exit    *int   `json:"exit,omitempty"`    // exit code of the last command
	Refusal string `json:"refusal,omitempty"` // reason why nothing ran
	// Ended is the reason why that command did not exit normally: timeout, missing or unknown. Program is then
	// the missing program, and Limit the time limit in seconds.
	Ended   string `json:"ended,omitempty"`
	Program string `json:"program,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	// Covers is the byte offset of the first entry that a summary does not cover.
	Covers int64 `json:"covers,omitempty"`
	// Untrusted reports that a message or summary contains text that others may have written.
	Untrusted bool `json:"untrusted,omitempty"`
	// Key is the session's key, in the first entry of a file whose name is cut.
	Key string `json:"key,omitempty"`
}

// NewEntry returns the entry of a message. The content of the message determines its type.
func NewEntry(m providers.Message, about *Metadata) Entry {
	return Entry{Type: typeOf(m), Content: contentOf(m), Metadata: about, Message: &m}
}

// NewFailure returns the entry of a turn without an answer. explanation is shown to the user. The model gets a
// placeholder answer.
func NewFailure(explanation string, about *Metadata) Entry {
	m := providers.AssistantText(unanswered)
	return Entry{Type: TypeError, Content: explanation, Metadata: about, Message: &m}
}

// unanswered replaces a missing answer, because strict servers reject two consecutive user messages.
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

// maxContent bounds the text of calls and results for people, in bytes. The message is complete.
const maxContent = 4 << 10

// contentOf returns a message's text for people.
func contentOf(m providers.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case providers.BlockText:
			parts = append(parts, b.Text)
		case providers.BlockToolUse:
			parts = append(parts, cut(b.Name+" "+string(b.Input), maxContent))
		case providers.BlockToolResult:
			parts = append(parts, cut(printedText(b), maxContent))
		}
	}
	return strings.Join(parts, "\n")
}

// printedText returns the output of a call's commands, or the result's text.
func printedText(b providers.Block) string {
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

// Store stores the conversations in one directory. It is safe for concurrent use, also by several programs.
type Store struct {
	dir     string
	window  int
	timeout time.Duration
	now     func() time.Time
	warn    func(key string, lines int)
	fence   func(tool, text string) string

	cache  tailCache
	onRead func(n int) // called before n bytes of a file's end are read, for tests; may be nil

	mu      sync.Mutex
	damaged []Damage

	redactor *secret.Redactor
	statedMu sync.Mutex
	stated   map[string][]string // passwords stated by users, by conversation
	// statedOrder lists the conversations of stated, the oldest first.
	statedOrder []string
}

// Options configures a [Store].
type Options struct {
	Dir string
	// Window is the maximum number of messages for a model, including the user's new message, default 50.
	Window int
	// Timeout is the pause after which the next message starts a new conversation, default one hour. The file
	// keeps everything.
	Timeout time.Duration
	Now     func() time.Time
	// Warn is called once for each conversation with unreadable lines. It may be nil.
	Warn func(key string, lines int)
	// Fence marks a tool's late output as data for the model. nil prefixes each line with "| ".
	Fence func(tool, text string) string
	// Redactor removes secrets before entries are stored, nil stores them unchanged.
	Redactor *secret.Redactor
}

// New returns a store. The first write creates its directory.
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

// AgentOf returns the agent of a session's key, or "" if it is not a key.
func AgentOf(key string) string {
	rest, ok := strings.CutPrefix(key, "agent:")
	agent, _, found := strings.Cut(rest, ":session:")
	if !ok || !found {
		return ""
	}
	return agent
}

// Damage is a conversation with unreadable lines.
type Damage struct {
	Key   string
	Lines int // number of unreadable lines found
}

// maxDamaged bounds the number of remembered damaged conversations.
const maxDamaged = 256

// Damaged returns the damaged conversations found so far, at most 256.
func (s *Store) Damaged() []Damage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged)
}

// recordDamage records a conversation's unreadable lines and warns once.
func (s *Store) recordDamage(key string, lines int) {
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

// forgetDamage removes the record of a deleted conversation.
func (s *Store) forgetDamage(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = slices.DeleteFunc(s.damaged, func(d Damage) bool { return d.Key == key })
}
