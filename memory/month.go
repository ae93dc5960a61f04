package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// month is a rolled-up month: the lines before its days, and the days.
type month struct {
	before   []string
	days     []*rolledDay
	original string // its text when read
}

// rolledDay is the digest of one day.
type rolledDay struct {
	day   string
	turns int
	marks []string // hashes of the texts it was made of
	lines []string
}

var (
	dayHead = regexp.MustCompile(`^## (\d{4}-\d{2}-\d{2})(?: \((\d+) turns?(?:, \d+ of them here)?\))?[ \t]*$`)
	dayMark = regexp.MustCompile(`^<!-- from ((?:[0-9a-f]{8} ?)+)-->$`)
	turn    = regexp.MustCompile(`^- ([01]\d|2[0-3]):[0-5]\d · `)
)

// withoutNUL removes NUL bytes. A file with NUL bytes is refused if it is not valid UTF-8, so one day's NUL bytes
// and another day's invalid bytes would make the month unreadable.
func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// parseMonth parses a month's file. An empty file is a new month.
func parseMonth(name, text string) *month {
	m := &month{}
	if isBlank(text) {
		text = "# " + strings.TrimSuffix(path.Base(name), ".md")
	}
	for _, l := range linesOf(withoutNUL(text)) {
		head := dayHead.FindStringSubmatch(l)
		mark := dayMark.FindStringSubmatch(l)
		last := m.last()
		switch {
		case head != nil:
			turns, _ := strconv.Atoi(head[2])
			m.days = append(m.days, &rolledDay{day: head[1], turns: turns})
		case last == nil:
			m.before = append(m.before, l)
		case mark != nil && len(last.lines) == 0 && len(last.marks) == 0:
			last.marks = strings.Fields(mark[1])
		default:
			last.lines = append(last.lines, l)
		}
	}
	for _, d := range m.days {
		d.lines = trimBlank(d.lines)
	}
	m.original = m.text()
	return m
}

func (m *month) last() *rolledDay {
	if len(m.days) == 0 {
		return nil
	}
	return m.days[len(m.days)-1]
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	return lines
}

// text returns the content of the month's file.
func (m *month) text() string {
	lines := slices.Clone(trimBlank(m.before))
	for _, d := range m.days {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, d.head())
		if len(d.marks) > 0 {
			lines = append(lines, "<!-- from "+strings.Join(d.marks, " ")+" -->")
		}
		lines = append(lines, d.lines...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (d *rolledDay) head() string {
	here := turnsIn(d.lines)
	switch {
	case d.turns == 0:
		return "## " + d.day
	case d.turns == 1:
		return "## " + d.day + " (1 turn)"
	case here < d.turns:
		return fmt.Sprintf("## %s (%d turns, %d of them here)", d.day, d.turns, here)
	}
	return fmt.Sprintf("## %s (%d turns)", d.day, d.turns)
}

func turnsIn(lines []string) int {
	n := 0
	for _, l := range lines {
		if turn.MatchString(l) {
			n++
		}
	}
	return n
}

// addDay adds the text of a day, unless the month already contains it.
func (m *month) addDay(day, text string, most int) {
	text = withoutNUL(text)
	if isBlank(text) {
		return
	}
	sum := sha256.Sum256([]byte(text))
	mark := hex.EncodeToString(sum[:4])
	d := m.day(day)
	if slices.Contains(d.marks, mark) {
		return
	}
	d.marks = append(d.marks, mark)
	come := demoteLines(linesOf(text))
	var added []string
	for _, l := range come {
		if isBlank(l) || !slices.Contains(d.lines, l) {
			added = append(added, l)
		}
	}
	d.turns += turnsIn(added)
	if len(d.lines) > 0 && len(trimBlank(added)) > 0 && !turn.MatchString(trimBlank(added)[0]) {
		added = append([]string{""}, trimBlank(added)...)
	}
	d.lines = digest(trimBlank(append(d.lines, added...)), most)
}

// day returns the month's entry for a day, and inserts it in order if it is new.
func (m *month) day(day string) *rolledDay {
	at := 0
	for ; at < len(m.days) && m.days[at].day <= day; at++ {
		if m.days[at].day == day {
			return m.days[at]
		}
	}
	d := &rolledDay{day: day}
	m.days = append(m.days[:at], append([]*rolledDay{d}, m.days[at:]...)...)
	return d
}

// shorten keeps only the most informative lines of every day.
func (m *month) shorten(most int) {
	for _, d := range m.days {
		d.lines = digest(d.lines, most)
	}
}

// demoteLines adapts a day's lines for a month's file: headings go below the day's own, and unclosed fences and
// comments are escaped, because they could extend into the next day.
func demoteLines(lines []string) []string {
	out := slices.Clone(lines)
	for i, l := range out {
		if dayHead.MatchString(l) {
			out[i] = " " + l
		}
	}
	for _, b := range parseBlocks(lines) {
		for i := b.first; i < b.past && b.kind == paragraph; i++ {
			if in, text := indentOf(out[i]); opening.MatchString(text) || strings.HasPrefix(text, "<!--") {
				out[i] = in + `\` + text
			}
		}
		if b.kind != heading || b.level == 0 || b.level > 2 {
			continue
		}
		out[b.first] = "### " + b.text
		for i := b.first + 1; i < b.past; i++ {
			out[i] = ""
		}
	}
	return trimBlank(out)
}
