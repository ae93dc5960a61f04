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

// Limits of the messages that wait for the daemon, and of the remembered IDs of those it has.
const (
	mostOfSender  = 200
	mostWaiting   = 2000
	mostBytes     = 16 << 20 // of text
	mostBefore    = 20       // of one sender, before the policy is known
	mostKnown     = 10_000
	knownFor      = 30 * 24 * time.Hour
	longestText   = 64<<10 + 1 // one more than the daemon accepts, so that the daemon reports the error
	longestName   = 256
	longestID     = 512
	shortestTidy  = 1 << 20 // minimum journal size for a rewrite
	tidyHeadroom  = 2
	mostOfUnknown = 3 // waiting messages of a sender that the policy does not admit
)

// letter is a message from a person, as stored in the journal.
type letter struct {
	ID        string           `json:"id"`
	Chat      string           `json:"chat"`
	Sender    string           `json:"sender"`
	Name      string           `json:"name,omitempty"`
	Text      string           `json:"text,omitempty"`
	Sent      time.Time        `json:"sent,omitzero"`
	Forwarded bool             `json:"forwarded,omitempty"`
	Files     []ipc.LetterFile `json:"files,omitempty"`
	Came      time.Time        `json:"came"` // by the local clock

	at   journal.Mark
	safe bool // synced to disk
}

func letterOf(in Incoming, now time.Time) *letter {
	return &letter{
		ID: in.ID, Chat: in.Chat, Sender: in.Sender, Name: cut(in.Name, longestName), Text: cut(in.Text, longestText),
		Sent: in.Sent, Forwarded: in.Forwarded, Came: now,
	}
}

// cut shortens text to atLeast bytes, plus what completes the last character.
func cut(text string, atLeast int) string {
	for end := atLeast; end < len(text); end++ {
		if utf8.RuneStart(text[end]) {
			return text[:end]
		}
	}
	return text
}

// key identifies a message. IDs are unique per sender only, because senders can choose them.
type key struct{ sender, id string }

func (l *letter) key() key { return key{l.Sender, l.ID} }

// over is the record of a message that the daemon has. Chat is where its sender is answered, if
// different from Sender.
type over struct {
	ID     string    `json:"id"`
	Sender string    `json:"sender"`
	Chat   string    `json:"chat,omitempty"`
	At     time.Time `json:"at"`
}

type inboxLine struct {
	Letter *letter            `json:"letter,omitempty"`
	Over   *over              `json:"over,omitempty"`
	Policy *ipc.ChannelPolicy `json:"policy,omitempty"`
}

// inbox stores messages until the daemon has them, and the daemon's last policy of who may write.
// It is safe for concurrent use.
type inbox struct {
	journal *journal.Journal
	now     func() time.Time

	mu      sync.Mutex
	waiting []*letter
	known   []over
	keys    map[key]bool // of waiting and known messages
	chats   map[string]string
	policy  *ipc.ChannelPolicy
	tidied  int64 // journal size after the last rewrite
}

func newInbox(path string, now func() time.Time) *inbox {
	return &inbox{journal: journal.New(path), now: now, keys: map[key]bool{}, chats: map[string]string{}}
}

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
		return damaged, fmt.Errorf("cannot read the inbox: %w", err)
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

// fate is the result of adding a message.
type fate int

const (
	fateKept  fate = iota
	fateKnown      // a duplicate
	fateFull       // too many messages wait
)

// has reports whether a message is a duplicate. It returns once the earlier copy is on disk.
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

// keep stores a message and returns once it is on disk. The sender can have at most most waiting
// messages.
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

// settle marks a message as synced, or removes it if err is not nil.
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

// taken forgets a message except for its ID. If a crash loses that record, the message is sent
// again and the daemon recognizes the duplicate.
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

// admit saves the policy of who may write.
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

// tidy rewrites the journal once most of its records are obsolete.
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

// admitted reports whether a sender may write, and whether the policy is known.
func (b *inbox) admitted(sender string) (yes, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy != nil && slices.Contains(b.policy.Admitted, sender), b.policy != nil
}

// lang returns the daemon's language, or "" if the policy is not known.
func (b *inbox) lang() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy == nil {
		return ""
	}
	return b.policy.Lang
}

// first returns each sender's oldest waiting message, unless that is not on disk yet.
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

// waits reports whether a message still waits.
func (b *inbox) waits(l *letter) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.waiting, l)
}

// all returns the waiting messages that are on disk.
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

// chatOf returns the chat in which a sender is answered: the one of their last message, by default
// the sender's ID.
func (b *inbox) chatOf(sender string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.chats[sender], sender)
}
