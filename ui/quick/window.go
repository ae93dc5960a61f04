// Package quick opens the plain chat in a small window of the person's terminal program, and reads the addresses that
// other programs open. It only opens and shows: whatever it is given, the person answers in the window.
package quick

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Page is what a window shows first.
type Page struct {
	Words string // a question; "" for none
	Draft bool   // the person has to send the question
	// Approvals shows what waits for an approval, or only that with the code.
	Approvals bool
	Code      string
}

// Args returns the arguments of blunux-ai that show the page.
func (p Page) Args() []string {
	args := []string{"chat", "--plain"}
	switch {
	case p.Approvals && p.Code != "":
		args = append(args, "--approvals="+p.Code)
	case p.Approvals:
		args = append(args, "--approvals")
	case p.Words != "":
		if p.Draft {
			args = append(args, "--draft")
		}
		args = append(args, "--", p.Words)
	}
	return args
}

// The errors of [Find].
var (
	ErrNoDisplay  = errors.New("there is no display")
	ErrNoTerminal = errors.New("no terminal program is installed")
)

// The size of the window in cells, and its names for the window manager.
const (
	columns, rows = "80", "20"
	size          = columns + "x" + rows
	appID         = "org.blunux.ai.quick"
)

// terminal is a terminal program with the arguments that open a window for a command. {title} is replaced by the title.
type terminal struct {
	program string
	args    []string
	desktop string // the desktop in XDG_CURRENT_DESKTOP to which it belongs, "" for none
	display string // the variable of the only display server that it can use, "" if it can use both
}

// Variables of the display servers.
const (
	wayland = "WAYLAND_DISPLAY"
	x11     = "DISPLAY"
)

// terminals are the known programs, in order of preference: those of a desktop are there because the desktop brought them.
// Each row is from the program's own manual: foot(1), alacritty(1), kitty(1) with kitty.conf "initial_window_width", wezterm
// "CLI: wezterm start" with "initial_cols", konsole(1) and its profile properties, kgx(1), ptyxis --help, gnome-terminal(1),
// xfce4-terminal(1), mate-terminal(1), Ghostty "Option Reference", xterm(1), urxvt(1), st(1).
var terminals = []terminal{
	{"konsole", []string{
		"--hide-menubar", "--hide-tabbar", "-p", "TerminalColumns=" + columns, "-p", "TerminalRows=" + rows,
		"-p", "tabtitle={title}", "-e",
	}, "KDE", ""},
	{"ptyxis", []string{"--new-window", "--title={title}", "--"}, "GNOME", ""}, // has no size
	{"kgx", []string{"--title={title}", "--"}, "GNOME", ""},                    // has no size
	{"gnome-terminal", []string{"--geometry=" + size, "--hide-menubar", "--title={title}", "--"}, "GNOME", ""},
	{"xfce4-terminal", []string{"--geometry=" + size, "--hide-menubar", "--title={title}", "-x"}, "XFCE", ""},
	{"mate-terminal", []string{"--geometry=" + size, "--hide-menubar", "--title={title}", "-x"}, "MATE", ""},
	{"foot", []string{"--window-size-chars=" + size, "--app-id=" + appID, "--title={title}"}, "", wayland},
	{"ghostty", []string{
		"--gtk-single-instance=false", "--window-width=" + columns, "--window-height=" + rows, "--class=" + appID, "--title={title}",
		"-e",
	}, "", ""},
	{"alacritty", []string{
		"-o", "window.dimensions.columns=" + columns, "-o", "window.dimensions.lines=" + rows, "--class", appID, "--title", "{title}",
		"-e",
	}, "", ""},
	{"kitty", []string{
		"-o", "remember_window_size=no", "-o", "initial_window_width=" + columns + "c", "-o", "initial_window_height=" + rows + "c",
		"--class", appID, "--title", "{title}", "--",
	}, "", ""},
	{"wezterm", []string{
		"--config", "initial_cols=" + columns, "--config", "initial_rows=" + rows, "start", "--class", appID, "--",
	}, "", ""}, // the title is the program's
	{"urxvt", []string{"-geometry", size, "-name", appID, "-title", "{title}", "-e"}, "", x11},
	{"xterm", []string{"-geometry", size, "-class", appID, "-T", "{title}", "-e"}, "", x11},
	{"st", []string{"-g", size, "-c", appID, "-t", "{title}", "-e"}, "", x11},
}

// Machine is what [Find] asks about the machine.
type Machine struct {
	Getenv   func(name string) string
	LookPath func(program string) (path string, err error) // in PATH
}

// Find returns the command that opens a window for a command: with $TERMINAL, xdg-terminal-exec, which knows the person's
// choice (github.com/Vladimir-csp/xdg-terminal-exec), or what is installed.
func (m Machine) Find(title string, command []string) (argv []string, err error) {
	if m.Getenv(wayland) == "" && m.Getenv(x11) == "" {
		return nil, ErrNoDisplay
	}
	if chosen := m.Getenv("TERMINAL"); chosen != "" {
		if path, err := m.LookPath(chosen); err == nil {
			return chosenTerminal(filepath.Base(chosen)).argv(path, title, command), nil
		}
	}
	if path, err := m.LookPath("xdg-terminal-exec"); err == nil {
		return append([]string{path}, command...), nil
	}
	for _, t := range m.byDesktop() {
		if t.display != "" && m.Getenv(t.display) == "" {
			continue
		}
		if path, err := m.LookPath(t.program); err == nil {
			return t.argv(path, title, command), nil
		}
	}
	return nil, ErrNoTerminal
}

// byDesktop returns the terminals, those of the running desktop first.
func (m Machine) byDesktop() []terminal {
	desktops := strings.Split(m.Getenv("XDG_CURRENT_DESKTOP"), ":")
	list := slices.Clone(terminals)
	sorting.Stably(list, func(a, b terminal) int {
		return cmp.Compare(rank(a, desktops), rank(b, desktops))
	})
	return list
}

func rank(t terminal, desktops []string) int {
	if t.desktop != "" && slices.Contains(desktops, t.desktop) {
		return 0
	}
	return 1
}

// chosenTerminal returns the row of a program. One that is not known gets -e, as Debian's policy demands of a terminal program
// (11.8.3, "Packages providing a terminal emulator").
func chosenTerminal(program string) terminal {
	for _, t := range terminals {
		if t.program == program {
			return t
		}
	}
	return terminal{program: program, args: []string{"-e"}}
}

// argv returns the command that opens the window.
func (t terminal) argv(path, title string, command []string) []string {
	argv := []string{path}
	for _, arg := range t.args {
		argv = append(argv, strings.ReplaceAll(arg, "{title}", title))
	}
	return append(argv, command...)
}
