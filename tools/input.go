package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// isWord reports whether a text can be matched against names and messages. Its first character can never start an
// option; commands put "--" before texts nevertheless.
func isWord(s string) bool {
	if s == "" || len(s) > 128 || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && (i == 0 || !strings.ContainsRune(" @.+:/-", r)) {
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
		if !plan.IsPackageName(n) {
			return nil, fmt.Errorf("%q is not a package name", n)
		}
	}
	return names, nil
}

func checkUnit(name string) error {
	if !plan.IsUnitName(name) {
		return fmt.Errorf("%q is not a unit name", name)
	}
	return nil
}

func checkWord(what, s string) error {
	if !isWord(s) {
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

// checkLang returns an error if a tool cannot answer in a language; "" is English.
func checkLang(name string) error {
	if name == "" || slices.Contains([]string{"ko", "en", "zh"}, name) {
		return nil
	}
	return fmt.Errorf("lang must be one of ko, en, zh, not %q", name)
}

// langOf returns the language of an answer.
func langOf(name string) i18n.Lang {
	if lang, ok := i18n.Parse(name); ok {
		return lang
	}
	return i18n.English
}
