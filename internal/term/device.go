package term

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// Size returns a terminal's size in cells, or 0, 0 if f is not a terminal. One that does not know it has 80 columns.
func Size(f *os.File) (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0, 0
	case size.Col == 0:
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}

// Columns returns the width of a terminal, or 0 if f is not a terminal.
func Columns(f *os.File) int {
	columns, _ := Size(f)
	return columns
}

// HideInput disables the terminal's echo until show is called (termios(3), ECHO). A pipe has none.
func HideInput(f *os.File) (show func(), err error) {
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if errors.Is(err, unix.ENOTTY) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	quiet := *was
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, was) }, nil
}
