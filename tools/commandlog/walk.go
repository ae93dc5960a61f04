package commandlog

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
)

// walk reads the chain from its beginning, and commands.log in parallel.
type walk struct {
	view   view
	state  state
	lines  *alignment
	result Report

	seq  int64  // the expected next record
	prev string // its expected prev; "" if unknown
	line int    // number of lines of audit.jsonl read
	gap  *gap   // preceding lines that are no records
	// early are records found before their place, at most maxProblems.
	early map[int64]link
	// journalHeads are the heads in the systemd journal whose records were not read yet.
	journalHeads map[Head]bool
}

// placedRecord is a record with its place in the file.
type placedRecord struct {
	link
	line int
	gap  *gap // preceding lines that are no records
}

// gap is a sequence of lines that are no records: left by a crash and described by the record after it, or a problem.
type gap struct {
	line  int // number of the first line
	lines int64
	bytes int64
	sum   hash.Hash
}

func newWalk(v view, s state) *walk {
	w := &walk{view: v, state: s, seq: 1, prev: genesis(), early: map[int64]link{}, journalHeads: map[Head]bool{}, result: Report{Problems: []Problem{}}}
	w.lines = &alignment{f: v.log, size: v.logSize, report: w.report}
	return w
}

func (w *walk) report(file string, line int, seq int64, what Flaw) {
	if len(w.result.Problems) == maxProblems {
		w.result.More++
		return
	}
	w.result.Problems = append(w.result.Problems, Problem{Damage{file, what}, line, seq})
}

// run reads the records up to the last complete one, each with the next one known, and then checks the files' ends.
func (w *walk) run() error {
	r := bufio.NewReaderSize(io.NewSectionReader(w.view.audit, 0, w.state.end), 64<<10)
	k, err := w.read(r)
	for k != nil && err == nil {
		var next *placedRecord
		var seq int64
		if next, err = w.read(r); next != nil {
			seq = next.Seq
		}
		if err == nil {
			err = w.checkPlace(k, seq)
		}
		k = next
	}
	if err != nil {
		return err
	}
	return w.finish()
}

// read returns the next record, or nil at the end.
func (w *walk) read(r *bufio.Reader) (*placedRecord, error) {
	for {
		text, n, err := readLine(r)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return nil, err
		}
		w.line++
		k, bad := decode(bytes.TrimSuffix(text, []byte("\n")))
		if bad == nil && int64(len(text)) == n {
			w.result.Records++
			f := &placedRecord{k, w.line, w.gap}
			w.gap = nil
			return f, nil
		}
		w.addToGap(text, n)
	}
}

// addToGap adds a line to the gap.
func (w *walk) addToGap(text []byte, n int64) {
	if w.gap == nil {
		w.gap = &gap{line: w.line, sum: sha256.New()}
	}
	w.gap.lines++
	w.gap.bytes += n
	w.gap.sum.Write(text)
}

// checkPlace checks a record's place in the chain. next is the sequence number of the record after it, 0 at the end.
// It distinguishes a record in the wrong place from one after removed records.
func (w *walk) checkPlace(k *placedRecord, next int64) error {
	since := k.line
	switch {
	case k.gap != nil:
		since = k.gap.line
		if err := w.judgeGap(k); err != nil {
			return err
		}
	case k.Cut != nil: // the lines that it describes are missing
		w.report(auditName, k.line, k.Seq, Edited)
	}
	if k.Lost > 0 && k.Seq == w.seq+k.Lost {
		w.seq = k.Seq
	}
	switch {
	case k.Seq < w.seq:
		w.reportLate(k)
		return nil
	case k.Seq > w.seq && (next == w.seq || next == w.seq+1) && next != k.Seq+1 && len(w.early) < maxProblems:
		return w.storeEarly(k, next)
	case k.Seq > w.seq:
		w.report(auditName, k.line, w.seq, Removed)
		if err := w.skip(k.Seq); err != nil {
			return err
		}
	case w.prev != "" && k.Prev != w.prev:
		// Its own hash is correct, so the record before it was rewritten.
		w.report(auditName, max(k.line-1, 1), max(k.Seq-1, 1), Edited)
	}
	return w.accept(k.link, since)
}

// judgeGap decides what a gap is, by the record after it.
func (w *walk) judgeGap(k *placedRecord) error {
	g := k.gap
	if k.Cut != nil && k.Cut.Bytes == g.bytes && k.Cut.SHA256 == hex.EncodeToString(g.sum.Sum(nil)) {
		return nil
	}
	if k.Seq == w.seq && k.Prev == w.prev {
		w.report(auditName, g.line, w.seq, Added)
		return nil
	}
	w.report(auditName, g.line, w.seq, Edited)
	if k.Seq > w.seq { // each of the lines was a record
		return w.skip(min(k.Seq, w.seq+g.lines))
	}
	return nil
}

// storeEarly stores a record until the chain reaches it.
func (w *walk) storeEarly(k *placedRecord, next int64) error {
	w.early[k.Seq] = k.link
	if next == w.seq {
		w.report(auditName, k.line, k.Seq, Moved)
		return nil
	}
	w.report(auditName, k.line, w.seq, Removed)
	return w.skip(next)
}

// reportLate reports a record after its place. It replaces an earlier report that the record was removed.
func (w *walk) reportLate(k *placedRecord) {
	for i, p := range w.result.Problems {
		if p.File == auditName && p.Flaw == Removed && p.Seq == k.Seq {
			w.result.Problems[i].Flaw = Moved
			return
		}
	}
	w.report(auditName, k.line, k.Seq, Moved)
}

// skip skips missing records up to a number. Their lines in commands.log are unknown.
func (w *walk) skip(to int64) error {
	for w.seq < to {
		if k, ok := w.early[w.seq]; ok {
			if err := w.accept(k, 0); err != nil {
				return err
			}
			continue
		}
		step := to - w.seq
		for seq := range w.early {
			if seq > w.seq {
				step = min(step, seq-w.seq)
			}
		}
		w.lines.unknown += step
		w.seq, w.prev = w.seq+step, ""
	}
	return nil
}

// accept takes a record as the next of the chain, then the stored early records that follow. since is its first line.
func (w *walk) accept(k link, since int) error {
	for {
		if k.Seq == w.state.head.seq && k.Hash != w.state.head.hash {
			w.report(auditName, since, k.Seq, Edited)
		}
		w.seq, w.prev = k.Seq+1, k.Hash
		if h := (Head{k.Seq, k.Hash}); w.journalHeads[h] {
			delete(w.journalHeads, h)
			w.result.Journal++
		}
		if err := w.checkContent(k, since); err != nil {
			return err
		}
		early, ok := w.early[w.seq]
		if !ok {
			return nil
		}
		delete(w.early, w.seq)
		k = early
	}
}

// checkContent checks a record's statements about commands.log, and reports what its writer found. since is its
// first line.
func (w *walk) checkContent(k link, since int) error {
	var err error
	switch {
	case k.hasLine():
		err = w.lines.expect(k.Seq, k.line())
	case k.Text != nil:
		var n int
		n, err = w.lines.skipSpan(k.Seq, *k.Text)
		if k.Event == eventChain {
			w.result.Before = n
		}
	}
	if err == nil && len(k.Damage) > 0 {
		return w.reportDamage(k, since)
	}
	if k.Event == eventRepair || k.Event == eventRecovered {
		w.result.Repaired++
	}
	return err
}

// reportDamage reports what a writer found. Damage in commands.log can have shifted every offset, so the comparison
// of lines continues at the offset from which the writer went on.
func (w *walk) reportDamage(k link, since int) error {
	known, first := len(w.result.Problems), w.lines.count+1
	if err := w.lines.resume(k.Log); err != nil {
		return err
	}
	told := len(w.result.Problems) > known // reported line by line
	for _, d := range k.Damage {
		switch {
		case d.File == headName:
			w.report(headName, 0, k.Seq, d.Flaw)
		case d.File == auditName:
			w.report(auditName, since, k.Seq, d.Flaw)
		case !told:
			w.report(logName, first, k.Seq, d.Flaw)
		}
	}
	return nil
}

// finish checks the files' ends: effects of a crash are pending, other differences are problems.
func (w *walk) finish() error {
	s, r := w.state, &w.result
	for _, d := range s.damage {
		switch {
		case d.File == headName:
			w.report(headName, 0, s.head.seq, d.Flaw)
		case d.File == auditName && d.Flaw == Cut && s.isUnended:
			w.report(auditName, w.line, s.last.Seq, Cut)
		case d == Damage{auditName, Added}:
			w.report(auditName, w.line, s.last.Seq, Added)
		case d.File == auditName && d.Flaw == Missing, d.File == auditName && max(s.head.seq, s.witness.seq) >= w.seq:
			w.report(auditName, w.line+1, s.last.Seq+1, d.Flaw)
		case d.File == auditName && s.witness.n > 0 && d.Flaw == Edited && len(w.result.Problems) == 0:
			w.report(auditName, 0, s.witness.seq, Edited) // not the chain that was written
		}
	}
	w.compareJournal()
	excused, err := w.lines.finish(s)
	r.Lines = w.lines.count
	if s.last.Seq == 0 {
		r.Before = r.Lines
	}
	for _, left := range []bool{excused, s.short > 0, s.cut > 0 && !slices.ContainsFunc(s.damage, isInAudit)} {
		if left {
			r.Pending++
		}
	}
	r.Pending += int(s.lost)
	return err
}

// compareJournal reports heads of the systemd journal that are not in the chain: once for removed records after
// its end, and once for earlier ones if no other problem explains them.
func (w *walk) compareJournal() {
	var removed, edited int64
	for h := range w.journalHeads {
		if h.Seq >= w.seq {
			removed = min(h.Seq, cmp.Or(removed, h.Seq))
		} else {
			edited = min(h.Seq, cmp.Or(edited, h.Seq))
		}
	}
	if edited > 0 && len(w.result.Problems) == 0 {
		w.report(auditName, 0, edited, Edited)
	}
	if removed > 0 && len(w.result.Problems) == 0 {
		w.report(auditName, w.line+1, removed, Removed)
	}
}

func isInAudit(d Damage) bool { return d.File == auditName }
