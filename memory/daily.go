package memory

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a day's note, in bytes.
const (
	maxLine = 1 << 10
	maxDay  = 1 << 20
)

// fullLine is the last line of a day that is full.
const fullLine = "- This day's note is full: what came later is not noted.\n"

// Append adds a line to today's note. When the note has reached 1 MiB, one
// line says that it is full, and the others are dropped.
func (m *Memory) Append(now time.Time, line string) error {
	name := dayFile(now)
	if err := m.append(name, oneLine(line)+"\n"); err != nil {
		return fmt.Errorf("cannot write today's note: %w", fault("write", m.path(name), name, err))
	}
	return nil
}

func (m *Memory) append(name, line string) error {
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		return err
	}
	// Without the lock, a line could be lost when another process replaces the file. If the lock is not
	// available, write anyway.
	if unlock, err := m.lock(context.Background()); err == nil {
		defer unlock()
	}
	f, err := m.open(name, os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	if line, err = lineToAppend(f, line); err == nil && line != "" {
		_, err = f.WriteString(line)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// lineToAppend returns the text to append to a file: the line, preceded by a line end if the file lacks one. For a
// full file it returns the closing line, or nothing if the file already ends with it.
func lineToAppend(f *os.File, line string) (string, error) {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return line, err
	}
	full := fi.Size()+int64(len(line)) > maxDay
	end := make([]byte, min(fi.Size(), int64(len(fullLine))))
	if _, err := f.ReadAt(end, fi.Size()-int64(len(end))); err != nil && err != io.EOF {
		return "", err
	}
	switch {
	case full && string(end) == fullLine:
		return "", nil
	case full:
		line = fullLine
	}
	if end[len(end)-1] != '\n' {
		line = "\n" + line
	}
	return line, nil
}

// oneLine returns s as one line of valid text without control characters, which could affect a terminal that
// shows the file.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxLine {
		return s
	}
	end := maxLine
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
