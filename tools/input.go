package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// form is the allowed format of a name: its characters and its maximum length in bytes. The first character can
// never start an option; commands put "--" before names nevertheless. A regular expression for this would cost
// milliseconds and megabytes at every start.
type form struct {
	first, rest func(rune) bool
	max         int
}

var (
	// packageName: PKGBUILD(5), pkgname.
	packageName = form{latinOr("@_+"), latinOr("@._+-"), 128}
	// unitName: systemd.unit(5), "Unit names".
	unitName = form{latinOr("_"), latinOr(`:_.\@-`), 255}
	// word is a text that is matched against names and messages.
	word = form{letterOr("_"), letterOr("_ @.+:/-"), 128}
)

func latinOr(others string) func(rune) bool {
	return func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(others, r)
	}
}

func letterOr(others string) func(rune) bool {
	return func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune(others, r)
	}
}

// fits reports whether s has the form.
func (f form) fits(s string) bool {
	if s == "" || len(s) > f.max || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if i == 0 && !f.first(r) || i > 0 && !f.rest(r) {
			return false
		}
	}
	return true
}

// packageNames splits a list of names and checks each one.
func packageNames(s string) ([]string, error) {
	names := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
	if len(names) == 0 {
		return nil, fmt.Errorf("a package name is missing")
	}
	for _, n := range names {
		if !packageName.fits(n) {
			return nil, fmt.Errorf("%q is not a package name", n)
		}
	}
	return names, nil
}

func checkUnit(name string) error {
	if !unitName.fits(name) {
		return fmt.Errorf("%q is not a unit name", name)
	}
	return nil
}

func checkWord(what, s string) error {
	if !word.fits(s) {
		return fmt.Errorf("%q cannot be used as %s", s, what)
	}
	return nil
}

// oneOf returns s, or the first value of the list if s is empty. It refuses values that are not in the list.
func oneOf(what, s string, list ...string) (string, error) {
	if s == "" {
		return list[0], nil
	}
	if slices.Contains(list, s) {
		return s, nil
	}
	return "", fmt.Errorf("%s is %q, it must be one of %s", what, s, strings.Join(list, ", "))
}

var (
	ago = lazyregexp.New(`^-?(\d{1,5})\s*(s|sec|seconds?|m|min|minutes?|h|hr|hours?|d|days?|w|weeks?|months?)(\s+ago)?$`)
	// timestamp: systemd.time(7), "Parsing timestamps".
	timestamp = lazyregexp.New(`^(today|yesterday|now|\d{4}-\d{2}-\d{2}([ t]\d{2}:\d{2}(:\d{2})?)?|\d{2}:\d{2}(:\d{2})?)$`)
)

// sinceTime converts the times that models write (1h, 2 days, 1 hour ago, today, a date) to journalctl's format.
func sinceTime(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if m := ago.FindStringSubmatch(s); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return "", fmt.Errorf("cannot read since: %w", err)
		}
		unit := m[2][:1]
		if strings.HasPrefix(m[2], "mo") {
			unit = "mo"
		}
		return fmt.Sprintf("%d %s ago", n, timeUnits[unit]), nil
	}
	if !timestamp.MatchString(s) {
		return "", fmt.Errorf("since is %q, it must be like \"1 hour ago\", \"today\", \"yesterday\", \"boot\" or \"2026-02-20 09:00\"", s)
	}
	return strings.Replace(s, "t", " ", strings.Count(s, "-")/2), nil
}

// timeUnits are journalctl's units by how they begin.
var timeUnits = map[string]string{"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month"}
