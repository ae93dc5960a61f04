// Package i18n contains all texts for users in Korean, English and Chinese, and the language rules: choice of
// the language, Korean particles, English plurals, yes and no.
//
// A [Text] is made by T(ko, en, zh). It is a Go variable with three arguments, so the compiler reports missing
// texts and missing translations. Packages below the daemon return reason codes; the daemon and its clients
// translate them here.
package i18n

import (
	"fmt"
	"slices"
)

// Lang is a supported language.
type Lang string

// The languages.
const (
	Korean  Lang = "ko"
	English Lang = "en"
	Chinese Lang = "zh"
)

// Text is a text in all languages. It can contain verbs of [fmt.Sprintf], particle pairs that depend on the
// text before them ([Josa]), and English pairs {line|lines} that depend on a number before them.
type Text struct{ ko, en, zh string }

func T(ko, en, zh string) Text { return Text{ko, en, zh} }

// In returns the text in a language, or in English for an unknown language. An argument that is an error is
// replaced by its [Cause].
func (x Text) In(lang Lang, args ...any) string {
	var s string
	switch lang {
	case Korean:
		s = x.ko
	case Chinese:
		s = x.zh
	default:
		s = plurals(x.en, args)
	}
	if len(args) > 0 {
		s = fmt.Sprintf(s, translateErrors(args, lang)...)
	}
	if lang == Korean {
		s = Josa(s)
	}
	return s
}

// translateErrors replaces errors among the arguments by their causes.
func translateErrors(args []any, lang Lang) []any {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args = slices.Clone(args)
			args[i] = Cause(err, lang)
		}
	}
	return args
}
