package chat

import (
	"charm.land/lipgloss/v2"
)

// role is the source of a message.
type role int

const (
	byUser role = iota
	byAssistant
	byTool
	byOutput
	bySystem
	byError
)

// gutters start every row of a message. They distinguish roles without colour, and ensure that no
// message can look like a review or the prompt. They are ASCII, because other characters have
// different widths in different terminals.
var gutters = [...]string{byUser: "> ", byAssistant: "| ", byTool: "$ ", byOutput: ": ", bySystem: "* ", byError: "! "}

// gutterWidth is the width of a gutter in cells.
const gutterWidth = 2

// look has the styles of the screen: the terminal's own 16 colours, which fit its background, or
// none.
type look struct {
	colour                        bool
	roles                         [len(gutters)]lipgloss.Style
	title, dim, warn, rule, match lipgloss.Style
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
