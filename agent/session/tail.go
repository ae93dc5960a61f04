package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"syscall"
	"time"
)

// maxTail is how much of a file's end is read, in bytes, and the longest line
// that is read at all: what a model is shown, with its tool output cut to
// limits, fits many times over.
const maxTail = 4 << 20

// never is a pause that no conversation makes.
const never = time.Duration(math.MaxInt64)

// located is an entry and where its line begins in the file.
type located struct {
	Entry
	at int64
}

// tail is the end of a conversation: what a model may still see.
type tail struct {
	summary *located // of what stands before entries, or nil
	entries []located
	damaged int // lines that cannot be read
}

// tail reads the end of a session's file: the entries since the last reset or
// pause longer than timeout that the latest summary does not cover. A file that
// is not there is an empty conversation.
func (s *Store) tail(key string, timeout time.Duration) (tail, error) {
	f, err := locked(s.file(key), os.O_RDONLY, syscall.LOCK_SH)
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
	// Most windows fit a small piece of the end; only a long one costs more.
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, maxTail, fi.Size())
		data := make([]byte, piece)
		if _, err := f.ReadAt(data, fi.Size()-piece); err != nil && !errors.Is(err, io.EOF) {
			return tail{}, fmt.Errorf("cannot read the conversation: %w", err)
		}
		r := backward{from: fi.Size() - piece, now: s.now(), timeout: timeout}
		if r.read(data) || piece == fi.Size() || piece == maxTail {
			slices.Reverse(r.entries)
			s.found(key, r.damaged)
			return r.tail, nil
		}
	}
}

// backward reads entries from the end of a file on.
type backward struct {
	tail
	from    int64 // where the data begins in the file
	now     time.Time
	timeout time.Duration

	newer *Entry // the one that was read before, which stands behind
	mark  bool   // the line behind says that this one is a piece
}

// read goes through data line by line, the last first, and reports whether it
// came to the beginning of what a model may see.
func (r *backward) read(data []byte) (complete bool) {
	end := len(data)
	for last := true; end > 0; last = false {
		start := bytes.LastIndexByte(data[:end-1], '\n') + 1
		if start == 0 && r.from > 0 {
			return false // it may have begun before
		}
		line := bytes.TrimSuffix(data[start:end], []byte{'\n'})
		if r.take(line, r.from+int64(start), last && data[end-1] != '\n') {
			return true
		}
		end = start
	}
	return r.from == 0
}

// take adds a line and reports whether nothing before it counts.
func (r *backward) take(line []byte, at int64, torn bool) (stop bool) {
	marked := r.mark
	r.mark = false
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
		r.mark = true
		return false
	case r.summary != nil && at < r.summary.Metadata.Covers:
		return true
	case e.Type == TypeReset || r.paused(e):
		r.summary = nil // of what was before that
		return true
	case e.Type == TypeSummary:
		r.summarised(located{e, at})
		return r.summary.Metadata.Covers >= at
	case e.Message == nil:
		return false // of a later version
	}
	r.entries = append(r.entries, located{e, at})
	r.newer = &e
	return false
}

// paused reports whether the conversation started anew behind e: a person's
// words came after a long pause. Late results do not count as such.
func (r *backward) paused(e Entry) bool {
	after := r.now
	if r.newer != nil {
		if r.newer.Type != TypeUser {
			return false
		}
		after = time.UnixMilli(r.newer.Timestamp)
	}
	return after.Sub(time.UnixMilli(e.Timestamp)) > r.timeout
}

// summarised takes the latest summary. One that does not say what it covers
// covers everything before it.
func (r *backward) summarised(e located) {
	if r.summary != nil {
		return // an older one
	}
	about := Metadata{Covers: e.at}
	if e.Metadata != nil && e.Metadata.Covers > 0 && e.Metadata.Covers < e.at {
		about.Covers = e.Metadata.Covers
	}
	about.Untrusted = e.Metadata == nil || e.Metadata.Untrusted
	e.Metadata = &about
	r.summary = &e
}
