package chat

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	xansi "github.com/charmbracelet/x/ansi"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// trimRight removes the padding of a row.
func trimRight(line string) string {
	width := cells(strings.TrimRight(xansi.Strip(line), " "))
	if width == cells(line) {
		return line
	}
	return xansi.Truncate(line, width, "")
}

// plainRows breaks text into rows of at most width cells, and keeps its newlines.
func plainRows(text string, width int) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\t", "    "), "\r", "")
	var rows []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		for _, r := range strings.Split(xansi.Wrap(line, width, ""), "\n") {
			rows = append(rows, fit(r, width))
		}
	}
	return rows
}

// commandRow is a row of a command. continued reports that it continues the line of the previous row. A row of a plan is
// unsigned, because it has its own signs; heading is the question above the steps.
type commandRow struct {
	text      string
	continued bool
	unsigned  bool
	heading   bool
	role      confirm.Role
}

// visibleRows breaks a command into rows so that every character is visible. A blank at the end of
// a wrapped row gets a visible sign.
func visibleRows(text string, width int) []commandRow {
	var rows []commandRow
	for line := range strings.SplitSeq(ipc.Visible(text), "\n") {
		parts := strings.Split(xansi.Hardwrap(line, width, true), "\n")
		for i, p := range parts {
			if i > 0 && strings.HasPrefix(p, " ") {
				p = "␣" + p[1:]
			}
			if i < len(parts)-1 && strings.HasSuffix(p, " ") {
				p = p[:len(p)-1] + "␣"
			}
			rows = append(rows, commandRow{text: p, continued: i > 0})
		}
	}
	return rows
}

// cells returns the width of text on a terminal, without control sequences.
func cells(s string) int { return xansi.StringWidth(s) }

func fit(row string, width int) string {
	if cells(row) <= width {
		return row
	}
	return xansi.Truncate(row, width, "")
}

type role int

const (
	byUser role = iota
	byAssistant
	byTool
	byOutput
	bySystem
	byError
)

// gutters start every row of a message. They distinguish roles without colour, and ensure that no message can look like
// a review or the prompt. They are ASCII, because other characters have different widths in different terminals.
var gutters = [...]string{byUser: "> ", byAssistant: "| ", byTool: "$ ", byOutput: ": ", bySystem: "* ", byError: "! "}

// gutterWidth is the width of a gutter in cells.
const gutterWidth = 2

// look has the styles of the screen: the terminal's own 16 colours, which fit its background, or none.
type look struct {
	colour                        bool
	roles                         [len(gutters)]lipgloss.Style
	title, dim, warn, rule, match lipgloss.Style
}

// paint returns a row of a command in its role's style.
func (l look) paint(r commandRow) string {
	switch {
	case r.heading:
		return l.title.Render(r.text)
	case !r.unsigned:
		return r.text
	}
	return confirm.Paint(r.text, r.role, l.colour)
}

func newLook(colour bool) look {
	plain := lipgloss.NewStyle()
	l := look{colour: colour, title: plain, dim: plain, warn: plain, rule: plain, match: plain}
	for i := range l.roles {
		l.roles[i] = plain
	}
	if !colour {
		return l
	}
	for i, c := range []string{byUser: "4", byAssistant: "2", byTool: "6", byOutput: "8", bySystem: "8", byError: "1"} {
		l.roles[i] = plain.Foreground(lipgloss.Color(c))
	}
	l.title = plain.Bold(true)
	l.dim = plain.Faint(true)
	l.warn = plain.Bold(true).Foreground(lipgloss.Color("3"))
	l.rule = plain.Foreground(lipgloss.Color("3"))
	l.match = plain.Reverse(true)
	return l
}

// handleConnected handles a new connection to the daemon. An idle link that reconnects shows no message.
func (m *model) handleConnected(server ipc.Hello) tea.Cmd {
	if m.modelName == "" && server.Provider != "" {
		m.modelName = i18n.ModelName(server.Provider, ipc.VisibleLine(server.Model), m.lang)
	}
	first, back := !m.wasConnected, m.disconnected
	m.connected, m.wasConnected, m.disconnected = true, true, false
	if back {
		m.addSystem(i18n.ChatBack.In(m.lang))
	}
	listening := m.subscribe()
	switch {
	case first && m.o.Pick:
		return tea.Batch(listening, m.chooseSession())
	case first && m.o.Resume:
		return tea.Batch(listening, m.resume(m.session))
	}
	return listening
}

// handleLost handles a lost connection. The daemon continues what was sent. What was not sent returns to the input.
func (m *model) handleLost(err error) {
	unsent := errors.Is(err, ipc.ErrUnreachable)
	m.log.add(byError, m.outageText(err, unsent))
	m.connected, m.disconnected = false, true
	m.handlers = map[string]func(ipc.Message) tea.Cmd{}
	if !m.state.inTurn() {
		return
	}
	if unsent {
		m.restoreInput()
	} else {
		m.addSystem(i18n.LostHint.In(m.lang))
	}
	m.endTurn(Input)
	m.log.toEnd()
}

// outageText returns why the daemon cannot be reached or was lost, and what helps.
func (m *model) outageText(err error, unreachable bool) string {
	text := i18n.ChatLost.In(m.lang)
	if unreachable {
		text = i18n.AictlUnreachable.In(m.lang)
	}
	var none *ipc.UnreachableError
	var wire *ipc.Error
	cause := strings.TrimPrefix(strings.TrimPrefix(err.Error(), ipc.ErrLost.Error()), ": ")
	switch {
	case errors.As(err, &wire):
		return text + "\n" + ipc.Clean(strings.TrimRight(wire.Message+"\n"+wire.Hint, "\n"))
	case errors.As(err, &none):
		cause = i18n.ConnectionAttempts(m.lang, none.Path, none.Tried)
	}
	if cause != "" {
		text += "\n" + ipc.Clean(i18n.PlainCause(cause, m.lang))
	}
	if unreachable {
		text += "\n" + i18n.UnreachableHint.In(m.lang)
	}
	return text
}
