package task

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// maxEnded is how many finished tasks are remembered, and maxTraces for how many more the message id is
// remembered.
const (
	maxEnded  = 50
	maxTraces = 1000
)

// maxJournal is the journal's size in bytes from which it is rewritten, if most of it is obsolete.
const maxJournal = 1 << 20

// Store holds the tasks of one daemon. It is safe for concurrent use.
type Store struct {
	journal *journal.Journal
	now     func() time.Time

	mu            sync.Mutex
	live          map[string]Record
	ended         []Record // brief, oldest first
	old           []Record // traces of earlier ones, oldest first
	rewrittenSize int64    // size of the journal when it was last rewritten
	// unknown holds the records of tasks in an unknown state, by task id. They are kept unchanged and never run.
	unknown map[string][]any

	redactor  func() *secret.Redactor
	passwords map[string][]string // passwords in the message, by task until it is over
}

// ErrUnknown reports that there is no such task.
var ErrUnknown = errors.New("no such task")

// New returns the store of a file. It reads nothing yet.
func New(file string, now func() time.Time) *Store {
	return &Store{journal: journal.New(file), now: now, live: map[string]Record{}, unknown: map[string][]any{}, passwords: map[string][]string{}}
}

// Load reads the tasks of earlier daemons. It returns those that are not over, oldest first, and the damage found.
func (s *Store) Load() ([]Record, []journal.Damage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	damaged, err := s.journal.Read(func(line []byte) error {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		return s.applyLine(r, line)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the tasks: %w", err)
	}
	var open []Record
	for _, r := range s.live {
		open = append(open, r)
	}
	sorting.By(open, compareAge)
	return open, damaged, nil
}

// errUnknownState reports a task in an unknown state.
var errUnknownState = errors.New("unknown state")

// applyLine applies a line of the journal. A task in an unknown state is neither run nor dropped.
func (s *Store) applyLine(r Record, line []byte) error {
	_, strange := s.unknown[r.ID]
	if !strange && r.State.isKnown() {
		s.placeRecord(merge(s.live[r.ID], r))
		return nil
	}
	if old, ok := s.live[r.ID]; ok {
		delete(s.live, r.ID)
		s.unknown[r.ID] = append(s.unknown[r.ID], old)
	}
	s.unknown[r.ID] = append(s.unknown[r.ID], json.RawMessage(bytes.Clone(line)))
	return errUnknownState
}

func compareAge(a, b Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// merge applies a later line, which contains only changes, to an earlier record.
func merge(old, r Record) Record {
	if old.ID == "" {
		return r
	}
	old.State, old.Updated = r.State, r.Updated
	old.Attempts, old.Approval, old.Delivered, old.Update = r.Attempts, r.Approval, r.Delivered, r.Update
	old.Tokens, old.Rounds, old.Commands = r.Tokens, r.Rounds, r.Commands
	if r.Answer != "" {
		old.Answer = r.Answer
	}
	if r.Error != nil {
		old.Error = r.Error
	}
	return old
}

// change returns the line that records a change of a task.
func (r Record) change(answer bool) Record {
	c := Record{
		ID: r.ID, State: r.State, Updated: r.Updated, Attempts: r.Attempts, Approval: r.Approval, Delivered: r.Delivered,
		Tokens: r.Tokens, Rounds: r.Rounds, Commands: r.Commands, Error: r.Error, Update: r.Update,
	}
	if answer {
		c.Answer = r.Answer
	}
	return c
}

// placeRecord files a record under live or ended tasks. It is ended once its answer was delivered and its
// conversation is complete.
func (s *Store) placeRecord(r Record) {
	if !r.State.Ended() || !r.Delivered || r.Update != nil {
		s.live[r.ID] = r
		return
	}
	delete(s.live, r.ID)
	s.ended = append(s.ended, r.brief())
	if over := len(s.ended) - maxEnded; over > 0 {
		for _, r := range s.ended[:over] {
			s.keepTrace(r)
		}
		s.ended = slices.Delete(s.ended, 0, over)
	}
}

// keepTrace keeps the trace of a task that is dropped from the ended ones.
func (s *Store) keepTrace(r Record) {
	if r.MessageID == "" || r.wasRefused() {
		return
	}
	s.old = append(s.old, r.trace())
	if over := len(s.old) - maxTraces; over > 0 {
		s.old = slices.Delete(s.old, 0, over)
	}
}

// ByMessageID returns the id of the task that a message became.
func (s *Store) ByMessageID(channel, name, letter string) (id string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(r Record) bool {
		return r.MessageID == letter && r.Channel == channel && r.Name == name && !r.wasRefused()
	}
	for _, r := range s.live {
		if is(r) {
			return r.ID, true
		}
	}
	for _, list := range [][]Record{s.ended, s.old} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i].ID, true
		}
	}
	return "", false
}

// Accept stores a new task and returns once it is on disk.
func (s *Store) Accept(r Record) error {
	sync, err := s.AcceptUnsynced(r)
	if err == nil {
		err = sync()
	}
	return err
}

// AcceptUnsynced stores a new task, which survives the end of the program. It is on disk, and can be acknowledged, once
// sync has returned.
func (s *Store) AcceptUnsynced(r Record) (sync func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r = s.clean(r)
	at, err := s.journal.Append(r)
	if err != nil {
		return nil, fmt.Errorf("cannot save the message: %w", err)
	}
	s.live[r.ID] = r
	return func() error {
		if err := s.journal.Sync(at); err != nil {
			return fmt.Errorf("cannot save the message: %w", err)
		}
		return nil
	}, nil
}

// AcceptUnsaved accepts a new task while the disk takes no records. Only this daemon knows it, and a crash loses
// it.
func (s *Store) AcceptUnsaved(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Unsaved = true
	s.live[r.ID] = r
}

// MarkRefused drops a task that was accepted and cannot be queued.
func (s *Store) MarkRefused(id string) error {
	return s.Update(id, false, func(r *Record) error { return r.move(Abort) }, markDelivered)
}

func markDelivered(r *Record) error { r.Delivered = true; return nil }

// move changes the state.
func (r *Record) move(c Change) error {
	next, err := r.State.Next(c)
	if err == nil {
		r.State = next
	}
	if c == Start {
		r.Attempts++
	}
	return err
}

// Move changes a task's state. The change survives a crash of the program immediately, and of the machine after
// the next sync.
func (s *Store) Move(id string, c Change) error {
	return s.Update(id, false, func(r *Record) error { return r.move(c) })
}

// Pause marks a task as waiting for the approval with a code.
func (s *Store) Pause(id, code string) error {
	return s.Update(id, false, func(r *Record) error { r.Approval = code; return r.move(Pause) })
}

// Resume marks a task as running again.
func (s *Store) Resume(id string) error {
	return s.Update(id, false, func(r *Record) error { r.Approval = ""; return r.move(Resume) })
}

// End is how a task ended.
type End struct {
	Change Change // Finish, Fail or Abort
	Answer string // for the person
	Error  *Failure
	Update *ConversationUpdate // to add to the conversation
}

// End stores a task's end with its answer and returns once both are on disk and the answer may be sent.
func (s *Store) End(id string, e End) error {
	return s.Update(id, true, func(r *Record) error {
		r.Answer, r.Error, r.Approval, r.Update = e.Answer, e.Error, "", e.Update
		return r.move(e.Change)
	})
}

// MarkDelivered records that a task's answer was delivered. The task is over then.
func (s *Store) MarkDelivered(id string) error { return s.Update(id, false, markDelivered) }

// MarkUpdated records that a task's conversation is complete.
func (s *Store) MarkUpdated(id string) error {
	return s.Update(id, false, func(r *Record) error { r.Update = nil; return nil })
}

// Count adds to the counters of a task.
func (s *Store) Count(id string, rounds, tokens, commands int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.live[id]; ok {
		r.Rounds, r.Tokens, r.Commands = r.Rounds+rounds, r.Tokens+tokens, r.Commands+commands
		s.live[id] = r
	}
}

// Update changes a task and writes the change to the journal. With sync it returns once that is on disk. A change
// that cannot be written is not made.
func (s *Store) Update(id string, sync bool, changes ...func(*Record) error) error {
	at, err := s.update(id, changes)
	if err == nil && sync && at != (journal.Mark{}) {
		err = s.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot save state of task %s: %w", id, err)
	}
	return nil
}

func (s *Store) update(id string, changes []func(*Record) error) (journal.Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.live[id]
	if !ok {
		return journal.Mark{}, ErrUnknown
	}
	had := r.Answer
	for _, change := range changes {
		if err := change(&r); err != nil {
			return journal.Mark{}, err
		}
	}
	r.Updated = s.now()
	r = s.clean(r)
	if r.Unsaved {
		s.placeRecord(r)
		return journal.Mark{}, nil
	}
	at, err := s.journal.Append(r.change(r.Answer != had))
	if err != nil {
		return at, err
	}
	s.placeRecord(r)
	s.shorten()
	return at, nil
}

// shorten rewrites a journal that has grown, without obsolete lines. If that fails, the journal stays as it is, and a
// later change tries again.
func (s *Store) shorten() {
	if size := s.journal.Size(); size >= crash.Scaled(maxJournal) && size >= 2*s.rewrittenSize {
		_ = s.rewrite()
	}
}

func (s *Store) rewrite() error {
	var records []any
	for _, r := range s.old {
		records = append(records, r)
	}
	for _, r := range slices.Concat(s.ended, s.all()) {
		if !r.Unsaved {
			records = append(records, r)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.unknown)) {
		records = append(records, s.unknown[id]...)
	}
	err := s.journal.Rewrite(records)
	s.rewrittenSize = s.journal.Size()
	return err
}

func (s *Store) all() []Record {
	var open []Record
	for _, r := range s.live {
		open = append(open, r)
	}
	sorting.By(open, compareAge)
	return open
}

// Get returns a task that is still remembered.
func (s *Store) Get(id string) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.live[id]; ok {
		return r, nil
	}
	for _, r := range s.ended {
		if r.ID == id {
			return r, nil
		}
	}
	return Record{}, ErrUnknown
}

// List returns the tasks that are still remembered, in brief, oldest first.
func (s *Store) List() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.ended)
	for _, r := range s.live {
		list = append(list, r.brief())
	}
	sorting.By(list, compareAge)
	return list
}

// Close closes the journal.
func (s *Store) Close() { s.journal.Close() }
