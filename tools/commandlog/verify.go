package commandlog

import (
	"fmt"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// Problem is a difference that no crash explains.
type Problem struct {
	Damage
	Line int   `json:"line"` // line of the file, from 1; 0 for the head
	Seq  int64 `json:"seq"`  // number of the record
}

// Report is the result of [Log.Verify].
type Report struct {
	OK      bool `json:"ok"`
	Records int  `json:"records"` // complete records of audit.jsonl
	Lines   int  `json:"lines"`   // lines of commands.log
	Before  int  `json:"before"`  // number of these from before the chain began
	// Repaired counts the effects of crashes that a later record repaired, Pending those that the next record
	// will repair.
	Repaired int `json:"repaired"`
	Pending  int `json:"pending"`
	// Journal counts the records that the systemd journal confirms.
	Journal  int       `json:"journal"`
	Problems []Problem `json:"problems"` // at most maxProblems, in the order of the records
	More     int       `json:"more"`     // number of problems that are not listed
}

// maxProblems is the maximum number of listed problems.
const maxProblems = 50

// Verify checks commands.log and audit.jsonl against each other and the head, and reports wrong records and
// lines. It reads every byte, but only stores a few lines in memory, and does not block writers. It returns an
// error if the files cannot be read.
//
// It finds records and lines that were changed, removed, moved, added or cut off at the end. A program with the
// user's own rights can rewrite all three files and the second head ([Log.SetWitness]) consistently, or restore an
// old copy of all four, because there is no secret that the user does not have. It cannot change the systemd
// journal, which stores the head after each synced record ([Open]), so Verify finds that too, as far back as
// the journal reaches. Without a journal it does not. After a power failure, an added line at the end of
// commands.log looks like one without a record; it is shown as recovered, as never run.
func (l *Log) Verify() (Report, error) {
	var heads []Head
	if l.anchor != nil {
		heads, _ = l.anchor.heads(l.path) // read before the snapshot, which has at least these; none without a journal
	}
	b := &openFiles{Log: l}
	defer b.close()
	v, s, err := b.snapshot()
	if err != nil {
		return Report{}, fmt.Errorf("cannot verify the command log: %w", err)
	}
	w := newWalk(v, s)
	for _, h := range heads {
		w.journalHeads[h] = true
	}
	if err := w.run(); err != nil {
		return Report{}, fmt.Errorf("cannot verify the command log: %w", err)
	}
	w.result.OK = len(w.result.Problems) == 0
	return w.result, nil
}

// snapshot opens the existing files, and reads their ends while writers are locked out.
func (b *openFiles) snapshot() (v view, s state, err error) {
	if b.log, err = openToRead(b.path); err == nil && b.log != nil {
		err = lock(b.log, disk.Shared)
		defer func() { _ = disk.Unlock(b.log) }()
	}
	if err == nil {
		b.audit, err = openToRead(b.siblingPath(auditName))
	}
	if err == nil {
		b.head, err = openToRead(b.siblingPath(headName))
	}
	if err == nil && b.Log.witness != "" {
		b.witnessFile, err = openToRead(b.Log.witness)
	}
	if err == nil {
		v, err = b.view()
	}
	if err == nil {
		s, err = v.inspect()
	}
	return v, s, err
}
