package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown prepares a text from the system for display: one line of limited length, without control, direction and
// invisible characters.
func shown(s string, most int) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = n > 0
			continue
		case !visible(r):
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

// visible excludes Unicode's categories C (control, format, unassigned, private) and the replacement character
// for invalid UTF-8.
func visible(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// clean reports whether a text can be displayed unchanged on one line.
func clean(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !visible(r) })
}

// wordForm matches words that can be part of a displayed command: no shell interprets them, and they are not
// options.
var wordForm = regexp.MustCompile(`^[A-Za-z0-9/_][A-Za-z0-9/_.:@+-]*$`)

// with appends a name to a command. If a shell could misinterpret the name, it returns otherwise.
func with(command, name, otherwise string) string {
	if len(name) > 120 || !wordForm.MatchString(name) {
		return otherwise
	}
	return command + " " + name
}

// shownAll prepares a list for display, of at most that many names.
func shownAll(names []string, most int) []string {
	var out []string
	for _, n := range names {
		if len(out) == most {
			break
		}
		if n = shown(n, 60); n != "" {
			out = append(out, n)
		}
	}
	return out
}
