package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown makes a text of the system fit to be shown: one line, without control
// characters and without those that turn the direction of writing or cannot be
// seen, and of at most so many characters.
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

// visible excludes Unicode's categories C (control, format, unassigned, private)
// and the replacement character that stands for what is not UTF-8.
func visible(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// clean tells texts that need nothing taken out to be shown on one line.
func clean(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !visible(r) })
}

// wordForm is what may stand in a command that a person is shown: it means
// itself to every shell and is no option.
var wordForm = regexp.MustCompile(`^[A-Za-z0-9/_][A-Za-z0-9/_.:@+-]*$`)

// with puts a name of the system behind a command, or returns otherwise when the
// name would not mean itself there.
func with(command, name, otherwise string) string {
	if len(name) > 120 || !wordForm.MatchString(name) {
		return otherwise
	}
	return command + " " + name
}

// shownAll makes a list fit to be shown, of at most so many.
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
