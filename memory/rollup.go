package memory

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Bounds of a rolled-up day, in bytes.
const (
	maxRolled = 4 << 10 // for months of the last year
	minRolled = 128     // for any month
)

// RollUp merges days older than [Options.KeepDays] into one file a month, daily/YYYY-MM.md, with the number of
// turns and the most informative lines of every day, at most 4 KiB a day. Months older than a year are shortened
// further every year.
//
// It can be interrupted at any point and called again at any time: a day is written into its month in one rename
// before it is deleted, with a hash of its text that identifies it. Days that cannot be rolled up stay and are
// listed in the error.
func (m *Memory) RollUp(ctx context.Context, now time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	names, err := m.dailyNames()
	if err != nil {
		return err
	}
	var faults []error
	for _, month := range groupByMonth(names, now.AddDate(0, 0, -m.o.KeepDays)) {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(faults, err)...)
		}
		err := m.rollMonth(month.name, month.days, now)
		if errors.Is(err, errStopped) {
			return err
		}
		faults = append(faults, err)
	}
	m.sweep(now)
	return errors.Join(faults...)
}

// errStopped is the error with which a test aborts a roll-up.
var errStopped = errors.New("stopped")

// monthDays is a month's file and the days to merge into it.
type monthDays struct {
	name string
	days []string
}

// groupByMonth groups the days before a time by month, and lists every existing month.
func groupByMonth(names []string, before time.Time) []monthDays {
	last := DayFile(before)
	var months []monthDays
	for _, name := range names {
		month := name[:len("daily/2006-01")] + ".md"
		if name != month && name >= last {
			continue
		}
		if n := len(months); n == 0 || months[n-1].name != month {
			months = append(months, monthDays{name: month})
		}
		if name != month {
			months[len(months)-1].days = append(months[len(months)-1].days, name)
		}
	}
	return months
}

// rollMonth merges the days into the month, deletes them, and shortens an old month.
func (m *Memory) rollMonth(name string, days []string, now time.Time) error {
	most := rolledBytes(name, now)
	old, err := m.readWhole(name)
	if err != nil {
		return err
	}
	month := parseMonth(name, old.text)
	taken, faults := m.takeDays(month, days, most)
	if err := m.writeMonth(name, old, month); err != nil {
		return errors.Join(append(faults, err)...)
	}
	for _, day := range days {
		was, ok := taken[day]
		if !ok {
			continue
		}
		if err := m.step(); err != nil {
			return err
		}
		if !m.changedSince(day, was) { // else a person is editing it; the next roll-up takes it
			faults = append(faults, fault("write", m.path(day), day, os.Remove(m.path(day))))
		}
	}
	if err := m.shorten(name, most); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// takeDays adds days to a month. It skips days that are read-only or unreadable.
func (m *Memory) takeDays(month *month, days []string, most int) (map[string]content, []error) {
	taken := map[string]content{}
	var faults []error
	for _, day := range days {
		c, err := m.readWhole(day)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if c.file == nil || c.file.Mode().Perm()&0o200 == 0 {
			continue
		}
		month.addDay(strings.TrimSuffix(path.Base(day), ".md"), c.text, most)
		taken[day] = c
	}
	return taken, faults
}

// writeMonth writes a month if its text has changed.
func (m *Memory) writeMonth(name string, old content, month *month) error {
	text := month.text()
	if text == month.original {
		return nil
	}
	if err := m.step(); err != nil {
		return err
	}
	if m.changedSince(name, old) {
		return fault("write", m.path(name), name, errBusy)
	}
	return m.replace(name, text)
}

// shorten limits every day of a month to that many bytes.
func (m *Memory) shorten(name string, most int) error {
	if most == maxRolled {
		return nil
	}
	old, err := m.readWhole(name)
	if err != nil || old.file == nil {
		return err
	}
	month := parseMonth(name, old.text)
	month.shorten(most)
	return m.writeMonth(name, old, month)
}

// rolledBytes is how many bytes are kept of a day of a month: a quarter of the previous limit with every year.
func rolledBytes(name string, now time.Time) int {
	month, err := time.Parse("2006-01", strings.TrimSuffix(path.Base(name), ".md"))
	if err != nil {
		return maxRolled
	}
	years := ((now.Year()-month.Year())*12 + int(now.Month()-month.Month()) - 1) / 12
	return max(minRolled, maxRolled>>min(2*max(0, years), 20))
}

// sweep deletes temporary files of writers that were killed.
func (m *Memory) sweep(now time.Time) {
	for _, dir := range []string{m.dir, m.path(dailyDir)} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			fi, err := e.Info()
			if err == nil && isLeftover(e.Name()) && fi.Mode().IsRegular() && now.Sub(fi.ModTime()) > 24*time.Hour {
				_ = os.Remove(path.Join(dir, e.Name()))
			}
		}
	}
}

// isLeftover reports whether name is that of a temporary file of renameio, such as ".MEMORY.md1234".
func isLeftover(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return base != name && strings.HasPrefix(name, ".") && slices.ContainsFunc([]string{".md", ".md~"}, func(end string) bool { return strings.HasSuffix(base, end) })
}
