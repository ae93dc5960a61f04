// Package usage keeps the ledger of what models were asked and what that cost,
// and holds the person's budget to it.
//
// The ledger is a file that only grows, a line for each request, written when
// the request has ended. When the file is long its lines become daily sums,
// in one replacement (rename(2)), so that nothing is counted twice and nothing
// is lost, whatever dies in between. What a budget needs, the sum of a day, is
// held in memory.
//
// A line survives the end of the program from the moment it is written. It is
// not waited for until it is on the disk: a power cut can cost the last
// seconds of a ledger, which is no reason to hold up every answer.
//
// A line that cannot be written never fails a turn. It is counted all the same,
// written as soon as that is possible again, and told by [Ledger.Problems].
package usage

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/journal"
	"github.com/nidoit/blunux-ai/providers"
)

// Entry is one request to a model that has ended.
type Entry struct {
	Time time.Time // zero for now
	Key
	Task  string
	Usage providers.Usage
	// Cost is what it cost, where Priced says that this is known.
	Cost   Money
	Priced bool
}

// Ledger is the file of one person. It is read when it is first needed. It is
// safe for concurrent use.
type Ledger struct {
	journal *journal.Journal
	now     func() time.Time

	mu      sync.Mutex
	read    bool // the file was, whole
	days    map[string]*day
	lines   int64 // how many lines there were ever
	keys    int   // how many sums there are
	size    int64 // of the file when it was last rewritten
	at      journal.Mark
	written bool
	waiting []line // what could not be written yet
	damage  []journal.Damage
	reading error // why the file cannot be read
	writing error // why the last line could not be written
}

// day is the requests of one day.
type day struct {
	last int64 // the number of its latest line
	sums map[Key]Sum
}

// New returns the ledger kept in a file; nothing is read or made yet.
func New(file string, now func() time.Time) *Ledger {
	return &Ledger{journal: journal.New(file), now: now, days: map[string]*day{}}
}

// Path returns the ledger's file.
func (l *Ledger) Path() string { return l.journal.Path() }

// Add enters a request. An error tells that it is not in the file yet; it is
// counted all the same.
func (l *Ledger) Add(e Entry) error {
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	entry := lineOf(e)
	if err := l.count(entry); err != nil {
		return fmt.Errorf("cannot enter a request: %w", err) // a year of more than four digits
	}
	l.waiting = append(l.waiting, entry)
	if l.writing = l.flush(); l.writing != nil {
		l.fold()
	}
	return l.writing
}

// load reads the file, once that works. What was counted before it could be
// read is in the file, or waits to be.
func (l *Ledger) load() {
	if l.read {
		return
	}
	l.days, l.keys, l.lines = map[string]*day{}, 0, 0
	l.damage, l.reading = l.journal.Read(func(record []byte) error {
		var entry line
		if err := json.Unmarshal(record, &entry); err != nil {
			return err
		}
		return l.count(entry)
	})
	l.read = l.reading == nil
	for _, entry := range l.waiting {
		_ = l.count(entry) // it was counted before
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
	if _, known := d.sums[k]; !known {
		l.keys++
	}
	l.lines++
	d.last, d.sums[k] = l.lines, d.sums[k].Plus(s)
}

// flush writes what waits, and shortens the file when it is long.
func (l *Ledger) flush() error {
	for len(l.waiting) > 0 {
		at, err := l.journal.Append(l.waiting[0])
		if err != nil {
			return err
		}
		l.at, l.written = at, true
		l.waiting = l.waiting[1:]
	}
	l.waiting = nil
	return l.shorten()
}

// maxWaiting is how many lines wait to be written before they are summed up.
const maxWaiting = 256

// fold sums up what waits when it is much.
func (l *Ledger) fold() {
	if len(l.waiting) < maxWaiting {
		return
	}
	sums := rolled{days: map[string]*day{}}
	for _, entry := range l.waiting {
		if date, s, err := entry.day(); err == nil {
			sums.add(date, entry.Key, s)
		}
	}
	if len(sums.lines()) > maxWaiting/2 { // many peers: by who answered, then
		sums = sums.coarser(Key.plain)
	}
	l.waiting = sums.lines()
}

// Problems are why the ledger is not whole: lines that cannot be read, a file
// that cannot be read or written.
func (l *Ledger) Problems() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	var all []error
	for _, d := range l.damage {
		all = append(all, d)
	}
	if l.reading != nil {
		all = append(all, l.reading)
	}
	if l.writing != nil {
		all = append(all, fmt.Errorf("what models cost is counted and not on the disk: %w", l.writing))
	}
	return all
}

// Close writes what waits, as far as that is possible, waits until the file is
// on the disk and lets go of it.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.flush()
	if err == nil && l.written {
		err = l.journal.Sync(l.at)
	}
	l.journal.Close()
	l.written = false
	return err
}
