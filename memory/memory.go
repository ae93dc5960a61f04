// Package memory keeps what is known of the machine and of the person, as
// Markdown files a person can read and edit (NARE TDD section 9): SYSTEM.md,
// written anew at every start; USER.md and MEMORY.md; daily/YYYY-MM-DD.md,
// one line a turn.
//
// The files are the truth: they are read for every turn, so a hand edit
// counts from the next question on. Nothing in them can change a verdict.
package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/renameio/v2"
)

// What of one file goes into a prompt, in bytes. The day's note is the shortest:
// the conversation itself holds what was said last.
const (
	maxSection = 8 << 10
	maxDay     = 2 << 10
)

// Memory reads and writes the notes of one directory.
type Memory struct{ dir string }

// New returns the notes in dir; it is made when first written.
func New(dir string) *Memory { return &Memory{dir} }

// Section is one file's text under the heading a prompt gives it.
type Section struct{ Title, Text string }

// Context returns the notes for a prompt: system, user, long-term and the
// day's. A missing or empty file is left out; of one that is too long the
// end, which is the newest, is kept.
func (m *Memory) Context(now time.Time) ([]Section, error) {
	var sections []Section
	for _, f := range []struct {
		title, file string
		most        int64
	}{
		{"System Information", "SYSTEM.md", maxSection},
		{"User Preferences", "USER.md", maxSection},
		{"Long-term Memory", "MEMORY.md", maxSection},
		{"Today's Session (" + now.Format(time.DateOnly) + ")", dayFile(now), maxDay},
	} {
		text, err := readEnd(filepath.Join(m.dir, f.file), f.most)
		if errors.Is(err, fs.ErrNotExist) || err == nil && strings.TrimSpace(text) == "" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", f.file, err)
		}
		sections = append(sections, Section{f.title, strings.TrimSpace(text)})
	}
	return sections, nil
}

func dayFile(now time.Time) string {
	return filepath.Join("daily", now.Format(time.DateOnly)+".md")
}

// openRegular opens a file without following a link (the directory is the
// user's, but a link in it could show any file to a model, or be written
// through) and without waiting, as opening a named pipe would.
func openRegular(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readEnd returns at most n bytes from the end of a file, from the start of a
// line on where there is one.
func readEnd(file string, n int64) (string, error) {
	f, err := openRegular(file, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	cut := fi.Size() > n
	if cut {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return "", err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, n))
	if err != nil {
		return "", err
	}
	if cut {
		data = fromLineStart(data)
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), nil
}

// fromLineStart drops the rest of a line that began before; of one line that
// is longer than everything, only the rest of a character.
func fromLineStart(data []byte) []byte {
	if _, after, ok := bytes.Cut(data, []byte{'\n'}); ok && len(bytes.TrimSpace(after)) > 0 {
		return after
	}
	for i := 0; i < min(utf8.UTFMax, len(data)); i++ {
		if utf8.RuneStart(data[i]) {
			return data[i:]
		}
	}
	return data
}

// maxLine bounds one line of a day's note, in bytes.
const maxLine = 1 << 10

// Append adds a line to today's note.
func (m *Memory) Append(now time.Time, line string) error {
	file := filepath.Join(m.dir, dayFile(now))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("cannot write today's note: %w", err)
	}
	f, err := openRegular(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("cannot write today's note: %w", err)
	}
	_, err = f.WriteString(oneLine(line) + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("cannot write today's note: %w", err)
	}
	return nil
}

// oneLine returns s as one line of valid text, without control characters
// that would act on a terminal that shows the file.
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
	cut := maxLine
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// RefreshSystem writes SYSTEM.md anew where its text has changed.
func (m *Memory) RefreshSystem(info SystemInfo) error {
	file := filepath.Join(m.dir, "SYSTEM.md")
	text := info.Markdown()
	if isText(file, text) {
		return nil
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return fmt.Errorf("cannot write SYSTEM.md: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("cannot write SYSTEM.md: %w", err)
	}
	return nil
}

// isText reports whether a file holds exactly this text.
func isText(file, text string) bool {
	f, err := openRegular(file, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, int64(len(text))+1))
	return err == nil && string(old) == text
}
