package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// pattern compiles a regular expression when it is first used.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// translate returns the text for a word of a program, or else the word.
func translate(texts map[string]i18n.Text, word string, lang i18n.Lang) string {
	if text, ok := texts[word]; ok {
		return text.In(lang)
	}
	return word
}

// names lists the first items in one line.
func names[T any](list []T, limit int, name func(T) string) string {
	return strings.Join(each(list[:min(limit, len(list))], name), ", ")
}

// firstOf lists the first words in one line.
func firstOf(list []string, limit int) string {
	return strings.Join(list[:min(limit, len(list))], ", ")
}

// each returns f of every item.
func each[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}

// filter returns the items that are kept.
func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}
