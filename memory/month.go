package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// month is a rolled-up month: the lines before its days, and the days.
type month struct {
	before   []string
	days     []*rolledDay
	original string // its text when read
}

type rolledDay struct {
	day   string
	turns int
	marks []string // hashes of the texts it was made of
	lines []string
}

var (
	dayHead = lazyregexp.New(`^## (\d{4}-\d{2}-\d{2})(?: \((\d+) turns?(?:, \d+ of them here)?\))?[ \t]*$`)
	dayMark = lazyregexp.New(`^<!-- from ((?:[0-9a-f]{8} ?)+)-->$`)
	turn    = lazyregexp.New(`^- ([01]\d|2[0-3]):[0-5]\d · `)
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
	name := DayFile(now)
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

// digest returns the most informative lines of a day, in their order, within that many bytes. Lines that a
// person wrote rank first, then turns that remembered or changed something, failures, turns that ran a command,
// then talk. Repeated requests rank lower than the first. Of equal lines, the later ones are kept.
func digest(lines []string, most int) []string {
	if size(lines) <= most {
		return lines
	}
	pieces := piecesOf(lines)
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	sorting.Stably(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].rank, pieces[a].rank), cmp.Compare(b, a))
	})
	left := most
	for _, i := range order {
		p := &pieces[i]
		if n := size(p.lines); n <= left {
			p.isKept, left = true, left-n
		}
	}
	var kept []string
	for _, p := range pieces {
		if p.isKept {
			kept = append(kept, p.lines...)
		}
	}
	if len(kept) == 0 { // every piece is too large
		kept = []string{truncate(strings.ToValidUTF8(pieces[order[0]].lines[0], "\ufffd"), most-len("…\n")) + "…"}
	}
	return kept
}

func size(lines []string) int { return len(strings.Join(lines, "\n")) + 1 }

// piece is a block of lines that is kept or dropped as a whole.
type piece struct {
	lines  []string
	rank   int
	isKept bool
}

func piecesOf(lines []string) []piece {
	var pieces []piece
	asked := map[string]bool{}
	for _, b := range parseBlocks(lines) {
		p := piece{lines: lines[b.first:b.past]}
		p.rank = rankOf(p.lines[0], asked)
		if len(p.lines) > 1 || !turn.MatchString(p.lines[0]) {
			p.rank = rankByHand
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// Ranks of a line.
const (
	rankByHand   = 100 // written by a person
	rankRemember = 40
	rankChange   = 30
	rankFailure  = 20
	rankRun      = 10
	rankRepeated = -35
)

// readOnlyPrograms are the programs and tools that only read. Turns with others rank higher.
var readOnlyPrograms = strings.Fields(`df du free ls cat head tail ps top uptime uname lsblk lscpu lspci lsusb ip ss ping journalctl
		check_disk check_memory check_processes check_network check_updates read_logs read_file list_directory list_packages search_packages
		package_info recall grep find which stat findmnt nmcli sensors lsof dmesg id who w env printenv`)

// rankOf ranks a line that the program wrote: "- 09:15 · request · commands · result".
func rankOf(line string, asked map[string]bool) int {
	parts := strings.SplitN(line, " · ", 4)
	if len(parts) < 4 {
		return 0
	}
	n := 0
	for _, ran := range strings.Split(parts[2], "; ") {
		word, _, _ := strings.Cut(strings.TrimSpace(ran), " ")
		switch {
		case word == "-" || word == "":
		case word == "remember" || word == "forget" || word == "update_user":
			n = max(n, rankRemember)
		case slices.Contains(readOnlyPrograms, word):
			n = max(n, rankRun)
		default:
			n = max(n, rankChange)
		}
	}
	if strings.HasPrefix(parts[3], "failed: ") {
		n = max(n, rankFailure)
	}
	request := foldCase(parts[1])
	if asked[request] {
		n += rankRepeated
	}
	asked[request] = true
	return n
}
