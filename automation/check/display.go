package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// display prepares a text from the system for display: one line of limited length, without control, direction and
// invisible characters.
func display(s string, most int) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = n > 0
			continue
		case !isVisible(r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			n++
		}
		if n >= most {
			return strings.TrimSpace(b.String()) + "…"
		}
		b.WriteRune(r)
		n, gap = n+1, false
	}
	return b.String()
}

// isVisible excludes Unicode's categories C (control, format, unassigned, private) and the replacement character
// for invalid UTF-8.
func isVisible(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// isDisplayable reports whether a text can be displayed unchanged on one line.
func isDisplayable(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !isVisible(r) })
}

// wordForm matches words that can be part of a displayed command: no shell interprets them, and they are not
// options.
var wordForm = regexp.MustCompile(`^[A-Za-z0-9/_][A-Za-z0-9/_.:@+-]*$`)

// appendName appends a name to a command. If a shell could misinterpret the name, it returns otherwise.
func appendName(command, name, otherwise string) string {
	if len(name) > 120 || !wordForm.MatchString(name) {
		return otherwise
	}
	return command + " " + name
}

// displayAll prepares a list for display, of at most that many names.
func displayAll(names []string, most int) []string {
	var out []string
	for _, n := range names {
		if len(out) == most {
			break
		}
		if n = display(n, 60); n != "" {
			out = append(out, n)
		}
	}
	return out
}
