package automation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/journal"
)

// The bounds of what is remembered.
const (
	keptOfRule = 100    // ended runs of a rule
	keptOfAll  = 20_000 // ended runs of all rules
	// maxLedger is how long the ledger gets, in bytes, before what is forgotten is
	// taken out of it, if that is most of it.
	maxLedger = 1 << 20
	maxTold   = 4 << 10 // bytes of a run's text
)

// Run is a due time of a rule and what became of it; one that was skipped may
// stand for several.
type Run struct {
	ID   string    `json:"id"`
	Rule string    `json:"rule"`
	Due  time.Time `json:"due"`
	// Event is what began it where that was no schedule: an event as the rule
	// names it, or [Manual].
	Event   string    `json:"event,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	State   State     `json:"state,omitempty"` // "" while it is at work
	Reason  string    `json:"reason,omitempty"`
	// Count is of how many due times, Through the last of them; 0 for one.
	Count   int       `json:"count,omitempty"`
	Through time.Time `json:"through,omitzero"`
	// Attempts is how often it was begun: a daemon may have died at it.
	Attempts int    `json:"attempts,omitempty"`
	Task     string `json:"task,omitempty"`
	Fired    bool   `json:"fired,omitempty"` // its condition held
	Text     string `json:"text,omitempty"`  // what was told of it
}

// Manual is the event of a run that a person began.
const Manual = "manual"

// last is the latest due time that the run stands for.
func (r *Run) last() time.Time {
	if r.Through.After(r.Due) {
		return r.Through
	}
	return r.Due
}

// scheduled reports whether the run stands for times of a schedule.
func (r Run) scheduled() bool { return r.Event == "" }

// runID names a due time. A rule's event is told from others by its key.
func runID(rule string, due time.Time, event string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + strconv.FormatInt(due.Unix(), 10) + "\x00" + event))
	return "r" + hex.EncodeToString(sum[:6])
}

// mark is up to when a rule is settled without a run that says so: since it was
// first seen, changed, or the clock was set back by far.
type mark struct {
	Rule    string    `json:"rule"`
	As      string    `json:"as,omitempty"` // what its times depend on
	Through time.Time `json:"through,omitzero"`
	// Event and Key are the latest occurrence of an event.
	Event string `json:"event,omitempty"`
	Key   string `json:"key,omitempty"`
}

// ledgerLine is a line of the journal. A later line of a run lies over earlier
// ones.
type ledgerLine struct {
	Run  *Run  `json:"run,omitempty"`
	Mark *mark `json:"mark,omitempty"`
}

// ruleBook is what the ledger knows of one rule.
type ruleBook struct {
	as      string
	through time.Time
	events  map[string]string
	open    []Run
	ended   []Run // by when they ended
}

// Ledger holds what became of each due time. It is safe for concurrent use.
type Ledger struct {
	journal *journal.Journal

	mu      sync.Mutex
	changed chan struct{} // closed when something is written
	rules   map[string]*ruleBook
	open    map[string]string // runs at work: rules by id
	keep    int               // of a rule
	ended   int
	lines   int64 // size of the journal when it was last rewritten, or would have been
}

// NewLedger returns the ledger kept in a file; nothing is read yet.
func NewLedger(file string) *Ledger {
	return &Ledger{journal: journal.New(file), rules: map[string]*ruleBook{}, open: map[string]string{}, keep: keptOfRule, changed: make(chan struct{})}
}

// Load reads the ledger and returns the damage found.
func (l *Ledger) Load() ([]journal.Damage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var records, size int64
	damaged, err := l.journal.Read(func(record []byte) error {
		records, size = records+1, size+int64(len(record))
		var line ledgerLine
		if err := json.Unmarshal(record, &line); err != nil {
			return err
		}
		l.apply(line)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read what automations did: %w", err)
	}
	if records > 0 { // else each daemon would rewrite a long one that is needed
		l.lines = size * l.needed() / records
	}
	return damaged, nil
}

// needed is how many lines the ledger would have if it was rewritten.
func (l *Ledger) needed() int64 {
	n := l.ended + len(l.open) + len(l.rules)
	for _, b := range l.rules {
		n += len(b.events)
	}
	return int64(n)
}

func (l *Ledger) book(rule string) *ruleBook {
	b := l.rules[rule]
	if b == nil {
		b = &ruleBook{events: map[string]string{}}
		l.rules[rule] = b
	}
	return b
}

func (l *Ledger) apply(line ledgerLine) {
	if m := line.Mark; m != nil {
		b := l.book(m.Rule)
		if m.Event != "" {
			b.events[m.Event] = m.Key
			return
		}
		if m.Through.Before(b.through) {
			l.void(b, m.Through)
		}
		b.as, b.through = m.As, m.Through
	}
	if r := line.Run; r != nil {
		l.applyRun(*r)
	}
}

// void forgets that times were skipped which are yet to come, since the clock was
// set back.
func (l *Ledger) void(b *ruleBook, from time.Time) {
	kept := b.ended[:0]
	for _, r := range b.ended {
		if r.State == Skipped && r.scheduled() && r.Due.After(from) {
			l.ended--
			continue
		}
		if r.State == Skipped && r.Through.After(from) {
			r.Through, r.Count = from, 0
		}
		kept = append(kept, r)
	}
	b.ended = kept
}

func (l *Ledger) applyRun(r Run) {
	b := l.book(r.Rule)
	if i := slices.IndexFunc(b.open, func(o Run) bool { return o.ID == r.ID }); i >= 0 {
		b.open = slices.Delete(b.open, i, i+1)
	}
	if r.scheduled() && r.last().After(b.through) {
		b.through = r.last()
	}
	if r.State == "" {
		b.open, l.open[r.ID] = append(b.open, r), r.Rule
		return
	}
	delete(l.open, r.ID)
	if i := slices.IndexFunc(b.ended, func(e Run) bool { return e.ID == r.ID }); i >= 0 {
		b.ended[i] = r // what came of it later
		return
	}
	b.ended = append(b.ended, r)
	l.ended++
	if len(b.ended) > l.keep {
		b.ended = slices.Delete(b.ended, 0, 1)
		l.ended--
	}
}

// write appends lines, with one sync for all, and applies them when they are on
// the disk: nothing is begun that the next daemon would not know of.
func (l *Ledger) write(lines ...ledgerLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var at journal.Mark
	for _, line := range lines {
		var err error
		if at, err = l.journal.Append(line); err != nil {
			return fmt.Errorf("cannot write down what automations do: %w", err)
		}
	}
	if err := l.journal.Sync(at); err != nil {
		return fmt.Errorf("cannot write down what automations do: %w", err)
	}
	for _, line := range lines {
		l.apply(line)
	}
	crash.Here(crash.AutomationWritten)
	l.shorten()
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}

// shorten takes what is forgotten out of a long journal. One that cannot be
// shortened goes on growing.
func (l *Ledger) shorten() {
	for l.ended > keptOfAll {
		l.forgetOldest()
	}
	if size := l.journal.Size(); size < crash.Scaled(maxLedger) || size < 2*l.lines {
		return
	}
	if l.journal.Rewrite(l.records()) == nil {
		l.lines = l.journal.Size()
	}
}

// forgetOldest halves what is kept of the rules with the most.
func (l *Ledger) forgetOldest() {
	most := 0
	for _, b := range l.rules {
		most = max(most, len(b.ended))
	}
	for _, b := range l.rules {
		if over := len(b.ended) - most/2; over > 0 {
			b.ended = slices.Delete(b.ended, 0, over)
			l.ended -= over
		}
	}
}

func (l *Ledger) records() []any {
	var all []any
	for rule, b := range l.rules {
		for i := range b.ended {
			all = append(all, ledgerLine{Run: &b.ended[i]})
		}
		for i := range b.open {
			all = append(all, ledgerLine{Run: &b.open[i]})
		}
		for event, key := range b.events {
			all = append(all, ledgerLine{Mark: &mark{Rule: rule, Event: event, Key: key}})
		}
		// Behind its runs: it may lie before them, when the clock was set back.
		all = append(all, ledgerLine{Mark: &mark{Rule: rule, As: b.as, Through: b.through}})
	}
	return all
}

// settled returns up to when a rule's times are over, and what they depended on
// then.
func (l *Ledger) settled(rule string) (through time.Time, as string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.book(rule)
	return b.through, b.as
}

// did reports whether a due time has been at work or was ended otherwise than by
// being skipped.
func (l *Ledger) did(rule string, due time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.book(rule)
	is := func(r Run) bool { return r.scheduled() && r.State != Skipped && r.Due.Equal(due) }
	return slices.ContainsFunc(b.ended, is) || slices.ContainsFunc(b.open, is)
}

// occurred returns the key of an event's latest occurrence.
func (l *Ledger) occurred(rule, event string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.book(rule).events[event]
}

// ErrUnknownRun reports a run that is not at work.
var ErrUnknownRun = errors.New("no such run is at work")

// opened returns a run at work.
func (l *Ledger) opened(id string) (Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rule, known := l.open[id]
	if !known {
		return Run{}, ErrUnknownRun
	}
	b := l.rules[rule]
	return b.open[slices.IndexFunc(b.open, func(r Run) bool { return r.ID == id })], nil
}

// Changed returns a channel that is closed when something is next written.
func (l *Ledger) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Find returns a run of a rule, as far as that is remembered.
func (l *Ledger) Find(rule, id string) (Run, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.rules[rule]
	if b == nil {
		return Run{}, false
	}
	for _, r := range slices.Concat(b.open, b.ended) {
		if r.ID == id {
			return r, true
		}
	}
	return Run{}, false
}

// Open returns the runs at work, the first begun first.
func (l *Ledger) Open() []Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []Run
	for _, b := range l.rules {
		open = append(open, b.open...)
	}
	slices.SortFunc(open, func(a, b Run) int {
		return cmp.Or(a.Started.Compare(b.Started), a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	return open
}

// History returns the latest runs of a rule, of all rules for "", the latest
// first, those at work included; limit 0 is all that are remembered.
func (l *Ledger) History(rule string, limit int) []Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []*Run // not runs: those are long to move about
	for name, b := range l.rules {
		if rule != "" && rule != name {
			continue
		}
		for _, of := range [][]Run{b.ended, b.open} {
			for i := range of {
				found = append(found, &of[i])
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *Run) int {
		return cmp.Or(b.last().Compare(a.last()), b.Ended.Compare(a.Ended), cmp.Compare(a.Rule, b.Rule))
	})
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	runs := make([]Run, len(found))
	for i, r := range found {
		runs[i] = *r
	}
	return runs
}

// Latest returns a rule's latest run that was not skipped, the one at work first.
func (l *Ledger) Latest(rule string) (Run, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.rules[rule]
	if b == nil {
		return Run{}, false
	}
	if n := len(b.open); n > 0 {
		return b.open[n-1], true
	}
	for _, r := range slices.Backward(b.ended) {
		if r.State != Skipped {
			return r, true
		}
	}
	return Run{}, false
}

// Close lets go of the journal.
func (l *Ledger) Close() { l.journal.Close() }

// excerpt bounds a run's text.
func excerpt(s string) string {
	if len(s) <= maxTold {
		return s
	}
	return strings.ToValidUTF8(s[:maxTold], "") + "…"
}
