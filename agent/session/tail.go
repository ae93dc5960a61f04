package session

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// maxTail bounds how much of a file's end is read and the length of a line, in bytes. It is many times the size
// of what a model gets, since tool output is cut to limits.
const maxTail = 4 << 20

// never disables the session timeout.
const never = time.Duration(math.MaxInt64)

// locatedEntry is an entry with its offset in the file.
type locatedEntry struct {
	Entry
	at int64
}

// tail is the end of a conversation that can be shown to a model.
type tail struct {
	summary *locatedEntry // summary of what came before entries, or nil
	entries []locatedEntry
	damaged int // number of unreadable lines
}

// tailLine is a line of a file, parsed. It is never modified.
type tailLine struct {
	entry      Entry
	at         int64 // offset in the file
	ok         bool  // entry is valid
	blank      bool
	unfinished bool // lacks its newline, as only the last line of a file can
}

// parseLine parses a line with its newline.
func parseLine(text []byte, at int64) *tailLine {
	line, finished := bytes.CutSuffix(text, []byte{'\n'})
	l := &tailLine{at: at, blank: len(line) == 0, unfinished: !finished}
	if !l.blank {
		l.entry, l.ok = decode(line)
	}
	return l
}

// tail returns the end of a session's file: the entries since the last reset or pause longer than timeout that the
// latest summary does not cover. A missing file is an empty conversation.
func (s *Store) tail(key string, timeout time.Duration) (tail, error) {
	t, err := s.readTail(key, timeout)
	if errors.Is(err, os.ErrNotExist) {
		s.cache.drop(s.file(key))
		return tail{}, nil
	}
	if err != nil {
		return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
	}
	s.recordDamage(key, t.damaged)
	return t, nil
}

// readTail reads only what is not cached, and caches what it read.
func (s *Store) readTail(key string, timeout time.Duration) (tail, error) {
	file := s.file(key)
	f, err := openLocked(file, os.O_RDONLY, disk.Shared)
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	state, known := s.stateOf(f, fi)
	cached, valid := s.cache.get(file, state)
	if !valid {
		if err := s.checkVersions(f, file, fi.Size()); err != nil {
			return tail{}, err
		}
	}
	r := backwardReader{now: s.now(), timeout: timeout}
	if err := s.readBackward(f, fi.Size(), &r, cached); err != nil {
		return tail{}, err
	}
	if known && (!valid || len(r.lines) != len(cached)) {
		s.cache.put(&cachedTail{file, state, slices.Clone(r.lines)})
	}
	slices.Reverse(r.entries)
	return r.tail, nil
}

// readBackward gives a reader the lines of a file from its end: the cached ones, then what has to be read.
func (s *Store) readBackward(f *os.File, size int64, r *backwardReader, cached []*tailLine) error {
	if r.addCached(cached) {
		return nil
	}
	from := size // of the lines given so far
	if len(cached) > 0 {
		from = cached[len(cached)-1].at
	}
	// Most windows fit a small piece of the end, so start with that.
	for piece := int64(64 << 10); from > 0; piece *= 4 {
		piece = min(piece, maxTail, size)
		if start := size - piece; start < from {
			data := make([]byte, from-start)
			if err := s.readAt(f, data, start); err != nil {
				return err
			}
			if r.read(data, start) {
				return nil
			}
			if n := len(r.lines); n > 0 {
				from = r.lines[n-1].at
			}
		}
		if piece == maxTail || piece == size {
			return nil
		}
	}
	return nil
}

// backwardReader reads entries backwards from the end of a file.
type backwardReader struct {
	tail
	lines   []*tailLine // that were read, the latest first
	now     time.Time
	timeout time.Duration

	next       *Entry // the following entry, which was read before
	nextIsTorn bool   // the following line marks this one as torn
}

// addCached adds parsed lines, the latest first, and reports whether earlier lines are irrelevant.
func (r *backwardReader) addCached(lines []*tailLine) (stop bool) {
	for i, l := range lines {
		if r.addLine(l) {
			r.lines = slices.Clip(lines[:i+1])
			return true
		}
	}
	r.lines = slices.Clip(lines)
	return false
}

// read adds the lines of data, which begins at an offset of the file, from the end, and reports whether it reached
// the beginning of the relevant part.
func (r *backwardReader) read(data []byte, from int64) (complete bool) {
	for end := len(data); end > 0; {
		start := bytes.LastIndexByte(data[:end-1], '\n') + 1
		if start == 0 && from > 0 { // the line may begin before the data
			return false
		}
		l := parseLine(data[start:end], from+int64(start))
		r.lines = append(r.lines, l)
		if r.addLine(l) {
			return true
		}
		end = start
	}
	return from == 0
}

// addLine adds a line and reports whether earlier lines are irrelevant.
func (r *backwardReader) addLine(l *tailLine) (stop bool) {
	marked, e, at := r.nextIsTorn, l.entry, l.at
	r.nextIsTorn = false
	switch {
	case l.blank:
		return false
	case !l.ok:
		if !marked && !l.unfinished {
			r.damaged++
		}
		return false
	case e.Type == TypeTorn:
		r.nextIsTorn = true
		return false
	case r.summary != nil && at < r.summary.Metadata.Covers:
		return true
	case e.Type == TypeReset || r.startsNew(e):
		r.summary = nil // it belongs to the earlier conversation
		return true
	case e.Type == TypeSummary:
		r.setSummary(locatedEntry{e, at})
		return r.summary.Metadata.Covers >= at
	case e.Message == nil: // written by a later version
		return false
	}
	r.entries = append(r.entries, locatedEntry{e, at})
	r.next = &l.entry
	return false
}

// startsNew reports whether a new conversation started after e: a user's message followed after a long pause. Late
// results do not count.
func (r *backwardReader) startsNew(e Entry) bool {
	after := r.now
	if r.next != nil {
		if r.next.Type != TypeUser {
			return false
		}
		after = time.UnixMilli(r.next.Timestamp)
	}
	return after.Sub(time.UnixMilli(e.Timestamp)) > r.timeout
}

// setSummary sets the latest summary. A summary without Covers covers everything before it.
func (r *backwardReader) setSummary(e locatedEntry) {
	if r.summary != nil {
		return // an older summary
	}
	about := Metadata{Covers: e.at}
	if e.Metadata != nil && e.Metadata.Covers > 0 && e.Metadata.Covers < e.at {
		about.Covers = e.Metadata.Covers
	}
	about.Untrusted = e.Metadata == nil || e.Metadata.Untrusted
	e.Metadata = &about
	r.summary = &e
}
