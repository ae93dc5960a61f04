// Package outbox keeps what somebody has to be told who is not there just now:
// late answers, questions and notices, each for one channel and one address in
// it, on the disk from the moment it is put there.
//
// A peer that polls gets each text once, at most ten a poll, the oldest first
// (original protocol). A text leaves the outbox when its poll's answer was
// handed to the kernel; a daemon that is killed in the instant between the two
// hands it over again, with the same id, because never is worse than twice. A
// peer that is pushed to says which texts it has, and gets the others again.
//
// What nobody fetches goes after [Keep], and the oldest go when there are too
// many or they are too long together; both are counted.
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

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/journal"
)

// The bounds of what waits.
const (
	// Keep is how long a text waits to be fetched.
	Keep     = 7 * 24 * time.Hour
	maxTexts = 1000
	maxBytes = 8 << 20
	// keptIDs is how many ids of texts that are gone are remembered, so that
	// what is put again after a crash is not told again.
	keptIDs = 1000
	// maxJournal is how long the journal gets, in bytes, before what is gone is
	// taken out of it, if that is most of it.
	maxJournal = 1 << 20
)

// Text is one thing to tell.
type Text struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	To      string `json:"to"` // address in the channel
	Session string `json:"session,omitempty"`
	Task    string `json:"task,omitempty"`
	Body    string `json:"body"`
	// Approval is the code of what the text asks about; "" for nothing.
	Approval string `json:"approval,omitempty"`
	// Markup is how Body is written, Re the channel's id of the message it answers,
	// Digest and Actions what its buttons cover, Lang its language: for bridges.
	Markup  string   `json:"markup,omitempty"`
	Re      string   `json:"re,omitempty"`
	Digest  string   `json:"digest,omitempty"`
	Actions []string `json:"actions,omitempty"`
	Lang    string   `json:"lang,omitempty"`
	Files   []File   `json:"files,omitempty"`
	// Rule is the automation that tells it, Snooze whether a person can have it be
	// quiet about that for a while, Urgent whether it does not wait for a better
	// hour.
	Rule   string `json:"rule,omitempty"`
	Snooze bool   `json:"snooze,omitempty"`
	Urgent bool   `json:"urgent,omitempty"`
	// NotBefore is when it may be told.
	NotBefore time.Time `json:"not_before,omitzero"`
	// Shown is when it was put before somebody who may not have looked.
	Shown   time.Time `json:"shown,omitzero"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// File is a file that goes with a text, under Spool in the channel's own folder.
type File struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	Spool string `json:"spool"`
}

// line is a line of the journal: a text, or that some are gone.
type line struct {
	Text    *Text    `json:"text,omitempty"`
	Gone    []string `json:"gone,omitempty"`
	Dropped int      `json:"dropped,omitempty"` // so many more were never fetched
	Shown   *shown   `json:"shown,omitempty"`
}

// shown says that a text was put before somebody.
type shown struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// Box is the outbox of one daemon. It is safe for concurrent use.
type Box struct {
	journal *journal.Journal
	now     func() time.Time

	mu      sync.Mutex
	waiting []Text
	bytes   int
	gone    []string // ids, the latest last
	dropped int
	lines   int64 // size of the journal when it was last rewritten
	taking  sync.Mutex
}

// New returns the outbox kept in a file; nothing is read yet.
func New(file string, now func() time.Time) *Box {
	return &Box{journal: journal.New(file), now: now}
}

// Load reads what waits and returns the damage found.
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
	return slices.IndexFunc(b.waiting, func(t Text) bool { return t.ID == id })
}

// forget takes texts out of what waits and remembers their ids.
func (b *Box) forget(ids []string) {
	b.waiting = slices.DeleteFunc(b.waiting, func(t Text) bool {
		if !slices.Contains(ids, t.ID) {
			return false
		}
		b.bytes -= len(t.Body)
		return true
	})
	b.gone = append(b.gone, ids...)
	if over := len(b.gone) - keptIDs; over > 0 {
		b.gone = slices.Delete(b.gone, 0, over)
	}
}

// Put keeps a text and returns when it is on the disk. One whose id waits
// already, or was told, changes nothing. Without an id it gets one.
func (b *Box) Put(t Text) error {
	if t.ID == "" {
		t.ID = newID()
	}
	t.Created = orElse(t.Created, b.now())
	t.Expires = orElse(t.Expires, t.Created.Add(Keep))
	at, known, err := b.put(t)
	if err == nil && !known {
		err = b.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the notification: %w", err)
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

func (b *Box) put(t Text) (at journal.Mark, known bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known(t.ID) {
		return at, true, nil
	}
	if at, err = b.journal.Append(line{Text: &t}); err != nil {
		return at, false, err
	}
	b.apply(line{Text: &t})
	return at, false, b.bound()
}

// Known reports whether a text with an id waits, or was told lately.
func (b *Box) Known(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known(id)
}

func (b *Box) known(id string) bool {
	return slices.Contains(b.gone, id) || slices.ContainsFunc(b.waiting, func(t Text) bool { return t.ID == id })
}

// bound drops what nobody fetched, and the oldest of too many, and shortens the
// journal.
func (b *Box) bound() error {
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
	if size := b.journal.Size(); size < crash.Scaled(maxJournal) || size < 2*b.lines {
		return nil
	}
	return b.rewrite()
}

func (b *Box) rewrite() error {
	records := []any{line{Gone: b.gone, Dropped: b.dropped}}
	for i := range b.waiting {
		records = append(records, line{Text: &b.waiting[i]})
	}
	err := b.journal.Rewrite(records)
	b.lines = b.journal.Size()
	return err
}

// Take hands over at most n of the oldest texts for a channel that are wanted (nil:
// all); those that deliver takes without an error are gone. One delivery at a time.
func (b *Box) Take(channel string, n int, wanted func(Text) bool, deliver func([]Text) error) error {
	b.taking.Lock()
	defer b.taking.Unlock()
	texts := b.Ready(channel)
	if wanted != nil {
		texts = slices.DeleteFunc(texts, func(t Text) bool { return !wanted(t) })
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
	return b.Gone(ids)
}

// Gone notes that texts were delivered. Ids that do not wait mean nothing.
func (b *Box) Gone(ids []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(b.waiting, func(t Text) bool { return t.ID == id })
	})
	if len(ids) == 0 {
		return nil
	}
	l := line{Gone: ids}
	if _, err := b.journal.Append(l); err != nil {
		return fmt.Errorf("cannot note what was delivered: %w", err)
	}
	b.apply(l)
	return b.bound()
}

// Show notes that a text was put before somebody who may not have looked: it
// waits on, to be looked up, and is not put there again.
func (b *Box) Show(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.index(id) < 0 {
		return nil
	}
	l := line{Shown: &shown{id, b.now()}}
	if _, err := b.journal.Append(l); err != nil {
		return fmt.Errorf("cannot note what was shown: %w", err)
	}
	b.apply(l)
	return nil
}

// Text returns a text that waits.
func (b *Box) Text(id string) (Text, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(id)
	if i < 0 {
		return Text{}, false
	}
	return b.waiting[i], true
}

// Back puts texts that did not arrive after all where they were. One that was
// never in the outbox, because it left as an answer, waits from now on.
func (b *Box) Back(texts []Text) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range texts {
		if slices.ContainsFunc(b.waiting, func(w Text) bool { return w.ID == t.ID }) {
			continue
		}
		t.Created = orElse(t.Created, b.now())
		t.Expires = orElse(t.Expires, t.Created.Add(Keep))
		if _, err := b.journal.Append(line{Text: &t}); err != nil {
			return fmt.Errorf("cannot keep the notification: %w", err)
		}
		b.waiting, b.bytes = append(b.waiting, t), b.bytes+len(t.Body)
		b.gone = slices.DeleteFunc(b.gone, func(id string) bool { return id == t.ID })
	}
	slices.SortStableFunc(b.waiting, func(a, c Text) int { return cmp.Or(a.Created.Compare(c.Created), cmp.Compare(a.ID, c.ID)) })
	return nil
}

// Waiting returns what waits for a channel, "" for all of them, the oldest
// first, never nil.
func (b *Box) Waiting(channel string) []Text {
	b.mu.Lock()
	defer b.mu.Unlock()
	texts, now := []Text{}, b.now()
	for _, t := range b.waiting {
		if (channel == "" || t.Channel == channel) && t.Expires.After(now) {
			texts = append(texts, t)
		}
	}
	return texts
}

// Ready returns what waits for a channel and may be told now.
func (b *Box) Ready(channel string) []Text {
	return slices.DeleteFunc(b.Waiting(channel), func(t Text) bool { return t.NotBefore.After(b.now()) })
}

// Dropped returns how many texts nobody fetched in time, ever.
func (b *Box) Dropped() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Close lets go of the journal.
func (b *Box) Close() { b.journal.Close() }

func newID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails, crypto/rand
	return "n" + hex.EncodeToString(id[:])
}
