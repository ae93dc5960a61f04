package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/ipc"
)

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// clean is text of a model, a tool or a file, made fit for a terminal.
func clean(s string) string { return ipc.Clean(s) }

// visible is a command or a name on one line, every character of it shown.
func visible(s string) string { return ipc.VisibleLine(s) }

// withoutControls leaves out the C0 controls but newline and tab, as
// [printable] does.
func withoutControls(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] >= ' ' || s[i] == '\n' || s[i] == '\t' {
			b = append(b, s[i])
		}
	}
	return string(b)
}
