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

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/journal"
	"github.com/nidoit/blunux-ai/secret"
)

// keptEnded is how many tasks that are over are remembered, keptLetters of how many
// more it is known which message they were.
const (
	keptEnded   = 50
	keptLetters = 1000
)

// maxJournal is how long the journal gets, in bytes, before what is over is
// taken out of it, if that is most of it.
const maxJournal = 1 << 20

// Store is the tasks of one daemon. It is safe for concurrent use.
type Store struct {
	journal *journal.Journal
	now     func() time.Time

	mu    sync.Mutex
	live  map[string]Record
	ended []Record // brief, the oldest first
	old   []Record // traces of those before, the oldest first
	lines int64    // size of the journal when it was last rewritten
	// strange are the records of tasks in a state that is not known, by their ids:
	// they are kept as they are, and nothing is done with them.
	strange map[string][]any

	redactor func() *secret.Redactor
	told     map[string][]string // by task, while it is not over
}

// ErrUnknown reports a task there is none of.
var ErrUnknown = errors.New("no such task")

// New returns the tasks kept in a file; nothing is read yet.
func New(file string, now func() time.Time) *Store {
	return &Store{journal: journal.New(file), now: now, live: map[string]Record{}, strange: map[string][]any{}, told: map[string][]string{}}
}

// Load reads what a former daemon left and returns its tasks that are not over,
// the oldest first, and the damage found.
func (s *Store) Load() ([]Record, []journal.Damage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	damaged, err := s.journal.Read(func(line []byte) error {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		return s.take(r, line)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the tasks: %w", err)
	}
	var open []Record
	for _, r := range s.live {
		open = append(open, r)
	}
	slices.SortFunc(open, earlier)
	return open, damaged, nil
}

// errStrange reports a task in a state that is not known.
var errStrange = errors.New("unknown state")

// take takes up a line of the journal. A task in a state that is not known is neither
// run nor forgotten.
func (s *Store) take(r Record, line []byte) error {
	_, strange := s.strange[r.ID]
	if !strange && r.State.known() {
		s.place(merged(s.live[r.ID], r))
		return nil
	}
	if old, ok := s.live[r.ID]; ok {
		delete(s.live, r.ID)
		s.strange[r.ID] = append(s.strange[r.ID], old)
	}
	s.strange[r.ID] = append(s.strange[r.ID], json.RawMessage(bytes.Clone(line)))
	return errStrange
}

func earlier(a, b Record) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) }

// merged lays a later line over an earlier one: it only says what changed.
func merged(old, r Record) Record {
	if old.ID == "" {
		return r
	}
	old.State, old.Updated = r.State, r.Updated
	old.Attempts, old.Approval, old.Told, old.Unsaid = r.Attempts, r.Approval, r.Told, r.Unsaid
	old.Tokens, old.Rounds, old.Commands = r.Tokens, r.Rounds, r.Commands
	if r.Answer != "" {
		old.Answer = r.Answer
	}
	if r.Error != nil {
		old.Error = r.Error
	}
	return old
}

// change is what a later line says of a task.
func (r Record) change(answer bool) Record {
	c := Record{
		ID: r.ID, State: r.State, Updated: r.Updated, Attempts: r.Attempts, Approval: r.Approval, Told: r.Told,
		Tokens: r.Tokens, Rounds: r.Rounds, Commands: r.Commands, Error: r.Error, Unsaid: r.Unsaid,
	}
	if answer {
		c.Answer = r.Answer
	}
	return c
}

// place puts a record where it belongs: among those that are over once its end
// was told and stands in its conversation.
func (s *Store) place(r Record) {
	if !r.State.Ended() || !r.Told || r.Unsaid != nil {
		s.live[r.ID] = r
		return
	}
	delete(s.live, r.ID)
	s.ended = append(s.ended, r.brief())
	if over := len(s.ended) - keptEnded; over > 0 {
		for _, r := range s.ended[:over] {
			s.outlive(r)
		}
		s.ended = slices.Delete(s.ended, 0, over)
	}
}

// outlive keeps the trace of a task that is forgotten.
func (s *Store) outlive(r Record) {
	if r.Letter == "" || r.refused() {
		return
	}
	s.old = append(s.old, r.trace())
	if over := len(s.old) - keptLetters; over > 0 {
		s.old = slices.Delete(s.old, 0, over)
	}
}

// OfLetter returns the id of the task that a message became.
func (s *Store) OfLetter(channel, name, letter string) (id string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(r Record) bool {
		return r.Letter == letter && r.Channel == channel && r.Name == name && !r.refused()
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

// Accept keeps a new task and returns when it is on the disk.
func (s *Store) Accept(r Record) error {
	s.mu.Lock()
	r = s.cleaned(r)
	at, err := s.journal.Append(r)
	if err == nil {
		s.live[r.ID] = r
	}
	s.mu.Unlock()
	if err == nil {
		err = s.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the message: %w", err)
	}
	return nil
}

// AcceptUnkept takes a new task while the disk takes no records: it is known to this
// daemon only, and a crash forgets it.
func (s *Store) AcceptUnkept(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Unkept = true
	s.live[r.ID] = r
}

// Refused forgets a task that was accepted and cannot be queued.
func (s *Store) Refused(id string) error {
	return s.Update(id, false, func(r *Record) error { return r.move(Abort) }, told)
}

func told(r *Record) error { r.Told = true; return nil }

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

// Move changes a task's state. The change survives the program at once; it is
// on the disk with the next thing that is synced.
func (s *Store) Move(id string, c Change) error {
	return s.Update(id, false, func(r *Record) error { return r.move(c) })
}

// Pause marks a task as waiting for the approval with a code.
func (s *Store) Pause(id, code string) error {
	return s.Update(id, false, func(r *Record) error { r.Approval = code; return r.move(Pause) })
}

// Resume marks a task as going on.
func (s *Store) Resume(id string) error {
	return s.Update(id, false, func(r *Record) error { r.Approval = ""; return r.move(Resume) })
}

// End is how a task ended.
type End struct {
	Change Change // Finish, Fail or Abort
	Answer string // for the person
	Error  *Failure
	Unsaid *Unsaid // what is to be added to the conversation
}

// End keeps a task's end with its answer and returns when both are on the disk,
// so that the answer may be sent.
func (s *Store) End(id string, e End) error {
	return s.Update(id, true, func(r *Record) error {
		r.Answer, r.Error, r.Approval, r.Unsaid = e.Answer, e.Error, "", e.Unsaid
		return r.move(e.Change)
	})
}

// Told notes that a task's answer left. It is over with that.
func (s *Store) Told(id string) error { return s.Update(id, false, told) }

// Said notes that nothing is missing in a task's conversation any more.
func (s *Store) Said(id string) error {
	return s.Update(id, false, func(r *Record) error { r.Unsaid = nil; return nil })
}

// Count adds what a task took.
func (s *Store) Count(id string, rounds, tokens, commands int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.live[id]; ok {
		r.Rounds, r.Tokens, r.Commands = r.Rounds+rounds, r.Tokens+tokens, r.Commands+commands
		s.live[id] = r
	}
}

// Update changes a task and writes it down; with sync it returns when that is
// on the disk. What cannot be written is not changed.
func (s *Store) Update(id string, sync bool, changes ...func(*Record) error) error {
	at, err := s.update(id, changes)
	if err == nil && sync && at != (journal.Mark{}) {
		err = s.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot keep what became of task %s: %w", id, err)
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
	r = s.cleaned(r)
	if r.Unkept {
		s.place(r)
		return journal.Mark{}, nil
	}
	at, err := s.journal.Append(r.change(r.Answer != had))
	if err != nil {
		return at, err
	}
	s.place(r)
	return at, s.shorten()
}

// shorten takes what is over out of a journal that has grown.
func (s *Store) shorten() error {
	if size := s.journal.Size(); size < crash.Scaled(maxJournal) || size < 2*s.lines {
		return nil
	}
	return s.rewrite()
}

func (s *Store) rewrite() error {
	var records []any
	for _, r := range s.old {
		records = append(records, r)
	}
	for _, r := range slices.Concat(s.ended, s.all()) {
		if !r.Unkept {
			records = append(records, r)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.strange)) {
		records = append(records, s.strange[id]...)
	}
	err := s.journal.Rewrite(records)
	s.lines = s.journal.Size()
	return err
}

func (s *Store) all() []Record {
	var open []Record
	for _, r := range s.live {
		open = append(open, r)
	}
	slices.SortFunc(open, earlier)
	return open
}

// Get returns a task, as long as it is remembered.
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

// List returns the tasks that are remembered, in brief, the oldest first.
func (s *Store) List() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.ended)
	for _, r := range s.live {
		list = append(list, r.brief())
	}
	slices.SortFunc(list, earlier)
	return list
}

// Close lets go of the journal.
func (s *Store) Close() { s.journal.Close() }
