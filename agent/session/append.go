package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/providers"
)

// Append adds entries and fills in missing types, contents and times. It syncs entries that end a turn,
// including everything before them, so that a power cut cannot revert what the user was shown. The steps of a
// running turn survive the end of the program and are synced with the turn's answer. Either all entries are
// stored, or none.
func (s *Store) Append(key string, entries ...Entry) error {
	sync, err := s.AppendUnsynced(key, entries...)
	if err == nil {
		err = sync()
	}
	return err
}

// AppendUnsynced is [Store.Append] whose entries survive the end of the program, and a power cut only once sync has
// returned. The caller calls sync once; other calls may run at the same time.
func (s *Store) AppendUnsynced(key string, entries ...Entry) (sync func() error, err error) {
	now := s.now().UnixMilli()
	ends := false
	lines := make([]Entry, len(entries))
	for i, e := range entries {
		if e.Message != nil && e.Type == "" {
			e = NewEntry(*e.Message, e.Metadata)
		}
		if e.Timestamp == 0 {
			e.Timestamp = now
		}
		lines[i] = e
		ends = ends || e.Type == TypeThought || e.Type == TypeError || e.Type == TypeReset || e.Type == TypeSummary
	}
	return s.write(key, lines, ends)
}

// Reset starts a new conversation in the same file, which keeps the old entries.
func (s *Store) Reset(key string) error { return s.Append(key, Entry{Type: TypeReset}) }

// write writes entries. sync does nothing unless the entries end a turn.
func (s *Store) write(key string, entries []Entry, ends bool) (sync func() error, err error) {
	if len(entries) == 0 {
		return func() error { return nil }, nil
	}
	lines, err := encode(s.withKey(key, s.cleanEntries(key, entries)))
	var f *os.File
	if err == nil {
		f, err = s.append(key, lines)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot save the message: %w", err)
	}
	if !ends {
		return func() error { return nil }, f.Close()
	}
	return func() error {
		defer f.Close()
		// On the file systems of Linux desktops (ext4, btrfs, xfs, f2fs), a full sync also makes a new file's name
		// durable.
		if err := f.Sync(); err != nil {
			return fmt.Errorf("cannot save the message: %w", err)
		}
		crash.Here(crash.SessionSynced)
		return nil
	}, nil
}

// maxKey bounds a key that is repeated in its file, in bytes.
const maxKey = 4 << 10

// withKey adds the key to the first entry of a file whose name contains only the beginning of the key.
func (s *Store) withKey(key string, entries []Entry) []Entry {
	if !isCut(key) || len(key) > maxKey {
		return entries
	}
	if _, err := os.Lstat(s.file(key)); !errors.Is(err, fs.ErrNotExist) {
		return entries
	}
	var about Metadata
	if entries[0].Metadata != nil {
		about = *entries[0].Metadata
	}
	about.Key = key
	entries[0].Metadata = &about
	return entries
}

func encode(entries []Entry) ([]byte, error) {
	var all []byte
	for _, e := range entries {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
		all = append(all, journal.AddVersion(buf.Bytes())...)
	}
	return all, nil
}

// append adds lines to a session's file and returns it, open and no longer locked.
func (s *Store) append(key string, lines []byte) (*os.File, error) {
	f, err := openLocked(s.file(key), os.O_CREATE|os.O_RDWR|os.O_APPEND, disk.Exclusive)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(s.dir, 0o700); err == nil {
			f, err = openLocked(s.file(key), os.O_CREATE|os.O_RDWR|os.O_APPEND, disk.Exclusive)
		}
	}
	if err != nil {
		return nil, err
	}
	err = s.appendLocked(f, s.file(key), lines)
	if uerr := disk.Unlock(f); err == nil {
		err = uerr
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// appendLocked adds lines to a locked file. It removes lines that could be written only in part.
func (s *Store) appendLocked(f *os.File, file string, lines []byte) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	size := fi.Size()
	before, _ := s.stateOf(f, fi)
	cached, valid := s.cache.get(file, before)
	if !valid { // otherwise the versions were checked
		if err := s.checkVersions(f, file, size); err != nil {
			return err
		}
	}
	ending, err := s.repairTail(f, size)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(ending, lines...)); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	crash.Here(crash.SessionWritten)
	if len(ending) == 0 && (valid || size == 0) {
		s.cacheAppended(f, file, cached, lines, size)
	}
	return nil
}

// cacheAppended adds lines that were written at an offset, the end of the file, to the cached lines before them.
func (s *Store) cacheAppended(f *os.File, file string, cached []*tailLine, lines []byte, at int64) {
	fi, err := f.Stat()
	if err != nil || fi.Size() != at+int64(len(lines)) {
		return
	}
	state, ok := s.stateOf(f, fi)
	if !ok {
		return
	}
	var all []*tailLine
	for line := range bytes.Lines(lines) {
		all = append(all, parseLine(line, at))
		at += int64(len(line))
	}
	slices.Reverse(all)
	s.cache.put(&cachedTail{file, state, slices.Concat(all, cached)})
}

// versionWindow is how much of a file's end is checked for entries of a newer program, in bytes. They can only be
// there.
const versionWindow = 64 << 10

// checkVersions returns a [journal.VersionError] if a newer program has written to a file.
func (s *Store) checkVersions(f *os.File, path string, size int64) error {
	data := make([]byte, min(size, versionWindow))
	if err := s.readAt(f, data, size-int64(len(data))); err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		if err := journal.CheckVersion(path, line); err != nil {
			return err
		}
	}
	return nil
}

// repairTail returns what to write before new lines if the machine crashed while writing one: a newline, and if the
// last line is incomplete, a torn mark.
func (s *Store) repairTail(f *os.File, size int64) ([]byte, error) {
	line, err := s.unfinishedLine(f, size)
	if err != nil || len(line) == 0 {
		return nil, err
	}
	if _, ok := decode(line); ok {
		return []byte{'\n'}, nil
	}
	mark, err := encode([]Entry{{Type: TypeTorn, Timestamp: s.now().UnixMilli()}})
	return append([]byte{'\n'}, mark...), err
}

// unfinishedLine returns the text after the last newline of a file. Of a text too long for an entry, it returns the
// end.
func (s *Store) unfinishedLine(f *os.File, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	last := make([]byte, 1)
	if err := s.readAt(f, last, size-1); err != nil || last[0] == '\n' {
		return nil, err
	}
	piece := min(size, maxTail)
	data := make([]byte, piece)
	if err := s.readAt(f, data, size-piece); err != nil {
		return nil, err
	}
	return data[bytes.LastIndexByte(data, '\n')+1:], nil
}

// decode decodes a line. ok reports whether it is a valid entry.
func decode(line []byte) (e Entry, ok bool) {
	if err := json.Unmarshal(line, &e); err != nil || e.Type == "" || journal.CheckVersion("", line) != nil {
		return Entry{}, false
	}
	return e, e.Message == nil || isValid(e)
}

// isValid reports whether an entry's message has the type of the entry and the role of that type.
func isValid(e Entry) bool {
	side, kind := providers.RoleAssistant, typeOf(*e.Message)
	if kind == TypeUser || kind == TypeResult {
		side = providers.RoleUser
	}
	same := kind == e.Type || kind == TypeThought && e.Type == TypeError
	return same && e.Message.Role == side && len(e.Message.Content) > 0
}
