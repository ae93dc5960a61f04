// Package memory stores what the assistant knows about the machine and the person in Markdown files that a person
// can read and edit (NARE TDD section 9): SYSTEM.md, rewritten at every start; USER.md and MEMORY.md; and
// daily/YYYY-MM-DD.md with one line a turn, which is later rolled up into daily/YYYY-MM.md.
//
// The files are the source of truth: they are read for every turn, so an edit by hand takes effect with the next
// question, and a write changes only the lines it has to. Notes never affect the verdict on a command.
package memory

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// The files, below the notes' directory.
const (
	systemFile = "SYSTEM.md"
	userFile   = "USER.md"
	memoryFile = "MEMORY.md"
	dailyDir   = "daily"
)

// Memory reads and writes the notes of one directory. Its methods can be called concurrently, also from several
// processes.
type Memory struct {
	dir string
	o   Options
	// step is called between the steps of a roll-up. A test aborts the roll-up there.
	step func() error
	// afterRead is a test hook that is called between reading and writing a file.
	afterRead func()
}

// Options are the dependencies and settings of a [Memory]. The zero value is usable.
type Options struct {
	// Recaller finds notes. If nil, Recall searches for the words themselves.
	Recaller Recaller
	// Now returns the current time. If nil, it is time.Now.
	Now func() time.Time
	// KeepDays is how many days keep a file each before they are rolled up. 0 means 30.
	KeepDays int
}

// New returns the notes in dir. The directory is created by the first write.
func New(dir string, o Options) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.KeepDays <= 0 {
		o.KeepDays = 30
	}
	return &Memory{dir: dir, o: o, step: func() error { return nil }}
}

func (m *Memory) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

// DayFile returns the file of a day, below the notes' directory.
func DayFile(now time.Time) string { return path.Join(dailyDir, now.Format(time.DateOnly)+".md") }

var dailyName = lazyregexp.New(`^\d{4}-\d{2}(-\d{2})?\.md$`)

func isNoteFile(name string) bool {
	switch dir, base := path.Split(name); dir {
	case "":
		return base == systemFile || base == userFile || base == memoryFile
	case dailyDir + "/":
		return dailyName.MatchString(base)
	}
	return false
}

// names returns the three fixed files, existing or not, and then the months and days, the oldest first.
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
	slices.Sort(daily) // plain order puts '-' before '.', so a month after its days
	sorting.By(daily, byDay)
	return daily, nil
}

// byDay orders daily files by time, a month before its days.
func byDay(a, b string) int {
	return strings.Compare(strings.TrimSuffix(a, ".md"), strings.TrimSuffix(b, ".md"))
}
