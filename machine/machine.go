// Package machine reads what programs and the kernel print about this computer. There is one reader for each
// format.
//
// A ParseX function turns an output into values; its comment names the source of the format. An XProbe is the
// command that prints the output. The checker allows all of them without approval. What cannot be read is an
// error, never a zero that looks like an answer.
package machine

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Probe is a command that prints an output of this package, or shows a file.
type Probe []string

// String returns the command line. It needs a shell if a word has an asterisk.
func (p Probe) String() string {
	words := slices.Clone(p)
	for i, w := range words {
		if strings.Contains(w, " ") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// pattern compiles a regular expression when it is first used.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// UnreadableError reports an output that is not in the known format.
type UnreadableError struct {
	Source string // the program or file
	Line   string // the first line that is not in the format, "" if something is missing
}

func (e *UnreadableError) Error() string {
	if e.Line == "" {
		return "cannot read the output of " + e.Source
	}
	return "cannot read the output of " + e.Source + ": " + CleanLine(e.Line)
}

// readable returns a value that was read, with an error if it is incomplete.
func readable[T any](v T, ok bool, source string) (T, error) {
	if ok {
		return v, nil
	}
	return v, &UnreadableError{Source: source}
}

// rows returns the rows that were read. It is an error if there are none although something was printed.
func rows[T any](all []T, text []byte, source string) ([]T, error) {
	if len(all) == 0 {
		if lines := Lines(text); len(lines) > 0 {
			return nil, &UnreadableError{source, lines[0]}
		}
	}
	return all, nil
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// isNumber reports whether a word is a whole number without a sign, short enough for its value to be exact.
func isNumber(w string) bool {
	return w != "" && len(w) <= 20 && strings.Trim(w, "0123456789") == ""
}

// cutRunes limits the length of a name that other programs chose.
func cutRunes(s string, limit int) string {
	if rs := []rune(s); len(rs) > limit {
		return string(rs[:limit]) + "…"
	}
	return s
}
