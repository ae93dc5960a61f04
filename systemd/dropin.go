package systemd

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Maximum numbers of entries in drop-ins, and the minimum number of future times in a written list.
const (
	maxDue   = 16
	minDue   = 4
	maxFiles = 64
)

// Names of the drop-ins.
const (
	dueName   = "50-due.conf"
	filesName = "50-files.conf"
)

const dropInHead = "# Written by blunux-ai, which replaces it as a whole.\n"

// dueLayout is a normalized calendar event, systemd.time(7).
const dueLayout = "2006-01-02 15:04:05 UTC"

// upcomingTimes returns the next times after now, sorted, in whole seconds. Fractions are rounded up, so that nothing
// starts early.
func upcomingTimes(at []time.Time, now time.Time) []time.Time {
	var next []time.Time
	for _, t := range at {
		if up := t.Add(time.Second - 1).Truncate(time.Second).UTC(); up.After(now) && up.Year() < 10000 {
			next = append(next, up)
		}
	}
	sorting.By(next, time.Time.Compare)
	next = slices.CompactFunc(next, time.Time.Equal)
	return next[:min(len(next), maxDue)]
}

// dueText returns the content of the timer's drop-in, or "" for no times.
func dueText(due []time.Time) string {
	if len(due) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(dropInHead + "[Timer]\n")
	for _, t := range due {
		b.WriteString("OnCalendar=" + t.Format(dueLayout) + "\n")
	}
	return b.String()
}

// dueTimes parses the times written by dueText and ignores anything else.
func dueTimes(text string) []time.Time {
	var due []time.Time
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "OnCalendar="); ok {
			if t, err := time.Parse(dueLayout, value); err == nil {
				due = append(due, t)
			}
		}
	}
	return due
}

// isSufficient reports whether a written list of times is still sufficient: its future times are the first wanted
// ones, and either all or enough of them. Each change makes the manager read all units again.
func isSufficient(written, want []time.Time, now time.Time) bool {
	left := slices.DeleteFunc(written, func(t time.Time) bool { return !t.After(now) })
	if len(left) > len(want) || !slices.EqualFunc(left, want[:len(left)], time.Time.Equal) {
		return false
	}
	return len(left) == len(want) || len(left) >= minDue
}

// watchable returns the files that a path unit can watch: absolute paths that fit into a line of a unit file.
func watchable(files []string) []string {
	var can []string
	for _, f := range files {
		if filepath.IsAbs(f) && utf8.ValidString(f) && !strings.ContainsFunc(f, isControl) {
			f = filepath.Clean(f)
			if f == strings.TrimSpace(f) && !strings.HasSuffix(f, `\`) {
				can = append(can, f)
			}
		}
	}
	slices.Sort(can)
	can = slices.Compact(can)
	return can[:min(len(can), maxFiles)]
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// filesText returns the content of the path unit's drop-in, or "" for no files. It escapes %, which begins a
// specifier (systemd.unit(5)).
func filesText(files []string) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(dropInHead + "[Path]\n")
	for _, f := range files {
		b.WriteString("PathChanged=" + strings.ReplaceAll(f, "%", "%%") + "\n")
	}
	return b.String()
}
