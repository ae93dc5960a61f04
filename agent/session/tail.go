package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// tail reads the end of a session's file: the entries since the last reset or pause longer than timeout that
// the latest summary does not cover. A missing file is an empty conversation.
func (s *Store) tail(key string, timeout time.Duration) (tail, error) {
	f, err := openLocked(s.file(key), os.O_RDONLY, disk.Shared)
	if errors.Is(err, os.ErrNotExist) {
		return tail{}, nil
	}
	if err != nil {
		return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
	}
	if err := checkVersions(f, s.file(key), fi.Size()); err != nil {
		return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
	}
	// Most windows fit a small piece of the end, so start with that.
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, maxTail, fi.Size())
		data := make([]byte, piece)
		if _, err := f.ReadAt(data, fi.Size()-piece); err != nil && !errors.Is(err, io.EOF) {
			return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
		}
		r := backwardReader{from: fi.Size() - piece, now: s.now(), timeout: timeout}
		if r.read(data) || piece == fi.Size() || piece == maxTail {
			slices.Reverse(r.entries)
			s.recordDamage(key, r.damaged)
			return r.tail, nil
		}
	}
}

// backwardReader reads entries backwards from the end of a file.
type backwardReader struct {
	tail
	from    int64 // offset of the data in the file
	now     time.Time
	timeout time.Duration

	next       *Entry // the following entry, which was read before
	nextIsTorn bool   // the following line marks this one as torn
}

// read processes data line by line from the end and reports whether it reached the beginning of the relevant
// part.
func (r *backwardReader) read(data []byte) (complete bool) {
	end := len(data)
	for last := true; end > 0; last = false {
		start := bytes.LastIndexByte(data[:end-1], '\n') + 1
		if start == 0 && r.from > 0 { // the line may begin before the data
			return false // it may have begun before
		}
		line := bytes.TrimSuffix(data[start:end], []byte{'\n'})
		if r.addLine(line, r.from+int64(start), last && data[end-1] != '\n') {
			return true
		}
		end = start
	}
	return r.from == 0
}

// addLine adds a line and reports whether earlier lines are irrelevant.
func (r *backwardReader) addLine(line []byte, at int64, torn bool) (stop bool) {
	marked := r.nextIsTorn
	r.nextIsTorn = false
	if len(line) == 0 {
		return false
	}
	e, ok := decode(line)
	switch {
	case !ok:
		if !marked && !torn {
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
		return false // of a later version
	}
	r.entries = append(r.entries, locatedEntry{e, at})
	r.next = &e
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
