// Package logfile is the program's own log on the disk: one file a day, named
// blunux-ai.log.YYYY-MM-DD by the local date, for the person who wants to know
// what the daemon did and for whoever mends it.
//
// No clock runs for it: each line looks at the date, so that an idle daemon
// sleeps through midnight. Lines are appended with one write(2) each, so that
// those of several processes do not mix. A log must never be the reason that
// something else fails: what cannot be written is lost, and told once.
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

// base is what every file's name begins with; a dot and the date follow.
const base = "blunux-ai.log"

// defaultKeep is for how many days files are kept, today's included.
const defaultKeep = 14

// Options makes a [File].
type Options struct {
	Dir  string // made when first needed, with mode 0700
	Keep int    // days, today's included; default 14
	Now  func() time.Time
	// Tell is told why lines are lost, once for a day's file; may be nil. It
	// may log: a line that is written meanwhile is not told of.
	Tell func(error)
}

// File is the log of the day, whatever day it is. It is safe for concurrent
// use, also by several processes.
type File struct {
	o Options

	mu   sync.Mutex
	f    *os.File
	day  string // of the file that is open, or was last tried
	torn bool   // the file ends within a line
	err  error  // why the last line was lost, nil when it was not
	told bool
}

// New returns a log. No file is made before the first line.
func New(o Options) *File {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(error) {}
	}
	return &File{o: o}
}

// Write appends p, one line with its line feed. It always succeeds: see
// [Options.Tell] and [File.Err].
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	f.err = f.append(p)
	err, tell := f.err, f.err != nil && !f.told
	f.told = f.told || tell
	f.mu.Unlock()
	if tell {
		f.o.Tell(err)
	}
	return len(p), nil
}

// Path returns today's file, whether it is there or not.
func (f *File) Path() string { return f.path(f.today()) }

// Err returns why the last line was lost, nil when it was not.
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

// append opens what must be open and writes a line.
func (f *File) append(p []byte) error {
	if err := f.ready(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path(f.day), err)
	}
	start := 0
	if f.torn { // what is left of a line ends before a new one begins
		p, start = append([]byte{'\n'}, p...), 1
	}
	n, err := f.f.Write(p)
	if n > 0 {
		f.torn = n < len(p) && n != start
	}
	if err != nil {
		return fmt.Errorf("cannot write to the log: %w", err)
	}
	return nil
}

// ready turns over to a new day and opens the day's file where it is not open,
// or was removed.
func (f *File) ready() error {
	if day := f.today(); day != f.day {
		_ = f.close()
		f.day, f.told = day, false
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
	f.f, f.torn = opened, torn
	return nil
}

// clean removes the files of days that are too long ago. One that cannot be
// removed is no reason not to log.
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

// Is reports whether a file of that name is a day's log.
func Is(name string) bool {
	_, ok := dayOf(name)
	return ok
}

// dayOf returns the date in a file's name, where it is exactly such a name.
func dayOf(name string) (string, bool) {
	day, ok := strings.CutPrefix(name, base+".")
	if !ok || len(day) != len(time.DateOnly) {
		return "", false
	}
	_, err := time.Parse(time.DateOnly, day)
	return day, err == nil
}

// openAppend opens a file of ours, made where it is not there, and tells
// whether it ends within a line. A link, a pipe or a device in its place is an
// error; a mode that lets others read is put right.
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

// removed reports whether an open file has no name any more.
func removed(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil {
		return true
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
