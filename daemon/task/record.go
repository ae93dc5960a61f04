// Package task keeps what the daemon was asked to do, on the disk, from the
// moment it is accepted until its answer has left: whatever dies in between,
// the next daemon finds every message and knows how far it came.
//
// A task is one message (Moonbot specification section 9). Its record is
// synced before it is queued; its end is synced with its answer before the
// answer is sent; that the answer left is noted after. So after a crash a task
// is in one of three places: not ended, which the daemon retries or reports
// (it asks the command log whether anything ran); ended with an answer nobody
// may have seen, which is sent as a notification; or over.
package task

import (
	"encoding/json"
	"time"
)

// Record is a task.
type Record struct {
	ID      string `json:"id"`
	State   State  `json:"state"`
	Channel string `json:"channel"`
	// Session is the key of the conversation, Name the session's own name in its
	// channel: of an original peer, the sender.
	Session string `json:"session"`
	Name    string `json:"name"`
	Text    string `json:"text,omitempty"` // the person's words
	// Request is what came with the words, as it came.
	Request json.RawMessage `json:"request,omitempty"`
	Lang    string          `json:"lang,omitempty"`
	// Letter is the channel's own id of the message, where it has one: the same one
	// becomes one task.
	Letter string `json:"letter,omitempty"`
	// Files came with the words.
	Files   []File    `json:"files,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Unkept reports a task that is not on the disk.
	Unkept bool `json:"-"`
	// Attempts is how often it was started.
	Attempts int `json:"attempts,omitempty"`
	// LogFrom is how many bytes the audit trail had when the task was accepted:
	// what it ran stands behind that.
	LogFrom int64 `json:"log_from"`
	// Rule is the automation that wants it, Run what that is in its ledger; "" for a
	// person. Argvs are commands to run in the place of a turn.
	Rule  string     `json:"rule,omitempty"`
	Run   string     `json:"run,omitempty"`
	Argvs [][]string `json:"argvs,omitempty"`
	// Urgent reports that what is told at its end does not wait for a better hour.
	Urgent bool `json:"urgent,omitempty"`
	// Approval is the code of what a PAUSED task waits for.
	Approval string `json:"approval,omitempty"`
	// Answer is what the person is told at its end.
	Answer string `json:"answer,omitempty"`
	// Told reports that the answer left, or that nobody waits for one.
	Told bool `json:"told,omitempty"`
	// Unsaid is what its conversation still lacks of its end; nil for nothing.
	Unsaid *Unsaid  `json:"unsaid,omitempty"`
	Error  *Failure `json:"error,omitempty"`
	// Tokens, Rounds and Commands are what it took.
	Tokens   int `json:"tokens,omitempty"`
	Rounds   int `json:"rounds,omitempty"`
	Commands int `json:"commands,omitempty"`
}

// File is a file that came with a message: its name as its sender calls it, where it
// is kept below its channel's folder, or why it is not there.
type File struct {
	Name    string `json:"name,omitempty"`
	Spool   string `json:"spool,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Unsaid is what is added to a conversation when no turn of it is at work: what
// became of calls, by their ids, and the words that end them.
type Unsaid struct {
	Results map[string]string `json:"results,omitempty"`
	Text    string            `json:"text"` // for the person
	// Printed is what the tool's commands printed, for the model; Brief is the text
	// without it.
	Tool    string `json:"tool,omitempty"`
	Printed string `json:"printed,omitempty"`
	Brief   string `json:"brief,omitempty"`
}

// Failure is why a task has no answer. Only UserMessage leaves the machine.
type Failure struct {
	Code            string `json:"code"`
	UserMessage     string `json:"userMessage"`
	InternalMessage string `json:"internalMessage,omitempty"`
}

// brief is a record that is over, as it is kept for looking back.
func (r Record) brief() Record {
	r.Text = excerpt(r.Text)
	r.Answer = excerpt(r.Answer)
	r.Request, r.Argvs, r.Files = nil, nil, nil
	return r
}

// refused reports a task that was forgotten before it was queued.
func (r Record) refused() bool {
	return r.State == Aborted && r.Attempts == 0 && r.Error == nil && !r.Created.IsZero()
}

// trace is what is kept longest of a record: that its message was taken.
func (r Record) trace() Record {
	return Record{ID: r.ID, State: r.State, Channel: r.Channel, Name: r.Name, Letter: r.Letter, Told: true}
}

// maxExcerpt bounds a task's words where it is only listed, in bytes.
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
