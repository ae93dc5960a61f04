package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// call is a tool call and its line in the transcript.
type call struct {
	ipc.Tool
	began   time.Time
	running bool
	endText *i18n.Text // overrides how the line reports the end; else nil
	output  tail
	steps   []ipc.PlanStep // of a plan, as far as they are known
}

// about returns what the call runs.
func (c call) about(lang i18n.Lang) string {
	if len(c.steps) > 0 {
		return i18n.PlanSteps(len(c.steps)).In(lang)
	}
	return shortCommand(c.Command, c.Name)
}

// current returns what runs now: the first running step of a plan, or the call.
func (c call) current(lang i18n.Lang) string {
	for _, s := range c.steps {
		if s.State == ipc.StepRunning {
			return shortCommand(s.Command, s.ID)
		}
	}
	return c.about(lang)
}

// setStep updates the steps of a plan. The commands of all its steps are known from the call's if each is one line.
func (c *call) setStep(s ipc.PlanStep) {
	if s.Number < 1 || s.Number > s.Of || s.Of > maxSteps {
		return
	}
	if len(c.steps) != s.Of {
		c.steps = make([]ipc.PlanStep, s.Of)
		if commands := strings.Split(c.Command, "\n"); len(commands) == s.Of {
			for i := range c.steps {
				c.steps[i].Command = commands[i]
			}
		}
	}
	c.steps[s.Number-1] = s
}

// maxSteps bounds how many steps of a plan are shown.
const maxSteps = 100

// stepRows returns a row for each known step with its state.
func (c call) stepRows(lang i18n.Lang) (rows []string) {
	for _, s := range c.steps {
		if s.Command != "" {
			rows = append(rows, "  "+i18n.StepMark(s.State)+" "+shortCommand(i18n.StepCommand(s.Command, lang), s.ID))
		}
	}
	return rows
}

// isQuiet reports whether a call was read-only and succeeded.
func (c call) isQuiet() bool {
	return c.Class == "SAFE" && c.State == ipc.ToolDone && c.Exit == 0 && c.Ended == ""
}

// maxCommandLength is the maximum length of a command in a line, in bytes.
const maxCommandLength = 2 << 10

// line returns the call's line: class, command, and progress or result. The steps of a plan and the
// file of a picture that the command does not name follow on rows below it.
func (c call) line(lang i18n.Lang, now time.Time) string {
	parts := []string{strings.TrimSpace(ipc.VisibleLine(c.Class) + " " + c.about(lang))}
	switch {
	case c.running:
		parts = append(parts, formatElapsed(now.Sub(c.began)))
	case c.endText != nil:
		parts = append(parts, c.endText.In(lang), formatDuration(time.Duration(c.Millis)*time.Millisecond))
	case c.State == ipc.ToolRefused:
		parts = append(parts, i18n.ToolRefused(ipc.VisibleLine(i18n.Refusal(c.Reason, lang))).In(lang))
	default:
		how := i18n.CommandEnd(lang, i18n.CommandResult{Code: c.Ended, Exit: c.Exit, Program: ipc.VisibleLine(c.Program), Limit: c.Limit})
		parts = append(parts, how, formatDuration(time.Duration(c.Millis)*time.Millisecond))
	}
	rows := append([]string{strings.Join(parts, " · ")}, c.stepRows(lang)...)
	if c.Picture != "" && !strings.Contains(c.Command, c.Picture) {
		rows = append(rows, "  "+ipc.VisibleLine(c.Picture))
	}
	return strings.Join(rows, "\n")
}

// shortCommand returns a command on one line, or the tool's name if there is no command.
func shortCommand(command, name string) string {
	if command == "" {
		return ipc.VisibleLine(name)
	}
	if len(command) > maxCommandLength {
		command = strings.ToValidUTF8(command[:maxCommandLength], "") + " …"
	}
	return ipc.VisibleLine(strings.TrimRight(command, "\n"))
}

func formatDuration(d time.Duration) string {
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

// formatElapsed formats the duration of a running call.
func formatElapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	}
	return formatDuration(d)
}

// Limits of the command output that is kept for display.
const (
	tailBytes = 50 << 10
	tailLines = 500
)

// tail is the end of a command's output.
type tail struct {
	lines   []string
	bytes   int
	cut     bool
	partial bool // the last line is incomplete
}

// write appends output.
func (t *tail) write(text string) {
	text = ipc.Clean(text)
	if text == "" {
		return
	}
	if len(text) > tailBytes {
		text, t.cut, t.partial = strings.ToValidUTF8(text[len(text)-tailBytes:], ""), true, false
		t.lines, t.bytes = nil, 0
	}
	pieces := strings.Split(text, "\n")
	if t.partial && len(t.lines) > 0 {
		last := len(t.lines) - 1
		t.lines[last] += pieces[0]
		t.bytes += len(pieces[0])
		pieces = pieces[1:]
	}
	t.partial = !strings.HasSuffix(text, "\n")
	if !t.partial && len(pieces) > 0 {
		pieces = pieces[:len(pieces)-1]
	}
	for _, p := range pieces {
		t.lines = append(t.lines, p)
		t.bytes += len(p) + 1
	}
	t.trim()
}

// trim drops the oldest lines.
func (t *tail) trim() {
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

// keptLines is how many lines of a command's output stay in the transcript.
const keptLines = 12

// keptOutput returns the part of the output that stays in the transcript, or "".
func (c call) keptOutput(lang i18n.Lang) string {
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

// showPastCalls shows the calls of an earlier turn. The entry has one line per call, with the tool's
// name and its input as JSON, after the model's text.
func (m *model) showPastCalls(e ipc.SessionEntry) {
	var said []string
	for line := range strings.Lines(e.Content) {
		line = strings.TrimRight(line, "\n")
		name, input, isCall := strings.Cut(line, " ")
		if !isCall || name == "" || !strings.HasPrefix(input, "{") {
			said = append(said, line)
			continue
		}
		if text := strings.TrimSpace(strings.Join(said, "\n")); text != "" {
			m.log.add(byAssistant, ipc.Clean(text))
		}
		said = nil
		m.log.add(byTool, shortCommand(callSummary(name, input), name))
	}
	if text := strings.TrimSpace(strings.Join(said, "\n")); text != "" {
		m.log.add(byTool, shortCommand(text, ""))
	}
}

// callSummary returns a call's command, or else the tool's name and its input values.
func callSummary(name, input string) string {
	var in map[string]any
	if json.Unmarshal([]byte(input), &in) != nil { // it may be truncated
		return name
	}
	if command, ok := in["command"].(string); ok && command != "" {
		return command
	}
	if len(in) == 0 {
		return name
	}
	return name + " " + input
}

// showPastResult shows the end of a call of an earlier turn. It also shows the end of its output,
// unless the call was read-only and succeeded.
func (m *model) showPastResult(e ipc.SessionEntry, text string) {
	about := e.Metadata
	if about != nil {
		m.completePastCall(*about)
		if about.Class == "SAFE" && about.Exit != nil && *about.Exit == 0 {
			return
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if over := len(lines) - keptLines; over > 0 {
		lines = append([]string{i18n.ChatOutputCut.In(m.lang)}, lines[over:]...)
	}
	m.log.add(byOutput, strings.Join(lines, "\n"))
}

// completePastCall completes the line of a result's call with class and exit status.
func (m *model) completePastCall(about ipc.EntryInfo) {
	var end []string
	if about.Class != "" {
		end = append(end, ipc.VisibleLine(about.Class))
	}
	switch {
	case about.Refusal != "":
		end = append(end, i18n.ToolRefused(ipc.VisibleLine(i18n.Refusal(about.Refusal, m.lang))).In(m.lang))
	case about.Exit != nil:
		end = append(end, i18n.CommandEnd(m.lang, i18n.CommandResult{Code: about.Ended, Exit: *about.Exit, Program: ipc.VisibleLine(about.Program), Limit: about.Limit}))
	}
	if n := len(m.log.blocks); len(end) > 0 && n > 0 && m.log.blocks[n-1].role == byTool {
		m.log.grow(" · " + strings.Join(end, " · "))
	} else if len(end) > 0 {
		m.log.add(byTool, strings.Join(append([]string{ipc.VisibleLine(about.Tool)}, end...), " · "))
	}
}
