// Package i18n holds every sentence a person reads, in Korean, English and
// Chinese, and the rules of writing and reading those languages: choosing
// the language, Korean particles, yes and no.
//
// A [Text] is made by T(ko, en, zh): three arguments, so a missing
// translation does not compile, and a sentence is a Go variable, so a missing
// sentence does not compile either. Packages below the daemon speak in reason
// codes; daemon and front ends turn them into text here.
package i18n

import (
	"fmt"
	"slices"
)

// Lang is a language the program speaks.
type Lang string

// The languages.
const (
	Korean  Lang = "ko"
	English Lang = "en"
	Chinese Lang = "zh"
)

// Text is one sentence in all languages, with fmt verbs ([fmt.Sprintf]) for
// its arguments, josa pairs ([Josa]) where a Korean particle depends on one, and
// pairs {line|lines} where an English word depends on a number before it.
type Text struct{ ko, en, zh string }

func T(ko, en, zh string) Text { return Text{ko, en, zh} }

// In returns the sentence in a language; an unknown language reads English. An
// argument that is an error is told by its [Cause].
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
		s = fmt.Sprintf(s, readable(args, lang)...)
	}
	if lang == Korean {
		s = Josa(s)
	}
	return s
}

// readable returns the arguments with errors in a person's words.
func readable(args []any, lang Lang) []any {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args = slices.Clone(args)
			args[i] = Cause(err, lang)
		}
	}
	return args
}
