// Package machine reads what programs and the kernel print about this computer. There is one reader for each format.
//
// A ParseX function turns an output into values; its comment names the source of the format. An XProbe is the command
// that prints the output. The checker allows all of them without approval. What cannot be read is an error, never a
// zero that looks like an answer.
package machine

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Probe is a command that prints an output of this package, or shows a file.
type Probe []string

// String returns the command line. It needs a shell if a word has an asterisk, or is "|". A word with a blank, a backslash or an opening
// bracket is quoted.
func (p Probe) String() string {
	words := slices.Clone(p)
	for i, w := range words {
		if strings.ContainsAny(w, ` \[(`) {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// pattern compiles a regular expression when it is first used. If it were inlined, each variable would have its own code.
//
//go:noinline
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

// lineRows reads the lines of an output that are rows, without the others.
func lineRows[T any](text []byte, row func(line string) (T, bool)) []T {
	out, _ := allRows(text, "", row)
	return out
}

// allRows reads an output of which every line must be a row. With an error, it returns the rows that it could read.
func allRows[T any](text []byte, source string, row func(line string) (T, bool)) (out []T, bad error) {
	for _, line := range Lines(text) {
		if r, ok := row(line); ok {
			out = append(out, r)
		} else {
			bad = &UnreadableError{source, line}
		}
	}
	return out, bad
}

// fieldRows reads the lines of an output with at least that many fields.
func fieldRows[T any](text []byte, least int, row func(f []string) T) []T {
	return lineRows(text, func(line string) (r T, ok bool) {
		f := strings.Fields(line)
		if len(f) < least {
			return r, false
		}
		return row(f), true
	})
}

// matchingRows reads the lines of an output that match a pattern. It is an error if others are printed instead.
func matchingRows[T any](text []byte, source string, form func() *regexp.Regexp, row func(m []string) T) ([]T, error) {
	return rows(lineRows(text, func(line string) (r T, ok bool) {
		m := form().FindStringSubmatch(line)
		if m == nil {
			return r, false
		}
		return row(m), true
	}), text, source)
}

// largestFirst sorts rows by a figure, the largest first.
func largestFirst[T any](all []T, figure func(T) float64) []T {
	sorting.Stably(all, func(a, b T) int { return -cmp.Compare(figure(a), figure(b)) })
	return all
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// isNumber reports whether a word is a whole number without a sign, short enough for its value to be exact.
func isNumber(w string) bool { return w != "" && len(w) <= 20 && strings.Trim(w, "0123456789") == "" }

// cutRunes limits the length of a name that other programs chose.
func cutRunes(s string, limit int) string {
	if rs := []rune(s); len(rs) > limit {
		return string(rs[:limit]) + "…"
	}
	return s
}

// maxLineRunes is the maximum length of a line: a log line can contain a whole document.
const maxLineRunes = 180

// Lines returns the non-empty lines of an output, cleaned by [CleanLine].
func Lines[T string | []byte](text T) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if l := CleanLine(line); strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

// CleanLine removes control characters and limits the length. It drops text that a carriage return overwrote
// (progress bars).
func CleanLine(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	line = stripEscapes(line)
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), r == 0x202E, r == 0x202D, r == 0x2066, r == 0x2067, r == 0xFEFF:
			return -1
		}
		return r
	}, line)
	line = strings.TrimRight(line, " ")
	if rs := []rune(line); len(rs) > maxLineRunes {
		line = string(rs[:maxLineRunes]) + "…"
	}
	return line
}

// stripEscapes removes terminal control sequences (ECMA-48 CSI and OSC).
func stripEscapes(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '[' {
			for i += 2; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
			continue
		}
		if i+1 < len(s) && s[i+1] == ']' {
			for i += 2; i < len(s) && s[i] != 0x07 && s[i] != 0x1b; i++ {
			}
		}
	}
	return b.String()
}

// ParseSize parses a size as printed by df, du, free and pacman (15G, 7.7Gi, 512M, 1.2 MiB, 0B, 4,0K) in bytes.
// Units are powers of 1024. ok is false for anything else.
func ParseSize(s string) (bytes float64, ok bool) {
	s = strings.TrimSpace(strings.Replace(s, ",", ".", 1))
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	n, err := strconv.ParseFloat(s[:i], 64)
	if err != nil {
		return 0, false
	}
	unit := strings.TrimSpace(s[i:])
	if unit == "" || unit == "B" {
		return n, true
	}
	exp := strings.IndexByte("KMGTPE", strings.ToUpper(unit)[0])
	if rest := strings.ToLower(unit[1:]); exp < 0 || rest != "" && rest != "i" && rest != "b" && rest != "ib" {
		return 0, false
	}
	for range exp + 1 {
		n *= 1024
	}
	return n, true
}

// ParseNumber parses a decimal with point or comma.
func ParseNumber(s string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}
