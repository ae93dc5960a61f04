// Package tail reads the lines of files that grow: the last ones there are,
// and each new one, in order and once, also when the file is replaced or the
// next day's file takes over.
//
// It waits for nothing and watches nothing: whoever follows a file calls
// [Reader.Next] until there is no line, and again when the file has changed.
// A [Position] says where a line ends, and outlives the process: reading goes
// on behind it.
package tail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Files are one file, or several that follow each other in order of name.
type Files struct {
	Dir   string
	Match func(name string) bool // the files' names
}

// One is a single file.
func One(path string) Files {
	return Files{filepath.Dir(path), func(name string) bool { return name == filepath.Base(path) }}
}

// Position is a place between two lines. The zero value is before the first
// line of the first file there will be.
type Position struct {
	Name   string
	Inode  uint64 // tells a file from another one that took its name
	Offset int64  // bytes
}

// begin is how the zero position is written.
const begin = "begin"

// String returns a form that [Files.ParsePosition] reads.
func (p Position) String() string {
	if p == (Position{}) {
		return begin
	}
	return fmt.Sprintf("%d:%d:%s", p.Inode, p.Offset, p.Name)
}

// ErrPosition reports a text that is no position of these files.
var ErrPosition = errors.New("not a position in the log")

// ParsePosition reads what [Position.String] wrote. It returns [ErrPosition]
// when the text is none, or names a file that is not one of these.
func (f Files) ParsePosition(text string) (Position, error) {
	if text == begin {
		return Position{}, nil
	}
	inode, rest, _ := strings.Cut(text, ":")
	offset, name, ok := strings.Cut(rest, ":")
	i, err1 := strconv.ParseUint(inode, 10, 64)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if err := errors.Join(err1, err2); err != nil || !ok || o < 0 || !f.Match(name) || strings.ContainsRune(name, '/') {
		return Position{}, fmt.Errorf("%w: %.80q", ErrPosition, text)
	}
	return Position{name, i, o}, nil
}

// names returns the names of the files that are there, in order.
func (f Files) names() ([]string, error) {
	entries, err := os.ReadDir(f.Dir) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list the log's files: %w", err)
	}
	var names []string
	for _, e := range entries {
		if f.Match(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// open opens a file for reading; nil when it is not there. A link or a pipe in
// its place is an error.
func (f Files) open(name string) (*os.File, os.FileInfo, error) {
	file, err := os.OpenFile(filepath.Join(f.Dir, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the log: %w", err)
	}
	fi, err := file.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("cannot read the log %s: %w", name, err)
	}
	return file, fi, nil
}

func inodeOf(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
