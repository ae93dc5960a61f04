package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// clean returns text that can only print: no controls but newline and tab, no
// escapes, no bidirectional or zero-width characters. Text from a model or a
// tool passes it before it reaches a terminal; styling of our own is added
// after it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !hidden(r) {
			return r
		}
		return -1
	}, s)
}

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

// visible returns text in which everything shows: what [clean] would drop is
// written as \u{…}, and runs of blanks are marked.
func visible(s string) string {
	var b strings.Builder
	blanks := 0
	for _, r := range s {
		if r == ' ' {
			blanks++
			continue
		}
		writeBlanks(&b, blanks)
		blanks = 0
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) || unicode.IsSpace(r):
			fmt.Fprintf(&b, `\u{%04X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	writeBlanks(&b, blanks)
	return b.String()
}

// writeBlanks writes a single blank as it is and marks the rest of a run: a
// long run can push the end of a command out of sight.
func writeBlanks(b *strings.Builder, n int) {
	if n > 0 {
		b.WriteByte(' ')
		b.WriteString(strings.Repeat("␣", n-1))
	}
}

// hidden reports whether a character does not show or changes how others do.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) ||
		r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}
