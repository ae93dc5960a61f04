// Package outbox stores messages for people who are not connected: late answers, questions and notifications, each
// for one address in one channel.
//
// A polling peer gets each message once, at most ten per poll, oldest first (original protocol). A message leaves
// the outbox once the poll's answer was handed to the kernel. A daemon that is killed between the two delivers it
// again with the same id, because a duplicate is better than a loss. A subscribed peer acknowledges the messages
// it has, and gets the others again.
//
// Messages that are not fetched expire after [MaxAge]. The oldest are dropped when there are too many or their total
// size is too large. Both are counted.
package outbox

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// The limits of the outbox.
const (
	// MaxAge is how long a message waits to be fetched.
	MaxAge   = 7 * 24 * time.Hour
	maxTexts = 1000
	maxBytes = 8 << 20
	// maxIDs is how many ids of removed messages are remembered. A message that is put again after a crash is
	// then not sent again.
	maxIDs = 1000
	// maxJournal is the journal's size in bytes from which it is rewritten, if most of it is obsolete.
	maxJournal = 1 << 20
)

// Message is a message to deliver.
type Message struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	To      string `json:"to"` // address in the channel
	Session string `json:"session,omitempty"`
	Task    string `json:"task,omitempty"`
	Body    string `json:"body"`
	// Approval is the code of the approval that the text asks for, "" if it asks for none.
	Approval string `json:"approval,omitempty"`
	// Change is the id of the change that the answer's button takes back, "" for none.
	Change string `json:"change,omitempty"`
	// Markup is the format of Body, Re the channel's id of the message it answers, Digest and Actions the plan and
	// choices of its buttons, Lang its language. Bridges use these.
	Markup  string   `json:"markup,omitempty"`
	Re      string   `json:"re,omitempty"`
	Digest  string   `json:"digest,omitempty"`
	Actions []string `json:"actions,omitempty"`
	Lang    string   `json:"lang,omitempty"`
	Files   []File   `json:"files,omitempty"`
	// Rule is the automation that sends it, Snooze reports whether a person can mute the rule for a while, Urgent
	// whether it is sent in quiet hours too.
	Rule   string `json:"rule,omitempty"`
	Snooze bool   `json:"snooze,omitempty"`
	// Remind marks a reminder, which a person can ask for again.
	Remind bool `json:"remind,omitempty"`
	Urgent bool `json:"urgent,omitempty"`
	// NotBefore is the earliest time of delivery.
	NotBefore time.Time `json:"not_before,omitzero"`
	// Shown is when it was displayed, perhaps without anyone looking.
	Shown   time.Time `json:"shown,omitzero"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// File is an attachment, stored as Spool in the channel's own folder.
type File struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	Spool string `json:"spool"`
}

// line is a line of the journal: a message, or ids of removed ones.
type line struct {
	Text    *Message   `json:"text,omitempty"`
	Gone    []string   `json:"gone,omitempty"`
	Dropped int        `json:"dropped,omitempty"` // how many of Gone were never fetched
	Shown   *displayed `json:"shown,omitempty"`
}

// displayed records that a message was displayed.
type displayed struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// Box is the outbox of one daemon. It is safe for concurrent use.
type Box struct {
	journal *journal.Journal
	now     func() time.Time

	mu            sync.Mutex
	waiting       []Message
	bytes         int
	removed       []string // ids, the latest last
	dropped       int
	rewrittenSize int64 // size of the journal when it was last rewritten
	takeMu        sync.Mutex
}

// New returns the outbox in a file. It reads nothing yet.
func New(file string, now func() time.Time) *Box {
	return &Box{journal: journal.New(file), now: now}
}

// Load reads the outbox and returns the damage found.
func (b *Box) Load() ([]journal.Damage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	damaged, err := b.journal.Read(func(record []byte) error {
		var l line
		if err := json.Unmarshal(record, &l); err != nil {
			return err
		}
		b.apply(l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the outbox: %w", err)
	}
	return damaged, nil
}

func (b *Box) apply(l line) {
	if l.Text != nil {
		b.waiting = append(b.waiting, *l.Text)
		b.bytes += len(l.Text.Body)
	}
	b.forget(l.Gone)
	b.dropped += l.Dropped
	if l.Shown != nil {
		if i := b.index(l.Shown.ID); i >= 0 {
			b.waiting[i].Shown = l.Shown.At
		}
	}
}

func (b *Box) index(id string) int {
	return slices.IndexFunc(b.waiting, func(t Message) bool { return t.ID == id })
}

// forget removes messages and remembers their ids.
func (b *Box) forget(ids []string) {
	b.waiting = slices.DeleteFunc(b.waiting, func(t Message) bool {
		if !slices.Contains(ids, t.ID) {
			return false
		}
		b.bytes -= len(t.Body)
		return true
	})
	b.removed = append(b.removed, ids...)
	if over := len(b.removed) - maxIDs; over > 0 {
		b.removed = slices.Delete(b.removed, 0, over)
	}
}

// Put stores a message and returns once it is on disk. It does nothing if a message with this id waits or was
// delivered. It assigns an id if there is none.
func (b *Box) Put(t Message) error {
	if t.ID == "" {
		t.ID = newID()
	}
	t.Created = orElse(t.Created, b.now())
	t.Expires = orElse(t.Expires, t.Created.Add(MaxAge))
	at, known, err := b.put(t)
	if err == nil && !known {
		err = b.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot save the notification: %w", err)
	}
	crash.Here(crash.NotifyStored)
	return nil
}

func orElse(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

func (b *Box) put(t Message) (at journal.Mark, known bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known(t.ID) {
		return at, true, nil
	}
	if at, err = b.journal.Append(line{Text: &t}); err != nil {
		return at, false, err
	}
	b.apply(line{Text: &t})
	return at, false, b.enforceLimits()
}

// IsKnown reports whether a message with an id waits or was delivered recently.
func (b *Box) IsKnown(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known(id)
}

func (b *Box) known(id string) bool {
	return slices.Contains(b.removed, id) || slices.ContainsFunc(b.waiting, func(t Message) bool { return t.ID == id })
}

// enforceLimits drops expired messages and the oldest of too many, and rewrites a long journal. If the rewrite fails,
// the journal stays as it is, and a later change tries again.
func (b *Box) enforceLimits() error {
	var drop []string
	bytes, now := b.bytes, b.now()
	for i, t := range b.waiting {
		left := len(b.waiting) - i
		if t.Expires.After(now) && left <= maxTexts && bytes <= maxBytes {
			continue
		}
		drop, bytes = append(drop, t.ID), bytes-len(t.Body)
	}
	if len(drop) > 0 {
		l := line{Gone: drop, Dropped: len(drop)}
		if _, err := b.journal.Append(l); err != nil {
			return err
		}
		b.apply(l)
	}
	if size := b.journal.Size(); size >= crash.Scaled(maxJournal) && size >= 2*b.rewrittenSize {
		_ = b.rewrite()
	}
	return nil
}

func (b *Box) rewrite() error {
	records := []any{line{Gone: b.removed, Dropped: b.dropped}}
	for i := range b.waiting {
		records = append(records, line{Text: &b.waiting[i]})
	}
	err := b.journal.Rewrite(records)
	b.rewrittenSize = b.journal.Size()
	return err
}

// Take delivers at most n of the oldest messages of a channel that wanted accepts (nil: all), and removes them if
// deliver succeeds. Deliveries are serialized.
func (b *Box) Take(channel string, n int, wanted func(Message) bool, deliver func([]Message) error) error {
	b.takeMu.Lock()
	defer b.takeMu.Unlock()
	texts := b.Ready(channel)
	if wanted != nil {
		texts = slices.DeleteFunc(texts, func(t Message) bool { return !wanted(t) })
	}
	texts = texts[:min(n, len(texts))]
	crash.Here(crash.NotifyTaken)
	if err := deliver(texts); err != nil || len(texts) == 0 {
		return err
	}
	crash.Here(crash.NotifySent)
	ids := make([]string, len(texts))
	for i, t := range texts {
		ids[i] = t.ID
	}
	return b.Remove(ids)
}

// Remove removes delivered messages. Unknown ids are ignored.
func (b *Box) Remove(ids []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(b.waiting, func(t Message) bool { return t.ID == id })
	})
	if len(ids) == 0 {
		return nil
	}
	l := line{Gone: ids}
	if _, err := b.journal.Append(l); err != nil {
		return fmt.Errorf("cannot record delivery: %w", err)
	}
	b.apply(l)
	return b.enforceLimits()
}

// MarkShown records that a message was displayed, perhaps without anyone looking. It stays in the outbox and is not
// displayed again.
func (b *Box) MarkShown(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.index(id) < 0 {
		return nil
	}
	l := line{Shown: &displayed{id, b.now()}}
	if _, err := b.journal.Append(l); err != nil {
		return fmt.Errorf("cannot record display: %w", err)
	}
	b.apply(l)
	return nil
}

// Get returns a message that waits.
func (b *Box) Get(id string) (Message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(id)
	if i < 0 {
		return Message{}, false
	}
	return b.waiting[i], true
}

// Restore returns messages that did not arrive to the outbox, in their old order. One that was sent as an answer and
// never was in the outbox is added.
func (b *Box) Restore(texts []Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range texts {
		if slices.ContainsFunc(b.waiting, func(w Message) bool { return w.ID == t.ID }) {
			continue
		}
		t.Created = orElse(t.Created, b.now())
		t.Expires = orElse(t.Expires, t.Created.Add(MaxAge))
		if _, err := b.journal.Append(line{Text: &t}); err != nil {
			return fmt.Errorf("cannot save the notification: %w", err)
		}
		b.waiting, b.bytes = append(b.waiting, t), b.bytes+len(t.Body)
		b.removed = slices.DeleteFunc(b.removed, func(id string) bool { return id == t.ID })
	}
	sorting.Stably(b.waiting, func(a, c Message) int { return cmp.Or(a.Created.Compare(c.Created), cmp.Compare(a.ID, c.ID)) })
	return nil
}

// Waiting returns the messages that wait for a channel ("" for all), oldest first, never nil.
func (b *Box) Waiting(channel string) []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	texts, now := []Message{}, b.now()
	for _, t := range b.waiting {
		if (channel == "" || t.Channel == channel) && t.Expires.After(now) {
			texts = append(texts, t)
		}
	}
	return texts
}

// Ready returns the messages of a channel that may be delivered now.
func (b *Box) Ready(channel string) []Message {
	return slices.DeleteFunc(b.Waiting(channel), func(t Message) bool { return t.NotBefore.After(b.now()) })
}

// Dropped returns the total number of messages that were never fetched.
func (b *Box) Dropped() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Close closes the journal.
func (b *Box) Close() { b.journal.Close() }

func newID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails, crypto/rand
	return "n" + hex.EncodeToString(id[:])
}
