package commandlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// view is a view of the files at their current size: they only grow, so their content stays valid after the
// lock is released.
type view struct {
	log, audit, head, witness                 io.ReaderAt
	logSize, auditSize, headSize, witnessSize int64
	boot                                      string
}

// state is the end of the chain and the problems there.
type state struct {
	last link // the last complete record; Seq 0 if there is none
	end  int64
	head head
	// witness is the second head; its n is 0 if there is none.
	witness head

	// Differences that a crash explains.
	isUnended bool  // the last record has no line feed yet
	cut       int64 // bytes of audit.jsonl after the last record
	extra     int64 // bytes of commands.log after the last record's line
	short     int64 // missing bytes of the last record's line in commands.log
	empty     int64 // zero bytes in place of missing ones
	lost      int64 // records in the head that were lost in a power failure

	damage []Damage // differences that no crash explains
}

// isClean reports whether there is nothing to repair.
func (s state) isClean() bool {
	return s.cut+s.extra+s.short+s.lost == 0 && len(s.damage) == 0
}

// inspect reads the ends of the three files. Its cost does not depend on their length.
func (v view) inspect() (state, error) {
	s, err := v.lastLink()
	if err != nil {
		return s, err
	}
	if s.head, err = readHead(v.head, v.headSize); err != nil {
		return s, err
	}
	if s.witness, err = readHead(v.witness, v.witnessSize); err != nil {
		return s, err
	}
	s.cut = v.auditSize - s.end
	switch {
	case s.last.Seq > 0:
		if err = v.compareHead(&s); err == nil {
			err = v.compareLog(&s)
		}
		if err == nil {
			v.compareAnnouncement(&s)
		}
	case s.head.n > 0:
		err = v.addEndDamage(&s)
	case s.cut == 0 && v.logSize > 0 && s.witness.n == 0:
		// The chain's first record is on disk before the log's first line.
		s.addDamage(auditName, Missing)
	}
	if err == nil && s.witness.n > 0 {
		err = v.compareWitness(&s)
	}
	return s, err
}

// compareWitness checks the chain's end against the second head, which is written right after the first. Its
// record must be in the chain unchanged.
func (v view) compareWitness(s *state) error {
	w := s.witness
	switch {
	case w.seq > s.last.Seq && v.hasRebooted(w) && s.last.Seq >= w.synced && s.last.Seq > 0:
		s.lost = max(s.lost, w.seq-s.last.Seq)
		return nil
	case w.seq > s.last.Seq && (s.head.n == 0 || s.head.seq <= s.last.Seq):
		s.addDamage(auditName, Removed)
		return nil
	case w.seq > s.last.Seq:
		return nil // the first head shows it too
	case w.seq == s.last.Seq && w.hash != s.last.Hash:
		s.addDamage(auditName, Edited)
		return nil
	case w.seq == s.last.Seq, w.seq == s.last.Seq-1 && w.hash == s.last.Prev:
		return nil
	}
	same, err := v.contains(w, s.end)
	if err == nil && !same {
		s.addDamage(auditName, Edited)
	}
	return err
}

// contains reports whether the record of a head is in the chain.
func (v view) contains(h head, end int64) (bool, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(v.audit, 0, end), 64<<10)
	for {
		text, n, err := readLine(r)
		if k, bad := decode(bytes.TrimSuffix(text, []byte("\n"))); bad == nil && int64(len(text)) == n && k.Seq == h.seq {
			return k.Hash == h.hash, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

func (s *state) addDamage(file string, what Flaw) {
	if d := (Damage{file, what}); !slices.Contains(s.damage, d) {
		s.damage = append(s.damage, d)
	}
}

// hasRebooted reports whether the machine has rebooted since the head was written. Only then can written records
// be lost.
func (v view) hasRebooted(h head) bool {
	return h.boot != "" && v.boot != "" && h.boot != v.boot
}

// compareHead checks the chain's end against the head. The head is written after each record, so it can be one
// record behind. After a power failure it can be further behind, or ahead by the records that were not synced.
func (v view) compareHead(s *state) error {
	h, last := s.head, s.last
	switch {
	case h.n == 0:
		if last.Seq > 1 {
			s.addDamage(headName, Missing)
		}
	case h.seq > last.Seq && v.hasRebooted(h) && last.Seq >= h.synced:
		s.lost = h.seq - last.Seq
	case h.seq > last.Seq:
		return v.addEndDamage(s)
	case h.seq == last.Seq && h.hash != last.Hash:
		s.addDamage(auditName, Edited)
	case h.seq == last.Seq && s.isUnended && (last.Seq <= h.synced || !v.hasRebooted(h)):
		s.addDamage(auditName, Cut)
	case h.seq < last.Seq-1 && v.boot != "" && h.boot == v.boot:
		s.addDamage(headName, Old)
	}
	return nil
}

// compareAnnouncement checks the data after the head against the announcement. Within one boot, a killed
// process leaves the announced data or a part of it, and nothing if nothing was announced.
func (v view) compareAnnouncement(s *state) {
	if !v.requiresAnnouncement(s.head) || s.head.seq > s.last.Seq {
		return
	}
	next := s.head.next
	if s.last.Seq == s.head.seq+1 && (next == "" || !strings.HasPrefix(s.last.Hash, next)) {
		s.addDamage(auditName, Added)
	}
	if s.cut > 0 && next == "" {
		s.addDamage(auditName, Added)
	}
	if s.extra > 0 && s.head.line == "" {
		s.addDamage(logName, Added)
	}
}

// requiresAnnouncement reports whether only announced data can follow a head: it was written in this boot, by a version
// with announcements.
func (v view) requiresAnnouncement(h head) bool {
	return h.n > 0 && !h.isOld && v.boot != "" && h.boot == v.boot
}

// addEndDamage reports what happened to the record after the last complete one, which existed before.
func (v view) addEndDamage(s *state) error {
	ended, err := endsLine(v.audit, v.auditSize)
	switch {
	case s.isUnended:
		s.addDamage(auditName, Cut)
	case s.cut == 0:
		s.addDamage(auditName, Removed)
	case ended:
		s.addDamage(auditName, Edited)
	default:
		s.addDamage(auditName, Cut)
	}
	return err
}

// compareLog checks that commands.log ends with the line of the chain's last record, apart from the effects of a crash.
func (v view) compareLog(s *state) error {
	if s.last.hasLine() && s.head.seq < s.last.Seq && v.hasRebooted(s.head) {
		whole, err := v.lastLine(s)
		if whole || s.short > 0 || err != nil {
			return err
		}
	}
	s.extra = max(v.logSize-s.last.Log, 0)
	if v.logSize < s.last.Log {
		s.addDamage(logName, Removed)
		return nil
	}
	started, err := endsLine(v.log, s.last.Log)
	if err == nil && !started {
		s.addDamage(logName, Edited)
	}
	if err != nil || s.extra == 0 {
		return err
	}
	lines, err := countLines(v.log, s.last.Log, v.logSize)
	if err == nil && lines > 1 {
		s.addDamage(logName, Added)
	}
	return err
}

// lastLine looks for the last record's line after a power failure, which can lose the line but not the record.
// It reports whether the line is complete, and stores in s how much is missing if it is only cut off.
func (v view) lastLine(s *state) (whole bool, err error) {
	want := []byte(s.last.line())
	from := s.last.Log - int64(len(want))
	if from < 0 || v.logSize < from || v.logSize > s.last.Log {
		return false, nil
	}
	got := make([]byte, v.logSize-from)
	if _, err := v.log.ReadAt(got, from); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if bytes.Equal(got, want) {
		return true, nil
	}
	there := bytes.TrimRight(got, "\x00")
	if bytes.HasPrefix(want, there) {
		s.short, s.empty = int64(len(want)-len(there)), int64(len(got)-len(there))
	}
	return false, nil
}

// countLines counts the lines between two offsets, including an incomplete one at the end.
func countLines(f io.ReaderAt, from, to int64) (int, error) {
	n, open := 0, false
	buf := make([]byte, 64<<10)
	for r := io.NewSectionReader(f, from, to-from); ; {
		got, err := r.Read(buf)
		n += bytes.Count(buf[:got], []byte("\n"))
		if got > 0 {
			open = buf[got-1] != '\n'
		}
		if errors.Is(err, io.EOF) {
			if open {
				n++
			}
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// lastLink finds the last complete record by reading backwards. In an intact file, that is one piece of a few
// thousand bytes.
func (v view) lastLink() (state, error) {
	if v.auditSize == 0 {
		return state{}, nil
	}
	for piece := int64(2 << 10); ; piece *= 4 {
		piece = min(piece, 2*maxLine, v.auditSize)
		data := make([]byte, piece)
		if _, err := v.audit.ReadAt(data, v.auditSize-piece); err != nil && !errors.Is(err, io.EOF) {
			return state{}, err
		}
		all := piece == v.auditSize
		if s, ok := lastWhole(data, v.auditSize-piece, all); ok || all || piece == 2*maxLine {
			return s, nil
		}
	}
}

// lastWhole finds the last record in a piece of the file that starts at an offset. If the piece is not the
// beginning of the file, its first line is incomplete.
func lastWhole(data []byte, offset int64, beginning bool) (state, bool) {
	for end := len(data); end > 0; {
		text := bytes.TrimSuffix(data[:end], []byte("\n"))
		start := bytes.LastIndexByte(text, '\n') + 1
		if start == 0 && !beginning {
			return state{}, false
		}
		if k, err := decode(text[start:]); err == nil {
			return state{last: k, end: offset + int64(end), isUnended: len(text) == end}, true
		}
		end = start
	}
	return state{}, false
}
