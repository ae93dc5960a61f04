// Package task stores what the daemon was asked to do, from the moment it is accepted until its answer was
// delivered. After any crash the next daemon finds every message and its progress.
//
// A task is one message (Moonbot specification section 9). Its record is synced before it is queued, its end and
// answer are synced before the answer is sent, and the delivery is recorded after that. After a crash a task is
// therefore in one of three states: not ended, so the daemon retries or reports it (the command log says whether
// anything ran); ended with an answer that may not have been delivered, which is sent as a notification; or over.
package task

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Record is a task.
type Record struct {
	ID      string `json:"id"`
	State   State  `json:"state"`
	Channel string `json:"channel"`
	// Session is the key of the conversation, Name the session's name in its channel. For an original peer it is
	// the sender.
	Session string `json:"session"`
	Name    string `json:"name"`
	Text    string `json:"text,omitempty"` // the person's words
	// Request holds the data that came with the words, unchanged.
	Request json.RawMessage `json:"request,omitempty"`
	Lang    string          `json:"lang,omitempty"`
	// MessageID is the channel's own id of the message, if it has one. Messages with the same id become one task.
	MessageID string `json:"letter,omitempty"`
	// Files came with the words.
	Files   []File    `json:"files,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Unsaved reports a task that is not on disk.
	Unsaved bool `json:"-"`
	// Attempts is how often it was started.
	Attempts int `json:"attempts,omitempty"`
	// LogFrom is the size of the audit trail, in bytes, when the task was accepted. Its commands come after that.
	LogFrom int64 `json:"log_from"`
	// Rule is the automation that started it ("" for a person), Run the id of that run in the automation ledger.
	// Argvs are commands to run instead of a turn.
	Rule  string     `json:"rule,omitempty"`
	Run   string     `json:"run,omitempty"`
	Argvs [][]string `json:"argvs,omitempty"`
	// Urgent reports that the answer is sent in quiet hours too.
	Urgent bool `json:"urgent,omitempty"`
	// Late is the id of the task whose plan, approved after its end, this task carries out. Its Text is then the plan's
	// command instead of a person's words. It is "" for other tasks.
	Late string `json:"late,omitempty"`
	// Approval is the code of the approval that a PAUSED task waits for.
	Approval string `json:"approval,omitempty"`
	// Answer is the text for the person at the end.
	Answer string `json:"answer,omitempty"`
	// Delivered reports that the answer was delivered, or that none is needed.
	Delivered bool `json:"told,omitempty"`
	// Update is what its conversation still lacks after the end, nil if nothing.
	Update *ConversationUpdate `json:"unsaid,omitempty"`
	Error  *Failure            `json:"error,omitempty"`
	// Tokens, Rounds and Commands count what the task used.
	Tokens   int `json:"tokens,omitempty"`
	Rounds   int `json:"rounds,omitempty"`
	Commands int `json:"commands,omitempty"`
}

// File is a file that came with a message: its name as the sender gave it, and its path below the channel's folder
// or the reason why it is missing.
type File struct {
	Name    string `json:"name,omitempty"`
	Spool   string `json:"spool,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// ConversationUpdate is added to a conversation once none of its turns runs: the results of tool calls by their ids, and the
// words that end them.
type ConversationUpdate struct {
	Results map[string]string `json:"results,omitempty"`
	Text    string            `json:"text"` // for the person
	// Printed is the output of the tool's commands, for the model. Brief is the text without it.
	Tool    string `json:"tool,omitempty"`
	Printed string `json:"printed,omitempty"`
	Brief   string `json:"brief,omitempty"`
}

// Failure is the reason why a task has no answer. Only UserMessage leaves the machine.
type Failure struct {
	Code            string `json:"code"`
	UserMessage     string `json:"userMessage"`
	InternalMessage string `json:"internalMessage,omitempty"`
}

// brief returns the short form of a record that is over.
func (r Record) brief() Record {
	r.Text = excerpt(r.Text)
	r.Answer = excerpt(r.Answer)
	r.Request, r.Argvs, r.Files = nil, nil, nil
	return r
}

// wasRefused reports whether the task was dropped before it was queued.
func (r Record) wasRefused() bool {
	return r.State == Aborted && r.Attempts == 0 && r.Error == nil && !r.Created.IsZero()
}

// trace returns the part of a record that is kept longest: that its message was accepted.
func (r Record) trace() Record {
	return Record{ID: r.ID, State: r.State, Channel: r.Channel, Name: r.Name, MessageID: r.MessageID, Delivered: true}
}

// maxExcerpt bounds a task's words in lists, in bytes.
const maxExcerpt = 200

func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	cut := maxExcerpt
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// NewID returns a new id: the prefix and n random bytes in hexadecimal.
func NewID(prefix string, n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return prefix + hex.EncodeToString(b)
}
