// Package tail reads the lines of growing files: the last existing ones, and each new one, in order and once, even
// if the file is replaced or the next day's file follows.
//
// It does not wait or watch: the caller calls [Reader.Next] until there is no line, and again when the file has
// changed. A [Position] is the end of a line and outlives the process, so reading can continue after it.
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

// Files is one file, or several that follow each other in the order of their names.
type Files struct {
	Dir   string
	Match func(name string) bool // selects the files by name
}

// SingleFile returns a single file.
func SingleFile(path string) Files {
	return Files{filepath.Dir(path), func(name string) bool { return name == filepath.Base(path) }}
}

// Position is a place between two lines. The zero value is before the first line of the first file.
type Position struct {
	Name   string
	Inode  uint64 // distinguishes a file from another one with its name
	Offset int64  // in bytes
}

// begin is the text of the zero position.
const begin = "begin"

// String returns a text that [Files.ParsePosition] reads.
func (p Position) String() string {
	if p == (Position{}) {
		return begin
	}
	return fmt.Sprintf("%d:%d:%s", p.Inode, p.Offset, p.Name)
}

// ErrPosition reports a text that is not a position in these files.
var ErrPosition = errors.New("not a position in the log")

// ParsePosition reads the text of [Position.String]. It returns [ErrPosition] if the text is invalid or names
// another file.
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

// names returns the names of the existing files, in order.
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

// open opens a file for reading, or returns nil if it does not exist. A link or a pipe is an error.
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
