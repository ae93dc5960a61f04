package systemd

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What drop-ins hold at most, and how many times must be left of a longer row.
const (
	maxDue   = 16
	enough   = 4
	maxFiles = 64
)

// The names of the drop-ins.
const (
	dueName   = "50-due.conf"
	filesName = "50-files.conf"
)

const dropInHead = "# Written by blunux-ai, which replaces it as a whole.\n"

// dueLayout is a normalized calendar event, systemd.time(7).
const dueLayout = "2006-01-02 15:04:05 UTC"

// upcoming returns the next times after now, in order, as whole seconds: a
// fraction is rounded up, so that nothing starts before it is due.
func upcoming(at []time.Time, now time.Time) []time.Time {
	var next []time.Time
	for _, t := range at {
		if up := t.Add(time.Second - 1).Truncate(time.Second).UTC(); up.After(now) && up.Year() < 10000 {
			next = append(next, up)
		}
	}
	slices.SortFunc(next, time.Time.Compare)
	next = slices.CompactFunc(next, time.Time.Equal)
	return next[:min(len(next), maxDue)]
}

// dueText is the timer's drop-in; "" for none.
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

// dueTimes reads what dueText wrote; anything else is no time.
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

// serves reports that a written row of times need not be written anew: what is
// still to come of it is the beginning of what is wanted, and all of that or
// enough of it. The manager reads all units for every change.
func serves(written, want []time.Time, now time.Time) bool {
	left := slices.DeleteFunc(written, func(t time.Time) bool { return !t.After(now) })
	if len(left) > len(want) || !slices.EqualFunc(left, want[:len(left)], time.Time.Equal) {
		return false
	}
	return len(left) == len(want) || len(left) >= enough
}

// watchable returns the files a path unit can watch: absolute, and such that a
// line of a unit file holds them.
func watchable(files []string) []string {
	var can []string
	for _, f := range files {
		if filepath.IsAbs(f) && utf8.ValidString(f) && !strings.ContainsFunc(f, control) {
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

func control(r rune) bool { return r < ' ' || r == 0x7f }

// filesText is the path unit's drop-in; "" for none. % begins a specifier,
// systemd.unit(5).
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
