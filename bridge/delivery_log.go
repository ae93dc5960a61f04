package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/journal"
)

// Limits of the records of sent messages.
const (
	maxFinished      = 2000
	finishedTTL      = 8 * 24 * time.Hour // a day longer than the daemon keeps a notice
	maxConfirmations = 200
	confirmationTTL  = 25 * time.Hour // an hour longer than a confirmation is valid
	maxLiveMessages  = 200
	maxOffers        = 50
	maxUnfinished    = 1000
)

// delivery records that the messenger's server has a piece of a notice, or that the piece is being
// sent. Tried without Stays means that the server may have it. Then a copy is between the messages
// After and Before of its chat; "" is unknown.
type delivery struct {
	Notice    string    `json:"notice"`
	Part      int       `json:"part"`
	Chat      string    `json:"chat,omitempty"`
	Handle    string    `json:"handle,omitempty"`
	After     string    `json:"after,omitempty"`
	Before    string    `json:"before,omitempty"`
	Attempted bool      `json:"tried,omitempty"`
	Delivered bool      `json:"stays,omitempty"`
	At        time.Time `json:"at"`
}

type finishedNotice struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// liveMessage is the live message in which the answer to a task is shown while it is written.
type liveMessage struct {
	Task        string    `json:"task"`
	Handle      string    `json:"handle,omitempty"` // "" once it is finished
	HasQuestion bool      `json:"asked,omitempty"`  // a question was posted below it
	At          time.Time `json:"at"`
}

// confirmation is a confirmation that was posted. Hidden means that it could not be shown literally. Text
// is the text of the message with its buttons.
type confirmation struct {
	Code   string    `json:"code"`
	Chat   string    `json:"chat"`
	Handle string    `json:"handle,omitempty"`
	Text   string    `json:"text,omitempty"`
	Hidden bool      `json:"hidden,omitempty"`
	Shown  time.Time `json:"shown,omitzero"` // by the messenger's clock
	At     time.Time `json:"at"`
	Closed bool      `json:"over,omitempty"`
}

// offer is the message with the button that takes a change back. It has no text once the button was pressed.
type offer struct {
	Change string    `json:"change"`
	Chat   string    `json:"chat,omitempty"`
	Handle string    `json:"handle,omitempty"`
	Text   string    `json:"text,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

type deliveryRecord struct {
	Delivery     *delivery       `json:"mark,omitempty"`
	Finished     *finishedNotice `json:"told,omitempty"`
	Live         *liveMessage    `json:"begun,omitempty"`
	Confirmation *confirmation   `json:"asked,omitempty"`
	Offer        *offer          `json:"offer,omitempty"`
}

// deliveryLog records which notices and pieces the messenger's server has. It is safe for concurrent use.
type deliveryLog struct {
	journal *journal.Journal
	now     func() time.Time

	mu            sync.Mutex
	deliveries    map[string]map[int]delivery // by notice and part
	finished      []finishedNotice
	liveMessages  map[string]liveMessage  // by task
	confirmations map[string]confirmation // by code
	offers        map[string]offer        // by change
	lastShown     map[string]time.Time    // by chat: when its last confirmation was shown
	lastPosted    map[string]string       // by chat: the last message posted there
	compactedSize int64
}

func newDeliveryLog(path string, now func() time.Time) *deliveryLog {
	return &deliveryLog{
		journal: journal.New(path), now: now, deliveries: map[string]map[int]delivery{}, liveMessages: map[string]liveMessage{},
		confirmations: map[string]confirmation{}, offers: map[string]offer{}, lastShown: map[string]time.Time{}, lastPosted: map[string]string{},
	}
}

func (s *deliveryLog) load() ([]journal.Damage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	damaged, err := s.journal.Read(func(record []byte) error {
		var l deliveryRecord
		if err := json.Unmarshal(record, &l); err != nil {
			return err
		}
		s.apply(l)
		return nil
	})
	if err != nil {
		return damaged, fmt.Errorf("cannot read the record of sent messages: %w", err)
	}
	return damaged, nil
}

func (s *deliveryLog) apply(l deliveryRecord) {
	if m := l.Delivery; m != nil {
		if s.deliveries[m.Notice] == nil {
			s.deliveries[m.Notice] = map[int]delivery{}
		}
		s.deliveries[m.Notice][m.Part] = *m
		s.boundEarlierAttempts(*m)
	}
	if t := l.Finished; t != nil {
		delete(s.deliveries, t.ID)
		s.finished = append(s.finished, *t)
		for len(s.finished) > maxFinished || t.At.Sub(s.finished[0].At) > finishedTTL {
			s.finished = s.finished[1:]
		}
	}
	if b := l.Live; b != nil {
		s.liveMessages[b.Task] = *b
		if b.Handle == "" {
			delete(s.liveMessages, b.Task)
		}
	}
	if a := l.Confirmation; a != nil {
		s.applyConfirmation(*a)
	}
	if o := l.Offer; o != nil {
		s.offers[o.Change] = *o
		if o.Text == "" {
			delete(s.offers, o.Change)
		}
	}
	s.prune()
}

// boundEarlierAttempts uses a posted message as the upper bound of copies: a piece that was being sent to the
// same chat earlier is before it.
func (s *deliveryLog) boundEarlierAttempts(posted delivery) {
	if !posted.Delivered || posted.Chat == "" || posted.Handle == "" {
		return
	}
	if len(s.lastPosted) >= maxRemembered {
		clear(s.lastPosted)
	}
	s.lastPosted[posted.Chat] = posted.Handle
	for _, parts := range s.deliveries {
		for part, m := range parts {
			if m.Attempted && m.Chat == posted.Chat && m.Before == "" {
				m.Before = posted.Handle
				parts[part] = m
			}
		}
	}
}

func (s *deliveryLog) applyConfirmation(a confirmation) {
	if a.Closed {
		delete(s.confirmations, a.Code)
		return
	}
	s.confirmations[a.Code] = a
	if a.Shown.After(s.lastShown[a.Chat]) {
		s.lastShown[a.Chat] = a.Shown
	}
}

// prune removes records that are too old or too many.
func (s *deliveryLog) prune() {
	now := s.now()
	pruneOldest(s.confirmations, maxConfirmations, now.Add(-confirmationTTL), func(c confirmation) time.Time { return c.At })
	pruneOldest(s.offers, maxOffers, now.Add(-finishedTTL), func(o offer) time.Time { return o.At })
	pruneOldest(s.liveMessages, maxLiveMessages, now.Add(-finishedTTL), func(m liveMessage) time.Time { return m.At })
	if len(s.deliveries) <= maxUnfinished {
		return
	}
	for id, parts := range s.deliveries {
		for _, m := range parts {
			if now.Sub(m.At) > finishedTTL {
				delete(s.deliveries, id)
			}
		}
	}
}

// pruneOldest removes the entries that are older than a time, and then the oldest of more than limit.
func pruneOldest[V any](all map[string]V, limit int, since time.Time, at func(V) time.Time) {
	maps.DeleteFunc(all, func(_ string, v V) bool { return at(v).Before(since) })
	if len(all) <= limit {
		return
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return at(all[a]).Compare(at(all[b])) })
	for _, key := range keys[:len(all)-limit] {
		delete(all, key)
	}
}

// record appends a line and applies it. If sync is set, it returns once the line is on disk.
func (s *deliveryLog) record(l deliveryRecord, sync bool) error {
	s.mu.Lock()
	at, err := s.journal.Append(l)
	s.apply(l)
	if err == nil {
		err = s.compact()
	}
	s.mu.Unlock()
	if err == nil && sync {
		err = s.journal.Sync(at)
	}
	return err
}

func (s *deliveryLog) compact() error {
	if s.journal.Size() < max(minCompactSize, compactFactor*s.compactedSize) {
		return nil
	}
	var lines []any
	for i := range s.finished {
		lines = append(lines, deliveryRecord{Finished: &s.finished[i]})
	}
	for _, parts := range s.deliveries {
		for _, m := range parts {
			lines = append(lines, deliveryRecord{Delivery: &m})
		}
	}
	for _, b := range s.liveMessages {
		lines = append(lines, deliveryRecord{Live: &b})
	}
	for _, a := range s.confirmations {
		lines = append(lines, deliveryRecord{Confirmation: &a})
	}
	for _, o := range s.offers {
		lines = append(lines, deliveryRecord{Offer: &o})
	}
	err := s.journal.Rewrite(lines)
	s.compactedSize = s.journal.Size()
	return err
}

func (s *deliveryLog) isFinished(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.finished, func(t finishedNotice) bool { return t.ID == id })
}

func (s *deliveryLog) deliveryOf(notice string, part int) delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deliveries[notice][part]
}

// lastPostedIn returns the last message known to be posted to a chat, or "".
func (s *deliveryLog) lastPostedIn(chat string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastPosted[chat]
}

// liveMessageOf returns the live message of a task. Its handle is empty if there is none.
func (s *deliveryLog) liveMessageOf(task string) liveMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.liveMessages[task]
}

func (s *deliveryLog) confirmationFor(code string) (confirmation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.confirmations[code]
	return a, ok
}

// offerOf returns the message with the button that takes a change back.
func (s *deliveryLog) offerOf(change string) (offer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.offers[change]
	return o, ok
}

// openConfirmations returns the codes of the open confirmations.
func (s *deliveryLog) openConfirmations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.confirmations))
}

// predatesConfirmation reports whether a message sent at at cannot answer the chat's last confirmation, because it
// was written before the confirmation was shown, or the confirmation was not shown literally. Both
// times are the messenger's, in whole seconds.
func (s *deliveryLog) predatesConfirmation(chat string, at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.confirmations {
		if a.Chat == chat && (a.Hidden || a.Shown.IsZero()) {
			return true
		}
	}
	shown, ok := s.lastShown[chat]
	return ok && (at.IsZero() || at.Unix() < shown.Unix())
}
