package plan

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/machine"
)

// The forms of names and values. None can be taken for an option, and none has control characters.

func isPlainText(text string, limit int) bool {
	return text != "" && len(text) <= limit && text[0] != '-' && utf8.ValidString(text) &&
		strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) })
}

func isPath(text string) bool {
	return isPlainText(text, 1024) && path.IsAbs(text) && path.Clean(text) == text
}

// valueOf returns the check of values that have one form.
func valueOf(ok func(string) bool) func(string) (string, bool) {
	return func(word string) (string, bool) { return word, ok(word) }
}

// oneOf returns the check of values that are listed, each with its other words: "on yes true 1".
func oneOf(lists ...string) func(string) (string, bool) {
	return func(word string) (string, bool) {
		for _, list := range lists {
			if words := strings.Fields(list); slices.Contains(words, word) {
				return words[0], true
			}
		}
		return "", false
	}
}

// onOff are the values of switches, with the words for booleans of systemd (sd-bus, parse_boolean) and others.
var onOff = oneOf("on yes y true t 1", "off no n false f 0")

// spelled returns the spelling of listed values: "on=1".
func spelled(pairs ...string) func(string) (string, bool) {
	return func(value string) (string, bool) {
		for _, pair := range pairs {
			if v, word, _ := strings.Cut(pair, "="); v == value {
				return word, true
			}
		}
		return "", false
	}
}

func switchText(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// reads returns the reading of a look with a parser of [machine].
func reads[T any](parse func([]byte) (T, error), show func(T) string) func(Look, string) (string, bool) {
	return func(l Look, _ string) (string, bool) {
		if !l.Ran || l.Exit != 0 {
			return "", false
		}
		v, err := parse([]byte(l.Stdout))
		return show(v), err == nil
	}
}

func itself(text string) string { return text }

// fixed returns the look at a value without a target.
func fixed(p machine.Probe) func(string) machine.Probe {
	return func(string) machine.Probe { return slices.Clone(p) }
}
