package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/journal"
)

// Limits of the records of sent messages.
const (
	mostTold   = 2000
	toldFor    = 8 * 24 * time.Hour // a day longer than the daemon keeps a notice
	mostAsks   = 200
	askedFor   = 25 * time.Hour // an hour longer than a confirmation is valid
	mostLive   = 200
	mostParted = 1000
)

// mark records that the messenger's server has a piece of a notice, or that the piece is being
// sent. Tried without Stays means that the server may have it. Then a copy is between the messages
// After and Before of its chat; "" is unknown.
type mark struct {
	Notice string    `json:"notice"`
	Part   int       `json:"part"`
	Chat   string    `json:"chat,omitempty"`
	Handle string    `json:"handle,omitempty"`
	After  string    `json:"after,omitempty"`
	Before string    `json:"before,omitempty"`
	Tried  bool      `json:"tried,omitempty"`
	Stays  bool      `json:"stays,omitempty"`
	At     time.Time `json:"at"`
}

// told records that a notice is finished.
type told struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// beginning is the live message in which the answer to a task is shown while it is written.
type beginning struct {
	Task   string    `json:"task"`
	Handle string    `json:"handle,omitempty"` // "" once it is finished
	Asked  bool      `json:"asked,omitempty"`  // a question was posted below it
	At     time.Time `json:"at"`
}

// asked is a confirmation that was posted. Hidden means that it could not be shown literally. Text
// is the text of the message with its buttons.
type asked struct {
	Code   string    `json:"code"`
	Chat   string    `json:"chat"`
	Handle string    `json:"handle,omitempty"`
	Text   string    `json:"text,omitempty"`
	Hidden bool      `json:"hidden,omitempty"`
	Shown  time.Time `json:"shown,omitzero"` // by the messenger's clock
	At     time.Time `json:"at"`
	Over   bool      `json:"over,omitempty"`
}

type sentLine struct {
	Mark  *mark      `json:"mark,omitempty"`
	Told  *told      `json:"told,omitempty"`
	Begun *beginning `json:"begun,omitempty"`
	Asked *asked     `json:"asked,omitempty"`
}

// sent records which notices and pieces the messenger's server has. It is safe for concurrent use.
type sent struct {
	journal *journal.Journal
	now     func() time.Time

	mu     sync.Mutex
	marks  map[string]map[int]mark // by notice and part
	told   []told
	begun  map[string]beginning // by task
	asks   map[string]asked     // by code
	shown  map[string]time.Time // by chat: when its last confirmation was shown
	last   map[string]string    // by chat: the last message posted there
	tidied int64
}

func newSent(path string, now func() time.Time) *sent {
	return &sent{
		journal: journal.New(path), now: now, marks: map[string]map[int]mark{}, begun: map[string]beginning{},
		asks: map[string]asked{}, shown: map[string]time.Time{}, last: map[string]string{},
	}
}

func (s *sent) load() ([]journal.Damage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	damaged, err := s.journal.Read(func(record []byte) error {
		var l sentLine
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

func (s *sent) apply(l sentLine) {
	if m := l.Mark; m != nil {
		if s.marks[m.Notice] == nil {
			s.marks[m.Notice] = map[int]mark{}
		}
		s.marks[m.Notice][m.Part] = *m
		s.follows(*m)
	}
	if t := l.Told; t != nil {
		delete(s.marks, t.ID)
		s.told = append(s.told, *t)
		for len(s.told) > mostTold || t.At.Sub(s.told[0].At) > toldFor {
			s.told = s.told[1:]
		}
	}
	if b := l.Begun; b != nil {
		s.begun[b.Task] = *b
		if b.Handle == "" {
			delete(s.begun, b.Task)
		}
	}
	if a := l.Asked; a != nil {
		s.applyAsked(*a)
	}
	s.bound()
}

// follows uses a posted message as the upper bound of copies: a piece that was being sent to the
// same chat earlier is before it.
func (s *sent) follows(posted mark) {
	if !posted.Stays || posted.Chat == "" || posted.Handle == "" {
		return
	}
	if len(s.last) >= mostMet {
		clear(s.last)
	}
	s.last[posted.Chat] = posted.Handle
	for _, parts := range s.marks {
		for part, m := range parts {
			if m.Tried && m.Chat == posted.Chat && m.Before == "" {
				m.Before = posted.Handle
				parts[part] = m
			}
		}
	}
}

func (s *sent) applyAsked(a asked) {
	if a.Over {
		delete(s.asks, a.Code)
		return
	}
	s.asks[a.Code] = a
	if a.Shown.After(s.shown[a.Chat]) {
		s.shown[a.Chat] = a.Shown
	}
}

// bound removes records that are too old or too many.
func (s *sent) bound() {
	now := s.now()
	for code, a := range s.asks {
		if now.Sub(a.At) > askedFor || len(s.asks) > mostAsks {
			delete(s.asks, code)
		}
	}
	for task, b := range s.begun {
		if now.Sub(b.At) > toldFor || len(s.begun) > mostLive {
			delete(s.begun, task)
		}
	}
	if len(s.marks) <= mostParted {
		return
	}
	for id, parts := range s.marks {
		for _, m := range parts {
			if now.Sub(m.At) > toldFor {
				delete(s.marks, id)
			}
		}
	}
}

// note appends a line and applies it. If sync is set, it returns once the line is on disk.
func (s *sent) note(l sentLine, sync bool) error {
	s.mu.Lock()
	at, err := s.journal.Append(l)
	s.apply(l)
	if err == nil {
		err = s.tidy()
	}
	s.mu.Unlock()
	if err == nil && sync {
		err = s.journal.Sync(at)
	}
	return err
}

func (s *sent) tidy() error {
	if s.journal.Size() < max(shortestTidy, tidyHeadroom*s.tidied) {
		return nil
	}
	var lines []any
	for i := range s.told {
		lines = append(lines, sentLine{Told: &s.told[i]})
	}
	for _, parts := range s.marks {
		for _, m := range parts {
			lines = append(lines, sentLine{Mark: &m})
		}
	}
	for _, b := range s.begun {
		lines = append(lines, sentLine{Begun: &b})
	}
	for _, a := range s.asks {
		lines = append(lines, sentLine{Asked: &a})
	}
	err := s.journal.Rewrite(lines)
	s.tidied = s.journal.Size()
	return err
}

// isTold reports whether a notice is finished.
func (s *sent) isTold(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.told, func(t told) bool { return t.ID == id })
}

// at returns the delivery state of a piece.
func (s *sent) at(notice string, part int) mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.marks[notice][part]
}

// lastIn returns the last message known to be posted to a chat, or "".
func (s *sent) lastIn(chat string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[chat]
}

// beginningOf returns the live message of a task. Its handle is empty if there is none.
func (s *sent) beginningOf(task string) beginning {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun[task]
}

// askedBy returns an open confirmation.
func (s *sent) askedBy(code string) (asked, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.asks[code]
	return a, ok
}

// open returns the codes of the open confirmations.
func (s *sent) open() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.asks))
}

// early reports whether a message sent at at cannot answer the chat's last confirmation, because it
// was written before the confirmation was shown, or the confirmation was not shown literally. Both
// times are the messenger's, in whole seconds.
func (s *sent) early(chat string, at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asks {
		if a.Chat == chat && (a.Hidden || a.Shown.IsZero()) {
			return true
		}
	}
	shown, ok := s.shown[chat]
	return ok && (at.IsZero() || at.Unix() < shown.Unix())
}
