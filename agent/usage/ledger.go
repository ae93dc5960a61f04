// Package usage keeps the ledger of requests to models and their costs, and checks it against the user's
// [Budget].
//
// The [Ledger] is an append-only file with a line for each finished request. When the file is long, its lines
// are replaced with daily sums in one rename(2), so that a crash neither loses nor repeats lines. The sums of
// the days are also kept in memory.
//
// A written line survives the end of the program but is not synced: a power cut can lose the last seconds,
// which does not justify delaying each answer. A failed write never fails a turn. The line counts anyway, is
// written later, and [Ledger.Problems] reports it.
package usage

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/providers"
)

// Entry is one finished request to a model.
type Entry struct {
	Time time.Time // zero means now
	Key
	Task  string
	Usage providers.Usage
	// Cost is the cost, if Priced is set.
	Cost   Money
	Priced bool
}

// Ledger is the ledger of one user. The file is read when first needed. It is safe for concurrent use.
type Ledger struct {
	journal *journal.Journal
	now     func() time.Time

	mu       sync.Mutex
	loaded   bool // the whole file was read
	days     map[string]*day
	lines    int64 // number of lines so far, including rewritten ones
	keys     int   // number of sums
	size     int64 // size of the file after its last rewrite
	lastMark journal.Mark
	unsynced bool
	pending  []line // lines that could not be written yet
	damage   []journal.Damage
	readErr  error // error of reading the file
	writeErr error // error of the last write
}

// day has the sums of one day.
type day struct {
	last int64 // number of its latest line
	sums map[Key]Sum
}

// New returns the ledger of a file. It neither reads nor creates the file yet.
func New(file string, now func() time.Time) *Ledger {
	return &Ledger{journal: journal.New(file), now: now, days: map[string]*day{}}
}

// Path returns the ledger's file.
func (l *Ledger) Path() string { return l.journal.Path() }

// Add records a request. If it returns an error, the request is counted but not yet in the file.
func (l *Ledger) Add(e Entry) error {
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	entry := lineOf(e)
	if err := l.count(entry); err != nil {
		return fmt.Errorf("cannot record a request: %w", err) // a year with more than four digits
	}
	l.pending = append(l.pending, entry)
	if l.writeErr = l.flush(); l.writeErr != nil {
		l.foldPending()
	}
	return l.writeErr
}

// load reads the file unless that has succeeded before. Requests counted before the first success are in the
// file or in waiting.
func (l *Ledger) load() {
	if l.loaded {
		return
	}
	l.days, l.keys, l.lines = map[string]*day{}, 0, 0
	l.damage, l.readErr = l.journal.Read(func(record []byte) error {
		var entry line
		if err := json.Unmarshal(record, &entry); err != nil {
			return err
		}
		return l.count(entry)
	})
	l.loaded = l.readErr == nil
	for _, entry := range l.pending {
		_ = l.count(entry) // it was counted before without error
	}
}

// count adds a line to the sums.
func (l *Ledger) count(entry line) error {
	date, s, err := entry.day()
	if err != nil {
		return err
	}
	l.add(date, entry.Key, s)
	return nil
}

func (l *Ledger) add(date string, k Key, s Sum) {
	d := l.days[date]
	if d == nil {
		d = &day{sums: map[Key]Sum{}}
		l.days[date] = d
	}
	k = d.boundKey(k)
	if _, known := d.sums[k]; !known {
		l.keys++
	}
	l.lines++
	d.last, d.sums[k] = l.lines, d.sums[k].Add(s)
}

// flush writes the waiting lines and shortens a long file.
func (l *Ledger) flush() error {
	for len(l.pending) > 0 {
		at, err := l.journal.Append(l.pending[0])
		if err != nil {
			return err
		}
		l.lastMark, l.unsynced = at, true
		l.pending = l.pending[1:]
	}
	l.pending = nil
	return l.shorten()
}

// maxPending is the number of waiting lines at which they are summed up.
const maxPending = 256

// foldPending sums up the waiting lines if there are many.
func (l *Ledger) foldPending() {
	if len(l.pending) < maxPending {
		return
	}
	sums := rollup{days: map[string]*day{}}
	for _, entry := range l.pending {
		if date, s, err := entry.day(); err == nil {
			sums.add(date, entry.Key, s)
		}
	}
	if len(sums.lines()) > maxPending/2 { // many keys: keep only the models
		sums = sums.coarsen(Key.modelOnly)
	}
	l.pending = sums.lines()
}

// Problems returns the reasons why the ledger is incomplete: lines or a file that cannot be read, or a failed
// write.
func (l *Ledger) Problems() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	var all []error
	for _, d := range l.damage {
		all = append(all, d)
	}
	if l.readErr != nil {
		all = append(all, l.readErr)
	}
	if l.writeErr != nil {
		all = append(all, fmt.Errorf("cannot write the usage ledger: %w", l.writeErr))
	}
	return all
}

// Close writes the waiting lines if possible, syncs the file and closes it.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.flush()
	if err == nil && l.unsynced {
		err = l.journal.Sync(l.lastMark)
	}
	l.journal.Close()
	l.unsynced = false
	return err
}
