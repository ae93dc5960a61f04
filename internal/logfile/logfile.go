// Package logfile writes the daemon's log to one file per day, named blunux-ai.log.YYYY-MM-DD by the local date.
//
// It has no timer: each write checks the date, so an idle daemon need not wake at midnight. Each line is appended
// with one write(2), so lines of several processes do not mix. Logging must never cause another failure: a line
// that cannot be written is lost, and the error is reported once.
package logfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// base is the beginning of every file's name, followed by a dot and the date.
const base = "blunux-ai.log"

// defaultKeep is for how many days files are kept, including today's.
const defaultKeep = 14

// Options makes a [File].
type Options struct {
	Dir  string // created when first needed, with mode 0700
	Keep int    // days including today, default 14
	Now  func() time.Time
	// OnError is called with the error of lost lines, once per day's file. It may be nil. It may log: errors of those
	// lines are not reported.
	OnError func(error)
}

// File is the log of the current day. It is safe for concurrent use, also by several processes.
type File struct {
	o Options

	mu       sync.Mutex
	f        *os.File
	day      string // of the open or last tried file
	partial  bool   // the file ends within a line
	err      error  // why the last line was lost, or nil
	reported bool
}

// New returns a log. The file is created with the first line.
func New(o Options) *File {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return &File{o: o}
}

// Write appends p, one line with its line feed. It never fails: see [Options.OnError] and [File.Err].
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	f.err = f.append(p)
	err, tell := f.err, f.err != nil && !f.reported
	f.reported = f.reported || tell
	f.mu.Unlock()
	if tell {
		f.o.OnError(err)
	}
	return len(p), nil
}

// Path returns the path of today's file, which may not exist yet.
func (f *File) Path() string { return f.path(f.today()) }

// Err returns why the last line was lost, or nil.
func (f *File) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close closes the file. A line written later opens it again.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.close()
}

func (f *File) close() error {
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	return err
}

func (f *File) today() string { return f.o.Now().Format(time.DateOnly) }

func (f *File) path(day string) string { return filepath.Join(f.o.Dir, base+"."+day) }

// append opens the file if necessary and writes a line.
func (f *File) append(p []byte) error {
	if err := f.prepare(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path(f.day), err)
	}
	start := 0
	if f.partial { // end the incomplete line first
		p, start = append([]byte{'\n'}, p...), 1
	}
	n, err := f.f.Write(p)
	if n > 0 {
		f.partial = n < len(p) && n != start
	}
	if err != nil {
		return fmt.Errorf("cannot write to the log: %w", err)
	}
	return nil
}

// prepare switches to the file of a new day, and opens the file if it is not open or was removed.
func (f *File) prepare() error {
	if day := f.today(); day != f.day {
		_ = f.close()
		f.day, f.reported = day, false
		f.clean()
	}
	if f.f != nil && removed(f.f) {
		_ = f.close()
	}
	if f.f != nil {
		return nil
	}
	opened, torn, err := openAppend(f.path(f.day))
	if err != nil {
		return err
	}
	f.f, f.partial = opened, torn
	return nil
}

// clean removes old files. Errors do not stop logging.
func (f *File) clean() {
	now := f.o.Now()
	oldest := time.Date(now.Year(), now.Month(), now.Day()-f.o.Keep+1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	entries, _ := os.ReadDir(f.o.Dir)
	for _, e := range entries {
		if day, ok := dayOf(e.Name()); ok && day < oldest && e.Type().IsRegular() {
			_ = syscall.Unlink(filepath.Join(f.o.Dir, e.Name()))
		}
	}
}

// IsLogName reports whether a file of this name is a day's log.
func IsLogName(name string) bool {
	_, ok := dayOf(name)
	return ok
}

// dayOf returns the date in the name of a log file.
func dayOf(name string) (string, bool) {
	day, ok := strings.CutPrefix(name, base+".")
	if !ok || len(day) != len(time.DateOnly) {
		return "", false
	}
	_, err := time.Parse(time.DateOnly, day)
	return day, err == nil
}

// openAppend opens or creates a file and reports whether it ends within a line. It fails for a link, a pipe or a
// device, and corrects a mode that lets others read.
func openAppend(path string) (f *os.File, torn bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	flags := os.O_RDWR | os.O_APPEND | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err = os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, false, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case fi.Mode().Perm()&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		f.Close()
		return nil, false, err
	}
	var last [1]byte
	if n, _ := f.ReadAt(last[:], fi.Size()-1); n == 1 {
		torn = last[0] != '\n'
	}
	return f, torn, nil
}

// removed reports whether an open file was deleted.
func removed(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil {
		return true
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// IsWarning reports whether a line of [Lines] is a warning or worse.
func IsWarning(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	level, _, _ := strings.Cut(rest, " ")
	switch level {
	case "WRN", "ERR", "FTL", "PNC":
		return true
	}
	return false
}
