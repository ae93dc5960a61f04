package i18n

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// traditional converts a text of the catalogue to traditional characters.
func traditional(text string) string { return traditionalForms().Replace(text) }

// script converts a Chinese text to the characters of the language.
func (l Lang) script(text string) string {
	if l == Traditional {
		return traditional(text)
	}
	return text
}

// traditionalForms is made on first use, because most runs need no traditional characters.
var traditionalForms = sync.OnceValue(func() *strings.Replacer {
	pairs := strings.Fields(traditionalWords) // words before their characters: the first match counts
	forms := traditionalChars
	for _, from := range simplifiedChars {
		to, size := utf8.DecodeRuneInString(forms)
		forms = forms[size:]
		pairs = append(pairs, string(from), string(to))
	}
	return strings.NewReplacer(pairs...)
})

// isTraditional reports whether a Chinese text is written in traditional characters: it contains one and none that
// only simplified texts contain.
func isTraditional(text string) bool {
	found := false
	for _, r := range text {
		if strings.ContainsRune(simplifiedChars, r) {
			return false
		}
		found = found || strings.ContainsRune(traditionalChars, r)
	}
	return found
}
