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

// clean makes text from a model, a tool or a file safe for a terminal.
func clean(s string) string { return ipc.Clean(s) }

// visible returns a command or a name on one line with every character visible.
func visible(s string) string { return ipc.VisibleLine(s) }

// stripControls removes the C0 controls except newline and tab, as [printableReader] does.
func stripControls(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] >= ' ' || s[i] == '\n' || s[i] == '\t' {
			b = append(b, s[i])
		}
	}
	return string(b)
}
