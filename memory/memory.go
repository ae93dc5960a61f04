// Package memory keeps what is known of the machine and of the person, as
// Markdown files a person can read and edit (NARE TDD section 9): SYSTEM.md,
// written anew at every start; USER.md and MEMORY.md; daily/YYYY-MM-DD.md,
// one line a turn, which become daily/YYYY-MM.md when they are old.
//
// The files are the truth: they are read for every turn, so a hand edit
// counts from the next question on, and writing changes only the lines it is
// about. Nothing in them can change a verdict.
package memory

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The files, below the notes' directory.
const (
	systemFile = "SYSTEM.md"
	userFile   = "USER.md"
	memoryFile = "MEMORY.md"
	dailyDir   = "daily"
)

// Memory reads and writes the notes of one directory. Its methods may be called
// at the same time, and from several processes.
type Memory struct {
	dir string
	o   Options
	// step is called between the steps of a roll-up; a test ends it there.
	step func() error
	// read is called between the reading and the writing of a file, by a test.
	read func()
}

// Options are what a [Memory] stands on; the zero value works.
type Options struct {
	// Recaller finds notes; nil looks for the words themselves.
	Recaller Recaller
	// Now tells the time; nil is time.Now.
	Now func() time.Time
	// KeepDays is how many days keep a file of their own before they are rolled
	// up; 0 is 30.
	KeepDays int
}

// New returns the notes in dir; it is made when first written.
func New(dir string, o Options) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.KeepDays <= 0 {
		o.KeepDays = 30
	}
	return &Memory{dir: dir, o: o, step: func() error { return nil }}
}

// path returns where a file of the notes is.
func (m *Memory) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func dayFile(now time.Time) string { return path.Join(dailyDir, now.Format(time.DateOnly)+".md") }

var dailyName = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2})?\.md$`)

// isNoteFile tells the names that files of the notes have.
func isNoteFile(name string) bool {
	switch dir, base := path.Split(name); dir {
	case "":
		return base == systemFile || base == userFile || base == memoryFile
	case dailyDir + "/":
		return dailyName.MatchString(base)
	}
	return false
}

// names returns the files that there are or could be: the three, then the
// months and days, the oldest first.
func (m *Memory) names(ctx context.Context) ([]string, error) {
	all := []string{systemFile, userFile, memoryFile}
	daily, err := m.dailyNames()
	if err == nil {
		err = ctx.Err()
	}
	return append(all, daily...), err
}

func (m *Memory) dailyNames() ([]string, error) {
	if err := m.checkDaily(); err != nil {
		return nil, fault("read", m.path(dailyDir), dailyDir, err)
	}
	entries, err := os.ReadDir(m.path(dailyDir))
	if err != nil && !os.IsNotExist(err) {
		return nil, fault("read", m.path(dailyDir), dailyDir, err)
	}
	var daily []string
	for _, e := range entries {
		if dailyName.MatchString(e.Name()) {
			daily = append(daily, path.Join(dailyDir, e.Name()))
		}
	}
	slices.Sort(daily) // a month comes before its days: '-' is less than '.', so not by itself
	slices.SortFunc(daily, byDay)
	return daily, nil
}

// byDay orders daily files by time, a month before its days.
func byDay(a, b string) int {
	return strings.Compare(strings.TrimSuffix(a, ".md"), strings.TrimSuffix(b, ".md"))
}
