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
	maxRolled = 4 << 10 // in a month of the last year
	minRolled = 128     // however long ago
)

// RollUp puts days that are older than [Options.KeepDays] into one file a
// month, daily/YYYY-MM.md: of every day how many turns it had and its most telling lines, at
// most 4 KiB. Months from more than a year ago get shorter, once more with
// every year.
//
// It may be ended at any instant, and be called again at any time: a day is
// written into its month in one rename before it is deleted, with a mark of what it said, by which
// it is known again. What cannot be rolled up stays and is listed in the error.
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
	for _, month := range monthsOf(names, now.AddDate(0, 0, -m.o.KeepDays)) {
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

// errStopped is what a test ends a roll-up with.
var errStopped = errors.New("stopped")

// monthDays are a month's file and the days that belong into it.
type monthDays struct {
	name string
	days []string
}

// monthsOf groups the days before a time, and names every month there is.
func monthsOf(names []string, before time.Time) []monthDays {
	last := dayFile(before)
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

// rollMonth writes the days into the month, deletes them, and shortens the
// month where it is old.
func (m *Memory) rollMonth(name string, days []string, now time.Time) error {
	most := rolledBytes(name, now)
	old, err := m.whole(name)
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
		if !m.changedSince(day, was) { // a person is at it; it is taken next time
			faults = append(faults, fault("write", m.path(day), day, os.Remove(m.path(day))))
		}
	}
	if err := m.shorten(name, most); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// takeDays adds what days say to a month. Those that are read-only, and those
// that cannot be read, are left as they are.
func (m *Memory) takeDays(month *month, days []string, most int) (map[string]content, []error) {
	taken := map[string]content{}
	var faults []error
	for _, day := range days {
		c, err := m.whole(day)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if c.file == nil || c.file.Mode().Perm()&0o200 == 0 {
			continue
		}
		month.take(strings.TrimSuffix(path.Base(day), ".md"), c.text, most)
		taken[day] = c
	}
	return taken, faults
}

// writeMonth writes a month where its days have changed.
func (m *Memory) writeMonth(name string, old content, month *month) error {
	text := month.text()
	if text == month.was {
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

// shorten brings the days of a month down to so many bytes.
func (m *Memory) shorten(name string, most int) error {
	if most == maxRolled {
		return nil
	}
	old, err := m.whole(name)
	if err != nil || old.file == nil {
		return err
	}
	month := parseMonth(name, old.text)
	month.shorten(most)
	return m.writeMonth(name, old, month)
}

// rolledBytes is how much is kept of a day of a month: a quarter less with every year.
func rolledBytes(name string, now time.Time) int {
	month, err := time.Parse("2006-01", strings.TrimSuffix(path.Base(name), ".md"))
	if err != nil {
		return maxRolled
	}
	years := ((now.Year()-month.Year())*12 + int(now.Month()-month.Month()) - 1) / 12
	return max(minRolled, maxRolled>>min(2*max(0, years), 20))
}

// sweep deletes what writers that were killed have left behind.
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

// isLeftover tells the names of new files that did not get their name:
// ".MEMORY.md1234", as renameio makes them.
func isLeftover(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return base != name && strings.HasPrefix(name, ".") && slices.ContainsFunc([]string{".md", ".md~"}, func(end string) bool { return strings.HasSuffix(base, end) })
}
