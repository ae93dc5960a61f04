package bridge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/journal"
)

// The bounds of what waits for the daemon, and of what is remembered of what it
// has.
const (
	mostOfSender  = 200
	mostWaiting   = 2000
	mostBytes     = 16 << 20 // of their words
	mostBefore    = 20       // of one sender, before it is known who may write
	mostKnown     = 10_000
	knownFor      = 30 * 24 * time.Hour
	longestText   = 64<<10 + 1 // one more than the daemon takes: it says what is too long
	longestName   = 256
	longestID     = 512
	shortestTidy  = 1 << 20 // how long the journal gets before it is looked over
	tidyHeadroom  = 2
	mostOfUnknown = 3 // waiting messages of somebody the policy does not name
)

// letter is a message that somebody wrote, as it is kept.
type letter struct {
	ID        string           `json:"id"`
	Chat      string           `json:"chat"`
	Sender    string           `json:"sender"`
	Name      string           `json:"name,omitempty"`
	Text      string           `json:"text,omitempty"`
	Sent      time.Time        `json:"sent,omitzero"`
	Forwarded bool             `json:"forwarded,omitempty"`
	Files     []ipc.LetterFile `json:"files,omitempty"`
	Came      time.Time        `json:"came"` // by this machine's clock

	at   journal.Mark
	safe bool // on the disk
}

func letterOf(in Incoming, now time.Time) *letter {
	return &letter{
		ID: in.ID, Chat: in.Chat, Sender: in.Sender, Name: cut(in.Name, longestName), Text: cut(in.Text, longestText),
		Sent: in.Sent, Forwarded: in.Forwarded, Came: now,
	}
}

// cut shortens a text to at least so many bytes, where it is longer, and to
// whole characters.
func cut(text string, atLeast int) string {
	for end := atLeast; end < len(text); end++ {
		if utf8.RuneStart(text[end]) {
			return text[:end]
		}
	}
	return text
}

// key names a message: ids are unique for a sender, who may choose them.
type key struct{ sender, id string }

func (l *letter) key() key { return key{l.Sender, l.ID} }

// over is what is remembered of a message the daemon has. Chat is where its
// sender is answered, where that is not the sender's own name.
type over struct {
	ID     string    `json:"id"`
	Sender string    `json:"sender"`
	Chat   string    `json:"chat,omitempty"`
	At     time.Time `json:"at"`
}

// inboxLine is a line of the journal.
type inboxLine struct {
	Letter *letter            `json:"letter,omitempty"`
	Over   *over              `json:"over,omitempty"`
	Policy *ipc.ChannelPolicy `json:"policy,omitempty"`
}

// inbox keeps what came until the daemon has it, and who may write, as the
// daemon last said. It is safe for concurrent use.
type inbox struct {
	journal *journal.Journal
	now     func() time.Time

	mu      sync.Mutex
	waiting []*letter
	known   []over
	keys    map[key]bool // of waiting and known
	chats   map[string]string
	policy  *ipc.ChannelPolicy
	tidied  int64 // size of the journal when it was last rewritten
}

func newInbox(path string, now func() time.Time) *inbox {
	return &inbox{journal: journal.New(path), now: now, keys: map[key]bool{}, chats: map[string]string{}}
}

// load reads the journal.
func (b *inbox) load() ([]journal.Damage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	damaged, err := b.journal.Read(func(record []byte) error {
		var l inboxLine
		if err := json.Unmarshal(record, &l); err != nil {
			return err
		}
		b.apply(l)
		return nil
	})
	if err != nil {
		return damaged, fmt.Errorf("cannot read the messages that wait: %w", err)
	}
	return damaged, nil
}

func (b *inbox) apply(l inboxLine) {
	if l.Letter != nil && !b.keys[l.Letter.key()] {
		l.Letter.safe = true
		b.add(l.Letter)
	}
	if l.Over != nil {
		b.forget(*l.Over)
	}
	if l.Policy != nil {
		b.policy = l.Policy
	}
}

func (b *inbox) add(l *letter) {
	b.waiting = append(b.waiting, l)
	b.keys[l.key()] = true
	b.chats[l.Sender] = l.Chat
}

func (b *inbox) forget(o over) {
	k := key{o.Sender, o.ID}
	b.waiting = slices.DeleteFunc(b.waiting, func(l *letter) bool { return l.key() == k })
	b.known = append(b.known, o)
	b.keys[k] = true
	b.chats[o.Sender] = cmp.Or(o.Chat, o.Sender)
	for len(b.known) > mostKnown || len(b.known) > 0 && o.At.Sub(b.known[0].At) > knownFor {
		delete(b.keys, key{b.known[0].Sender, b.known[0].ID})
		b.known = b.known[1:]
	}
}

// The ways of a message that comes.
type fate int

const (
	fateKept  fate = iota
	fateKnown      // it came before
	fateFull       // too many wait
)

// has reports whether a message came before, and returns when that is on the
// disk.
func (b *inbox) has(k key) (bool, error) {
	b.mu.Lock()
	known := b.keys[k]
	var waits *letter
	if i := slices.IndexFunc(b.waiting, func(l *letter) bool { return l.key() == k }); i >= 0 {
		waits = b.waiting[i]
	}
	b.mu.Unlock()
	if waits == nil {
		return known, nil
	}
	return true, b.journal.Sync(waits.at)
}

// keep keeps a message and returns when it is on the disk. Of somebody it does
// not know whether they may write it keeps few.
func (b *inbox) keep(l *letter, most int) (fate, error) {
	switch known, err := b.has(l.key()); {
	case known || err != nil:
		return fateKnown, err
	}
	b.mu.Lock()
	if b.full(l.Sender, most) {
		b.mu.Unlock()
		return fateFull, nil
	}
	at, err := b.journal.Append(inboxLine{Letter: l})
	if err == nil {
		l.at = at
		b.add(l)
	}
	b.mu.Unlock()
	if err == nil {
		err = b.journal.Sync(at)
	}
	b.settle(l, err)
	return fateKept, err
}

// settle marks a message as kept, or forgets that it came.
func (b *inbox) settle(l *letter, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.safe = err == nil; !l.safe {
		b.waiting = slices.DeleteFunc(b.waiting, func(w *letter) bool { return w == l })
		delete(b.keys, l.key())
	}
}

func (b *inbox) full(sender string, most int) bool {
	own, bytes := 0, 0
	for _, l := range b.waiting {
		bytes += len(l.Text)
		if l.Sender == sender {
			own++
		}
	}
	return own >= most || len(b.waiting) >= mostWaiting || bytes >= mostBytes
}

// taken forgets a message but for its id. What is not on the disk of that
// after a crash is sent to the daemon once more, which knows it too.
func (b *inbox) taken(l *letter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := over{ID: l.ID, Sender: l.Sender, At: b.now()}
	if l.Chat != l.Sender {
		o.Chat = l.Chat
	}
	b.forget(o)
	if _, err := b.journal.Append(inboxLine{Over: &o}); err != nil {
		return err
	}
	return b.tidy()
}

// admit notes who may write.
func (b *inbox) admit(p ipc.ChannelPolicy) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy != nil && slices.Equal(b.policy.Admitted, p.Admitted) && b.policy.Lang == p.Lang {
		return nil
	}
	b.policy = &p
	_, err := b.journal.Append(inboxLine{Policy: &p})
	return err
}

// tidy rewrites a journal that is mostly over.
func (b *inbox) tidy() error {
	if b.journal.Size() < max(shortestTidy, tidyHeadroom*b.tidied) {
		return nil
	}
	var lines []any
	if b.policy != nil {
		lines = append(lines, inboxLine{Policy: b.policy})
	}
	for i := range b.known {
		lines = append(lines, inboxLine{Over: &b.known[i]})
	}
	for _, l := range b.waiting {
		lines = append(lines, inboxLine{Letter: l})
	}
	err := b.journal.Rewrite(lines)
	b.tidied = b.journal.Size()
	return err
}

// admitted reports whether somebody may write, and whether anything is known
// of who may.
func (b *inbox) admitted(sender string) (yes, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy != nil && slices.Contains(b.policy.Admitted, sender), b.policy != nil
}

// lang is the language of the daemon, "" while it is not known.
func (b *inbox) lang() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy == nil {
		return ""
	}
	return b.policy.Lang
}

// first returns each sender's oldest message that waits.
func (b *inbox) first() []*letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	var firsts []*letter
	seen := map[string]bool{}
	for _, l := range b.waiting {
		if !seen[l.Sender] && l.safe {
			firsts = append(firsts, l)
		}
		seen[l.Sender] = true
	}
	return firsts
}

// waits reports whether a message still does.
func (b *inbox) waits(l *letter) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.waiting, l)
}

// all returns what waits.
func (b *inbox) all() []*letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.waiting), func(l *letter) bool { return !l.safe })
}

func (b *inbox) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// chatOf is where somebody is answered: where they last wrote, or under the
// name the daemon knows them by.
func (b *inbox) chatOf(sender string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.chats[sender], sender)
}
