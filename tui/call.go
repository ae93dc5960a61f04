package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// call is a call of a tool, as its line tells it.
type call struct {
	ipc.Tool
	began   time.Time
	running bool
	fate    *i18n.Text // what is known of its end, where that is not all; else nil
	output  tail
}

// quiet reports whether a call only read and succeeded.
func (c call) quiet() bool {
	return c.Class == "SAFE" && c.State == ipc.ToolDone && c.Exit == 0 && c.Ended == ""
}

// longCommand is how much of a command a line tells, in bytes.
const longCommand = 2 << 10

// line tells a call: class, command, and how it goes or went.
func (c call) line(lang i18n.Lang, now time.Time) string {
	parts := []string{strings.TrimSpace(ipc.VisibleLine(c.Class) + " " + shortCommand(c.Command, c.Name))}
	switch {
	case c.running:
		parts = append(parts, seconds(now.Sub(c.began)))
	case c.fate != nil:
		parts = append(parts, c.fate.In(lang), span(time.Duration(c.Millis)*time.Millisecond))
	case c.State == ipc.ToolRefused:
		parts = append(parts, i18n.ToolRefused.In(lang, ipc.VisibleLine(i18n.Refusal(c.Reason, lang))))
	default:
		how := i18n.Ended(lang, i18n.End{Code: c.Ended, Exit: c.Exit, Program: ipc.VisibleLine(c.Program), Limit: c.Limit})
		parts = append(parts, how, span(time.Duration(c.Millis)*time.Millisecond))
	}
	return strings.Join(parts, " · ")
}

// shortCommand is a command on one line, or the name of a tool without one.
func shortCommand(command, name string) string {
	if command == "" {
		return ipc.VisibleLine(name)
	}
	if len(command) > longCommand {
		command = strings.ToValidUTF8(command[:longCommand], "") + " …"
	}
	return ipc.VisibleLine(strings.TrimRight(command, "\n"))
}

// span is a time as a person reads it beside a command.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// seconds is how long something goes on so far.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	}
	return span(d)
}

// How much of a command's output is kept to be shown.
const (
	tailBytes = 50 << 10
	tailLines = 500
)

// tail is the end of what a command prints.
type tail struct {
	lines []string
	bytes int
	cut   bool
	open  bool // the last line goes on
}

// write takes the next piece.
func (t *tail) write(text string) {
	text = ipc.Clean(text)
	if text == "" {
		return
	}
	if len(text) > tailBytes {
		text, t.cut, t.open = strings.ToValidUTF8(text[len(text)-tailBytes:], ""), true, false
		t.lines, t.bytes = nil, 0
	}
	pieces := strings.Split(text, "\n")
	if t.open && len(t.lines) > 0 {
		last := len(t.lines) - 1
		t.lines[last] += pieces[0]
		t.bytes += len(pieces[0])
		pieces = pieces[1:]
	}
	t.open = !strings.HasSuffix(text, "\n")
	if !t.open && len(pieces) > 0 {
		pieces = pieces[:len(pieces)-1]
	}
	for _, p := range pieces {
		t.lines = append(t.lines, p)
		t.bytes += len(p) + 1
	}
	t.bound()
}

// bound drops the oldest lines.
func (t *tail) bound() {
	n := 0
	for n < len(t.lines) && (len(t.lines)-n > tailLines || t.bytes > tailBytes && n < len(t.lines)-1) {
		t.bytes -= len(t.lines[n]) + 1
		n++
	}
	if n > 0 {
		t.cut = true
		t.lines = append([]string(nil), t.lines[n:]...)
	}
	if len(t.lines) == 1 && len(t.lines[0]) > tailBytes {
		t.lines[0] = strings.ToValidUTF8(t.lines[0][len(t.lines[0])-tailBytes:], "")
		t.bytes, t.cut = len(t.lines[0])+1, true
	}
}

// rows are the last rows of the output.
func (t *tail) rows(width, height int, lang i18n.Lang) []string {
	var rows []string
	for i := len(t.lines) - 1; i >= 0 && len(rows) < height; i-- {
		rows = append(plainRows(lastPart(t.lines[i], width*height*4), width), rows...)
	}
	if len(rows) == 0 {
		rows = []string{fit(i18n.ChatOutputNone.In(lang), width)}
	}
	if over := len(rows) - height; over > 0 {
		rows = rows[over:]
	}
	return rows
}

func lastPart(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

// keptRows is how many lines of a command's output stay in the history.
const keptLines = 12

// kept is what of the output stays in the history, "" when there was none.
func (c call) kept(lang i18n.Lang) string {
	lines := c.output.lines
	more := c.output.cut
	if over := len(lines) - keptLines; over > 0 {
		lines, more = lines[over:], true
	}
	if more {
		lines = append([]string{i18n.ChatOutputCut.In(lang)}, lines...)
	}
	if c.Cut {
		lines = append(lines[:len(lines):len(lines)], i18n.ChatOutputLeft.In(lang))
	}
	return strings.Join(lines, "\n")
}
