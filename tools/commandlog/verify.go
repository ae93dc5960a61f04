package commandlog

import (
	"fmt"
	"syscall"
)

// Flaw is a reason code: what is wrong with a record, a line or a file.
type Flaw string

// The flaws.
const (
	Edited  Flaw = "edited"  // not what was written
	Removed Flaw = "removed" // not there
	Moved   Flaw = "moved"   // not where it was written
	Added   Flaw = "added"   // nobody wrote it
	Cut     Flaw = "cut"     // only its beginning is there
	Missing Flaw = "missing" // the whole file is not there, or unreadable
	Old     Flaw = "old"     // the head is older than it can be
)

// Damage is a flaw of one of the files.
type Damage struct {
	File string `json:"file"`
	Flaw Flaw   `json:"problem"`
}

// Problem is one thing that no crash explains.
type Problem struct {
	Damage
	Line int   `json:"line"` // of the file, from 1; 0 for the head
	Seq  int64 `json:"seq"`  // of the record
}

// Report is what [Log.Verify] found.
type Report struct {
	OK      bool `json:"ok"`
	Records int  `json:"records"` // whole records of audit.jsonl
	Lines   int  `json:"lines"`   // lines of commands.log
	Before  int  `json:"before"`  // of these, from before the chain began
	// Repaired counts what crashes left and a later record put right, Pending
	// what the next record will put right.
	Repaired int `json:"repaired"`
	Pending  int `json:"pending"`
	// Journal counts the records that the systemd journal confirms.
	Journal  int       `json:"journal"`
	Problems []Problem `json:"problems"` // at most maxProblems, in the order of the records
	More     int       `json:"more"`     // how many problems are not listed
}

// maxProblems bounds a report.
const maxProblems = 50

// Verify proves commands.log and audit.jsonl against each other and the head,
// or says which records and lines are wrong. It reads every byte, but keeps no
// more than a few lines in memory, and stops nobody from writing meanwhile.
// The error is for files that cannot be read.
func (l *Log) Verify() (Report, error) {
	var heads []Head
	if l.anchor != nil {
		heads, _ = l.anchor.heads(l.path) // before the snapshot, which has at least these; none without a journal
	}
	b := &books{Log: l}
	defer b.close()
	v, s, err := b.snapshot()
	if err != nil {
		return Report{}, fmt.Errorf("cannot verify the command log: %w", err)
	}
	w := newWalk(v, s)
	for _, h := range heads {
		w.anchored[h] = true
	}
	if err := w.run(); err != nil {
		return Report{}, fmt.Errorf("cannot verify the command log: %w", err)
	}
	w.result.OK = len(w.result.Problems) == 0
	return w.result, nil
}

// snapshot opens the files that are there, and looks at their ends while
// nobody writes.
func (b *books) snapshot() (v view, s state, err error) {
	if b.log, err = openToRead(b.path); err == nil && b.log != nil {
		err = lock(b.log, syscall.LOCK_SH)
		defer func() { _ = syscall.Flock(int(b.log.Fd()), syscall.LOCK_UN) }()
	}
	if err == nil {
		b.audit, err = openToRead(b.beside(auditName))
	}
	if err == nil {
		b.head, err = openToRead(b.beside(headName))
	}
	if err == nil && b.Log.witness != "" {
		b.witnessed, err = openToRead(b.Log.witness)
	}
	if err == nil {
		v, err = b.view()
	}
	if err == nil {
		s, err = v.inspect()
	}
	return v, s, err
}
