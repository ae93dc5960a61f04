// Package commandlog keeps the append-only record of every command the
// program ran, was not allowed to run, or was told not to run.
//
// One record is one line, exactly as NARE TDD section 14 has it:
//
//	[2026-02-20T09:15:32Z] SAFE        df -h
//
// the UTC time, the class padded to 11 characters, a blank, the command. The
// line is written and synced before the command runs; whoever cannot write it
// runs nothing.
package commandlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Class says what became of a command.
type Class string

// The classes.
const (
	Safe      Class = "SAFE"      // runs unasked, it only reads
	Confirmed Class = "CONFIRMED" // runs, a person said yes
	Blocked   Class = "BLOCKED"   // not run, nobody may allow it
	Cancelled Class = "CANCELLED" // not run, the person said no or nobody answered
	Failed    Class = "FAILED"    // not run, it could not be started
)

// Record is one line of the log.
type Record struct {
	Time    time.Time // UTC, whole seconds
	Class   Class
	Command string
}

// Log appends records to one file. It is safe for concurrent use, also by
// several processes: a record is one write in append mode.
type Log struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
}

// New returns a log at path; directory and file are made when first needed,
// with modes 0700 and 0600.
func New(path string, now func() time.Time) *Log { return &Log{path: path, now: now} }

// Path returns the log's file.
func (l *Log) Path() string { return l.path }

// Record appends one record and returns when it is on the disk. It fails when
// the file is a link, cannot be written or cannot be synced.
func (l *Log) Record(class Class, command string) error {
	line := Format(Record{l.now(), class, command}) + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.open()
	if err != nil {
		return fmt.Errorf("cannot write the command log: %w", err)
	}
	defer f.Close()
	if err := regular(f); err != nil {
		return fmt.Errorf("cannot write the command log: %w", err)
	}
	// Another process may be writing: without the lock its half-written line
	// would look torn.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("cannot lock the command log: %w", err)
	}
	if torn(f) {
		line = "\n" + line
	}
	if _, err := f.WriteString(line); err != nil {
		return fmt.Errorf("cannot write the command log: %w", err)
	}
	if err := syscall.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("cannot sync the command log: %w", err)
	}
	return nil
}

func (l *Log) open() (*os.File, error) {
	const flags = os.O_APPEND | os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	f, err := os.OpenFile(l.path, flags, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	dir := filepath.Dir(l.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(l.path, flags|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	// The new name must be on the disk before the first command runs.
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // some file systems cannot sync a directory
		d.Close()
	}
	return f, nil
}

// torn reports whether the file ends in the middle of a line, as it does when
// the machine died while writing.
func torn(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], fi.Size()-1)
	return err == nil && last[0] != '\n'
}

// Format returns a record's line without the newline.
func Format(r Record) string {
	return fmt.Sprintf("[%s] %-11s %s", r.Time.UTC().Format(time.RFC3339), r.Class, Escape(r.Command))
}

// Parse reads a line that [Format] made.
func Parse(line string) (Record, error) {
	stamp, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	if !ok || !strings.HasPrefix(line, "[") {
		return Record{}, fmt.Errorf("not a command log line: %q", line)
	}
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return Record{}, fmt.Errorf("not a command log line: %w", err)
	}
	class, command, ok := strings.Cut(rest, " ")
	if !ok {
		return Record{}, fmt.Errorf("not a command log line: %q", line)
	}
	if pad := 11 - len(class); pad > 0 {
		if len(command) < pad {
			return Record{}, fmt.Errorf("not a command log line: %q", line)
		}
		command = command[pad:]
	}
	return Record{at, Class(class), Unescape(command)}, nil
}

// Tail returns the last n lines of the log, oldest first; none when there is
// no log yet. However long lines are, it reads no more than it needs and at
// most maxTail bytes; of a line cut by that the end is returned.
func (l *Log) Tail(n int) ([]string, error) {
	f, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		err = regular(f)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the command log: %w", err)
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the command log: %w", err)
	}
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, maxTail, fi.Size())
		data := make([]byte, piece)
		if _, err := f.ReadAt(data, fi.Size()-piece); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("cannot read the command log: %w", err)
		}
		text := strings.TrimSuffix(string(data), "\n")
		if whole := piece == fi.Size() || piece == maxTail; whole || strings.Count(text, "\n") >= n {
			return lastLines(text, n), nil
		}
	}
}

// maxTail bounds what [Log.Tail] reads, in bytes.
const maxTail = 16 << 20

func lastLines(text string, n int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(len(lines)-n, 0):]
}

// regular refuses what is not a plain file: a pipe would wait for ever.
func regular(f *os.File) error {
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	return err
}
