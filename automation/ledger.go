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

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Bounds of the ledger.
const (
	maxRunsOfRule = 100    // ended runs of a rule
	maxRuns       = 20_000 // ended runs of all rules
	// maxLedger is the size of the journal, in bytes, above which it is rewritten if at least half of it is
	// obsolete.
	maxLedger  = 1 << 20
	maxRunText = 4 << 10 // bytes of a run's text
)

// Run is a due time of a rule and its outcome. A skipped run can represent several due times.
type Run struct {
	ID   string    `json:"id"`
	Rule string    `json:"rule"`
	Due  time.Time `json:"due"`
	// Event is the trigger of a run without a schedule: an event as written in the rule, or [Manual].
	Event   string    `json:"event,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	State   State     `json:"state,omitempty"` // "" while it is running
	Reason  string    `json:"reason,omitempty"`
	// Count is the number of due times and Through the last of them. Both are zero for a single one.
	Count   int       `json:"count,omitempty"`
	Through time.Time `json:"through,omitzero"`
	// Attempts is how often the run was begun. A daemon can die during a run.
	Attempts int    `json:"attempts,omitempty"`
	Task     string `json:"task,omitempty"`
	Fired    bool   `json:"fired,omitempty"` // its condition was true
	Text     string `json:"text,omitempty"`  // text of its message
	// Say, Notify and Language are those of a rule that may be removed before its messages are sent.
	Say      string   `json:"say,omitempty"`
	Notify   []string `json:"notify,omitempty"`
	Language string   `json:"language,omitempty"`
}

// Manual is the event of a run that a person began.
const Manual = "manual"

// of returns the run with what it keeps of its rule.
func (r Run) of(rule Rule) Run {
	r.Rule = rule.Name
	if rule.Say != "" || rule.IsOnce() {
		r.Say, r.Notify, r.Language = rule.Say, rule.Notify, rule.Language
	}
	return r
}

// lastDue returns the latest due time of the run.
func (r *Run) lastDue() time.Time {
	if r.Through.After(r.Due) {
		return r.Through
	}
	return r.Due
}

// isScheduled reports whether the run belongs to a schedule.
func (r Run) isScheduled() bool { return r.Event == "" }

// runID returns the id of a due time. For an event it also depends on the key.
func runID(rule string, due time.Time, event string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + strconv.FormatInt(due.Unix(), 10) + "\x00" + event))
	return "r" + hex.EncodeToString(sum[:6])
}

// mark records the time up to which a rule's due times are decided without a run: when the rule was first seen or
// changed, or the clock was set back far.
type mark struct {
	Rule    string    `json:"rule"`
	As      string    `json:"as,omitempty"` // see [Planned.fingerprint]
	Through time.Time `json:"through,omitzero"`
	// Event and Key identify the latest occurrence of an event.
	Event string `json:"event,omitempty"`
	Key   string `json:"key,omitempty"`
}

// ledgerLine is a line of the journal. Later lines of a run replace earlier ones.
type ledgerLine struct {
	Run  *Run  `json:"run,omitempty"`
	Mark *mark `json:"mark,omitempty"`
}

// ruleRecord is the ledger's record of one rule.
type ruleRecord struct {
	fingerprint string
	through     time.Time
	events      map[string]string
	open        []Run
	ended       []Run // ordered by end
}

// Ledger records the outcome of each due time. It is safe for concurrent use.
type Ledger struct {
	journal *journal.Journal

	mu      sync.Mutex
	changed chan struct{} // closed by the next write
	rules   map[string]*ruleRecord
	open    map[string]string // open runs: rules by id
	keep    int               // ended runs to keep of a rule
	ended   int
	lines   int64 // size of the journal after a rewrite, measured or estimated
}

// NewLedger returns the ledger in a file. Load reads it.
func NewLedger(file string) *Ledger {
	return &Ledger{journal: journal.New(file), rules: map[string]*ruleRecord{}, open: map[string]string{}, keep: maxRunsOfRule, changed: make(chan struct{})}
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
		return nil, fmt.Errorf("cannot read the ledger of automations: %w", err)
	}
	if records > 0 { // otherwise each daemon would rewrite a long journal in vain
		l.lines = size * l.neededLines() / records
	}
	return damaged, nil
}

// neededLines returns the number of lines that a rewritten journal would have.
func (l *Ledger) neededLines() int64 {
	n := l.ended + len(l.open) + len(l.rules)
	for _, b := range l.rules {
		n += len(b.events)
	}
	return int64(n)
}

func (l *Ledger) record(rule string) *ruleRecord {
	b := l.rules[rule]
	if b == nil {
		b = &ruleRecord{events: map[string]string{}}
		l.rules[rule] = b
	}
	return b
}

func (l *Ledger) apply(line ledgerLine) {
	if m := line.Mark; m != nil {
		b := l.record(m.Rule)
		if m.Event != "" {
			b.events[m.Event] = m.Key
			return
		}
		if m.Through.Before(b.through) {
			l.dropFutureSkips(b, m.Through)
		}
		b.fingerprint, b.through = m.As, m.Through
	}
	if r := line.Run; r != nil {
		l.applyRun(*r)
	}
}

// dropFutureSkips removes skipped due times that lie in the future again because the clock was set back.
func (l *Ledger) dropFutureSkips(b *ruleRecord, from time.Time) {
	kept := b.ended[:0]
	for _, r := range b.ended {
		if r.State == Skipped && r.isScheduled() && r.Due.After(from) {
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
	b := l.record(r.Rule)
	if i := slices.IndexFunc(b.open, func(o Run) bool { return o.ID == r.ID }); i >= 0 {
		b.open = slices.Delete(b.open, i, i+1)
	}
	if r.isScheduled() && r.lastDue().After(b.through) {
		b.through = r.lastDue()
	}
	if r.State == "" {
		b.open, l.open[r.ID] = append(b.open, r), r.Rule
		return
	}
	delete(l.open, r.ID)
	if i := slices.IndexFunc(b.ended, func(e Run) bool { return e.ID == r.ID }); i >= 0 {
		b.ended[i] = r // amended later
		return
	}
	b.ended = append(b.ended, r)
	l.ended++
	if len(b.ended) > l.keep {
		b.ended = slices.Delete(b.ended, 0, 1)
		l.ended--
	}
}

// write appends lines, syncs once, and then applies them: no run begins before it is on disk.
func (l *Ledger) write(lines ...ledgerLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var at journal.Mark
	for _, line := range lines {
		var err error
		if at, err = l.journal.Append(line); err != nil {
			return fmt.Errorf("cannot write the ledger of automations: %w", err)
		}
	}
	if err := l.journal.Sync(at); err != nil {
		return fmt.Errorf("cannot write the ledger of automations: %w", err)
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

// shorten removes old runs and rewrites a long journal. If the rewrite fails, the journal keeps growing.
func (l *Ledger) shorten() {
	for l.ended > maxRuns {
		l.forgetOldest()
	}
	if size := l.journal.Size(); size < crash.Scaled(maxLedger) || size < 2*l.lines {
		return
	}
	if l.journal.Rewrite(l.records()) == nil {
		l.lines = l.journal.Size()
	}
}

// forgetOldest limits every rule to half the number of runs of the rule with the most.
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
		// The mark must follow the runs: it can be earlier than them if the clock was set back.
		all = append(all, ledgerLine{Mark: &mark{Rule: rule, As: b.fingerprint, Through: b.through}})
	}
	return all
}

// decidedUntil returns the time up to which a rule's due times are decided, and [Planned.fingerprint] at that time.
func (l *Ledger) decidedUntil(rule string) (through time.Time, as string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.record(rule)
	return b.through, b.fingerprint
}

// hasRun reports whether a due time has a run that was not skipped.
func (l *Ledger) hasRun(rule string, due time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.record(rule)
	is := func(r Run) bool { return r.isScheduled() && r.State != Skipped && r.Due.Equal(due) }
	return slices.ContainsFunc(b.ended, is) || slices.ContainsFunc(b.open, is)
}

// lastOccurrence returns the key of an event's latest occurrence.
func (l *Ledger) lastOccurrence(rule, event string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record(rule).events[event]
}

// ErrUnknownRun reports a run that is not open.
var ErrUnknownRun = errors.New("no such run in progress")

// OpenRun returns an open run, or [ErrUnknownRun].
func (l *Ledger) OpenRun(id string) (Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rule, known := l.open[id]
	if !known {
		return Run{}, ErrUnknownRun
	}
	b := l.rules[rule]
	return b.open[slices.IndexFunc(b.open, func(r Run) bool { return r.ID == id })], nil
}

// Changed returns a channel that is closed by the next write.
func (l *Ledger) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Find returns a run of a rule, unless it was removed as too old.
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

// Open returns the open runs, the earliest first.
func (l *Ledger) Open() []Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []Run
	for _, b := range l.rules {
		open = append(open, b.open...)
	}
	sorting.By(open, func(a, b Run) int {
		return cmp.Or(a.Started.Compare(b.Started), a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	return open
}

// History returns the latest runs of a rule, or of all rules for "", the latest first and including open ones.
// limit 0 means no limit.
func (l *Ledger) History(rule string, limit int) []Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []*Run // pointers, because runs are large to sort
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
	sorting.Stably(found, func(a, b *Run) int {
		return cmp.Or(b.lastDue().Compare(a.lastDue()), b.Ended.Compare(a.Ended), cmp.Compare(a.Rule, b.Rule))
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

// Latest returns a rule's open run, else its latest run that was not skipped.
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

// Close closes the journal.
func (l *Ledger) Close() { l.journal.Close() }

// excerpt limits a run's text.
func excerpt(s string) string {
	if len(s) <= maxRunText {
		return s
	}
	return strings.ToValidUTF8(s[:maxRunText], "") + "…"
}
