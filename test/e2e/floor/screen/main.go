// Screen does the minimal work of a full-screen program: it shows a line and exits on demand. The chat is
// compared with it.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

// line is the text shown.
const line = "nothing but a line"

type screen struct{}

func (screen) Init() tea.Cmd                         { return nil }
func (s screen) Update(tea.Msg) (tea.Model, tea.Cmd) { return s, nil }

func (screen) View() tea.View {
	v := tea.NewView(line)
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(screen{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
}
