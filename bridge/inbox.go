package bridge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
)

// Limits of the messages that wait for the daemon, and of the remembered IDs of those it has.
const (
	maxPerSender    = 200
	maxPending      = 2000
	maxPendingBytes = 16 << 20 // of text
	maxBeforePolicy = 20       // of one sender, before the policy is known
	maxHandled      = 10_000
	handledTTL      = 30 * 24 * time.Hour
	maxTextLength   = 64<<10 + 1 // one more than the daemon accepts, so that the daemon reports the error
	maxNameLength   = 256
	maxIDLength     = 512
	minCompactSize  = 1 << 20 // minimum journal size for a rewrite
	compactFactor   = 2
	maxPerStranger  = 3 // waiting messages of a sender that the policy does not admit
)

// inboundMessage is a message from a person, as stored in the journal.
type inboundMessage struct {
	ID        string            `json:"id"`
	Chat      string            `json:"chat"`
	Sender    string            `json:"sender"`
	Name      string            `json:"name,omitempty"`
	Text      string            `json:"text,omitempty"`
	Sent      time.Time         `json:"sent,omitzero"`
	Forwarded bool              `json:"forwarded,omitempty"`
	Files     []ipc.InboundFile `json:"files,omitempty"`
	Received  time.Time         `json:"came"` // by the local clock

	at     journal.Mark
	synced bool // synced to disk
}

func newInboundMessage(in Incoming, now time.Time) *inboundMessage {
	return &inboundMessage{
		ID: in.ID, Chat: in.Chat, Sender: in.Sender, Name: cut(in.Name, maxNameLength), Text: cut(in.Text, maxTextLength),
		Sent: in.Sent, Forwarded: in.Forwarded, Received: now,
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

// messageKey identifies a message. IDs are unique per sender only, because senders can choose them.
type messageKey struct{ sender, id string }

func (l *inboundMessage) key() messageKey { return messageKey{l.Sender, l.ID} }

// handledMessage is the record of a message that the daemon has. Chat is where its sender is answered, if
// different from Sender.
type handledMessage struct {
	ID     string    `json:"id"`
	Sender string    `json:"sender"`
	Chat   string    `json:"chat,omitempty"`
	At     time.Time `json:"at"`
}

type inboxRecord struct {
	Message *inboundMessage    `json:"letter,omitempty"`
	Handled *handledMessage    `json:"over,omitempty"`
	Policy  *ipc.ChannelPolicy `json:"policy,omitempty"`
}

// inbox stores messages until the daemon has them, and the daemon's last policy of who may write.
// It is safe for concurrent use.
type inbox struct {
	journal *journal.Journal
	now     func() time.Time

	mu            sync.Mutex
	pending       []*inboundMessage
	handled       []handledMessage
	keys          map[messageKey]bool // of waiting and known messages
	chats         map[string]string
	policy        *ipc.ChannelPolicy
	policySaved   bool  // the journal has policy
	compactedSize int64 // journal size after the last rewrite
}

func newInbox(path string, now func() time.Time) *inbox {
	return &inbox{journal: journal.New(path), now: now, keys: map[messageKey]bool{}, chats: map[string]string{}}
}

func (b *inbox) load() ([]journal.Damage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	damaged, err := b.journal.Read(func(record []byte) error {
		var l inboxRecord
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

func (b *inbox) apply(l inboxRecord) {
	if l.Message != nil && !b.keys[l.Message.key()] {
		l.Message.synced = true
		b.add(l.Message)
	}
	if l.Handled != nil {
		b.applyHandled(*l.Handled)
	}
	if l.Policy != nil {
		b.policy, b.policySaved = l.Policy, true
	}
}

func (b *inbox) add(l *inboundMessage) {
	b.pending = append(b.pending, l)
	b.keys[l.key()] = true
	b.chats[l.Sender] = l.Chat
}

func (b *inbox) applyHandled(o handledMessage) {
	k := messageKey{o.Sender, o.ID}
	b.pending = slices.DeleteFunc(b.pending, func(l *inboundMessage) bool { return l.key() == k })
	b.handled = append(b.handled, o)
	b.keys[k] = true
	b.chats[o.Sender] = cmp.Or(o.Chat, o.Sender)
	for len(b.handled) > maxHandled || len(b.handled) > 0 && o.At.Sub(b.handled[0].At) > handledTTL {
		delete(b.keys, messageKey{b.handled[0].Sender, b.handled[0].ID})
		b.handled = b.handled[1:]
	}
}

type addResult int

const (
	messageAdded     addResult = iota
	messageDuplicate           // a duplicate
	inboxFull                  // too many messages wait
)

// contains reports whether a message is a duplicate. It returns once the earlier copy is on disk.
func (b *inbox) contains(k messageKey) (bool, error) {
	b.mu.Lock()
	known := b.keys[k]
	var waits *inboundMessage
	if i := slices.IndexFunc(b.pending, func(l *inboundMessage) bool { return l.key() == k }); i >= 0 {
		waits = b.pending[i]
	}
	b.mu.Unlock()
	if waits == nil {
		return known, nil
	}
	return true, b.journal.Sync(waits.at)
}

// addDurably stores a message and returns once it is on disk. The sender can have at most most waiting messages.
func (b *inbox) addDurably(l *inboundMessage, most int) (addResult, error) {
	switch known, err := b.contains(l.key()); {
	case known || err != nil:
		return messageDuplicate, err
	}
	b.mu.Lock()
	if b.isFull(l.Sender, most) {
		b.mu.Unlock()
		return inboxFull, nil
	}
	at, err := b.journal.Append(inboxRecord{Message: l})
	if err == nil {
		l.at = at
		b.add(l)
	}
	b.mu.Unlock()
	if err == nil {
		err = b.journal.Sync(at)
	}
	b.finishAdd(l, err)
	return messageAdded, err
}

// finishAdd marks a message as synced, or removes it if err is not nil.
func (b *inbox) finishAdd(l *inboundMessage, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.synced = err == nil; !l.synced {
		b.pending = slices.DeleteFunc(b.pending, func(w *inboundMessage) bool { return w == l })
		delete(b.keys, l.key())
	}
}

func (b *inbox) isFull(sender string, most int) bool {
	own, bytes := 0, 0
	for _, l := range b.pending {
		bytes += len(l.Text)
		if l.Sender == sender {
			own++
		}
	}
	return own >= most || len(b.pending) >= maxPending || bytes >= maxPendingBytes
}

// markHandled forgets a message except for its ID. If a crash loses that record, the message is sent
// again and the daemon recognizes the duplicate.
func (b *inbox) markHandled(l *inboundMessage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := handledMessage{ID: l.ID, Sender: l.Sender, At: b.now()}
	if l.Chat != l.Sender {
		o.Chat = l.Chat
	}
	b.applyHandled(o)
	if _, err := b.journal.Append(inboxRecord{Handled: &o}); err != nil {
		return err
	}
	return b.compact()
}

// savePolicy saves the policy of who may write.
func (b *inbox) savePolicy(p ipc.ChannelPolicy) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy != nil && b.policySaved && slices.Equal(b.policy.Admitted, p.Admitted) && slices.Equal(b.policy.Rooms, p.Rooms) && b.policy.Lang == p.Lang {
		return nil
	}
	b.policy = &p
	_, err := b.journal.Append(inboxRecord{Policy: &p})
	b.policySaved = err == nil
	return err
}

// compact rewrites the journal once most of its records are obsolete.
func (b *inbox) compact() error {
	if b.journal.Size() < max(minCompactSize, compactFactor*b.compactedSize) {
		return nil
	}
	var lines []any
	if b.policy != nil {
		lines = append(lines, inboxRecord{Policy: b.policy})
	}
	for i := range b.handled {
		lines = append(lines, inboxRecord{Handled: &b.handled[i]})
	}
	for _, l := range b.pending {
		lines = append(lines, inboxRecord{Message: l})
	}
	err := b.journal.Rewrite(lines)
	b.compactedSize = b.journal.Size()
	return err
}

// isAdmitted reports whether a sender may write, and whether the policy is known.
func (b *inbox) isAdmitted(sender string) (yes, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy == nil {
		return false, false
	}
	person, room := ipc.SplitRoom(sender)
	return slices.Contains(b.policy.Admitted, person) && (room == "" || slices.Contains(b.policy.Rooms, room)), true
}

// rooms returns the rooms of the policy.
func (b *inbox) rooms() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy == nil {
		return nil
	}
	return b.policy.Rooms
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

// oldestPerSender returns each sender's oldest waiting message, unless that is not on disk yet.
func (b *inbox) oldestPerSender() []*inboundMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	var firsts []*inboundMessage
	seen := map[string]bool{}
	for _, l := range b.pending {
		if !seen[l.Sender] && l.synced {
			firsts = append(firsts, l)
		}
		seen[l.Sender] = true
	}
	return firsts
}

// isPending reports whether a message still waits.
func (b *inbox) isPending(l *inboundMessage) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.pending, l)
}

// allPending returns the waiting messages that are on disk.
func (b *inbox) allPending() []*inboundMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.pending), func(l *inboundMessage) bool { return !l.synced })
}

func (b *inbox) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pending)
}

// chatOf returns the chat in which a sender is answered: the one of their last message, by default the sender's ID.
func (b *inbox) chatOf(sender string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.chats[sender], sender)
}
