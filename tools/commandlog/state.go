package commandlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// view is what of the three files is looked at: they only grow, so what
// stood there under the lock still does after it.
type view struct {
	log, audit, head, witness                 io.ReaderAt
	logSize, auditSize, headSize, witnessSize int64
	boot                                      string
}

// state is where the chain ends and what is wrong there.
type state struct {
	last link // the last whole record; Seq 0 when there is none
	end  int64
	head head
	// witness is what the second head names; its n is 0 where there is none.
	witness head

	// What a crash explains.
	unended bool  // the last record has no line feed yet
	cut     int64 // bytes of audit.jsonl behind the last record
	extra   int64 // bytes of commands.log behind the last record's line
	short   int64 // bytes of the last record's line that commands.log lacks
	empty   int64 // zero bytes where they belong
	lost    int64 // records the head names that went down with the machine

	damage []Damage // what no crash explains
}

// clean reports whether there is nothing to put right.
func (s state) clean() bool {
	return s.cut+s.extra+s.short+s.lost == 0 && len(s.damage) == 0
}

// inspect reads the ends of the three files; how long they are does not
// matter.
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
		err = v.blameEnd(&s)
	case s.cut == 0 && v.logSize > 0 && s.witness.n == 0:
		// The chain's first record is on the disk before the log's first line.
		s.blame(auditName, Missing)
	}
	if err == nil && s.witness.n > 0 {
		err = v.compareWitness(&s)
	}
	return s, err
}

// compareWitness checks the chain's end against the second head, which is written
// right after the first. The record it names must be there as it was.
func (v view) compareWitness(s *state) error {
	w := s.witness
	switch {
	case w.seq > s.last.Seq && v.rebooted(w) && s.last.Seq >= w.synced && s.last.Seq > 0:
		s.lost = max(s.lost, w.seq-s.last.Seq)
		return nil
	case w.seq > s.last.Seq && (s.head.n == 0 || s.head.seq <= s.last.Seq):
		s.blame(auditName, Removed)
		return nil
	case w.seq > s.last.Seq:
		return nil // the head says so too
	case w.seq == s.last.Seq && w.hash != s.last.Hash:
		s.blame(auditName, Edited)
		return nil
	case w.seq == s.last.Seq, w.seq == s.last.Seq-1 && w.hash == s.last.Prev:
		return nil
	}
	same, err := v.holds(w, s.end)
	if err == nil && !same {
		s.blame(auditName, Edited)
	}
	return err
}

// holds reports whether the record that a head names is in the chain.
func (v view) holds(h head, end int64) (bool, error) {
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

func (s *state) blame(file string, what Flaw) {
	if d := (Damage{file, what}); !slices.Contains(s.damage, d) {
		s.damage = append(s.damage, d)
	}
}

// rebooted reports whether the machine was started anew since the head was
// written: only then can written records be lost.
func (v view) rebooted(h head) bool {
	return h.boot != "" && v.boot != "" && h.boot != v.boot
}

// compareHead checks the chain's end against the head. The head is written
// after each record, so it may be one behind; after a power cut more, or
// ahead by what was not synced.
func (v view) compareHead(s *state) error {
	h, last := s.head, s.last
	switch {
	case h.n == 0:
		if last.Seq > 1 {
			s.blame(headName, Missing)
		}
	case h.seq > last.Seq && v.rebooted(h) && last.Seq >= h.synced:
		s.lost = h.seq - last.Seq
	case h.seq > last.Seq:
		return v.blameEnd(s)
	case h.seq == last.Seq && h.hash != last.Hash:
		s.blame(auditName, Edited)
	case h.seq == last.Seq && s.unended && (last.Seq <= h.synced || !v.rebooted(h)):
		s.blame(auditName, Cut)
	case h.seq < last.Seq-1 && v.boot != "" && h.boot == v.boot:
		s.blame(headName, Old)
	}
	return nil
}

// compareAnnouncement checks what follows the head against what it announced:
// within one run of the machine a killed process leaves that, or a part of it,
// and nothing where nothing was announced.
func (v view) compareAnnouncement(s *state) {
	if !v.announces(s.head) || s.head.seq > s.last.Seq {
		return
	}
	next := s.head.next
	if s.last.Seq == s.head.seq+1 && (next == "" || !strings.HasPrefix(s.last.Hash, next)) {
		s.blame(auditName, Added)
	}
	if s.cut > 0 && next == "" {
		s.blame(auditName, Added)
	}
	if s.extra > 0 && s.head.line == "" {
		s.blame(logName, Added)
	}
}

// announces reports whether nothing can follow a head but what it announced: it
// was written in this run of the machine, by a version that announces.
func (v view) announces(h head) bool {
	return h.n > 0 && !h.older && v.boot != "" && h.boot == v.boot
}

// blameEnd says what became of the record after the last whole one, which was
// there once.
func (v view) blameEnd(s *state) error {
	ended, err := endsLine(v.audit, v.auditSize)
	switch {
	case s.unended:
		s.blame(auditName, Cut)
	case s.cut == 0:
		s.blame(auditName, Removed)
	case ended:
		s.blame(auditName, Edited)
	default:
		s.blame(auditName, Cut)
	}
	return err
}

// compareLog checks that commands.log ends with the last line the chain
// accounts for, but for what a crash leaves.
func (v view) compareLog(s *state) error {
	if s.last.hasLine() && s.head.seq < s.last.Seq && v.rebooted(s.head) {
		whole, err := v.lastLine(s)
		if whole || s.short > 0 || err != nil {
			return err
		}
	}
	s.extra = max(v.logSize-s.last.Log, 0)
	if v.logSize < s.last.Log {
		s.blame(logName, Removed)
		return nil
	}
	started, err := endsLine(v.log, s.last.Log)
	if err == nil && !started {
		s.blame(logName, Edited)
	}
	if err != nil || s.extra == 0 {
		return err
	}
	lines, err := countLines(v.log, s.last.Log, v.logSize)
	if err == nil && lines > 1 {
		s.blame(logName, Added)
	}
	return err
}

// lastLine looks for the last record's line after a power cut, which may have
// taken the line and left the record. It reports whether the line is whole,
// and otherwise says in s what is missing of it where it is only cut short.
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

// countLines counts the lines between two offsets; a piece of one at the end
// is one.
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

// lastLink finds the last whole record by reading backwards: one piece of a
// few thousand bytes, as long as nothing is broken.
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

// lastWhole finds the last record in a piece of the file that begins at an
// offset. Unless it is the file's beginning, what stands before the first
// line feed is half a line.
func lastWhole(data []byte, offset int64, beginning bool) (state, bool) {
	for end := len(data); end > 0; {
		text := bytes.TrimSuffix(data[:end], []byte("\n"))
		start := bytes.LastIndexByte(text, '\n') + 1
		if start == 0 && !beginning {
			return state{}, false
		}
		if k, err := decode(text[start:]); err == nil {
			return state{last: k, end: offset + int64(end), unended: len(text) == end}, true
		}
		end = start
	}
	return state{}, false
}
