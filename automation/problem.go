package automation

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
)

// Problem is an error in a file of rules, with its position.
type Problem struct {
	File         string
	Line, Column int    // from 1, columns in bytes; 0 for the whole file
	Rule         string // the rule's name, if valid
	// Code is a row of the table in i18n/schedule.go. Args are its arguments.
	Code string
	Args []any
	// Used reports that the rule works in spite of the problem.
	Used bool
	// Stale reports that the file's last valid version is used.
	Stale bool
}

// localized is an argument that has a text in each language.
type localized interface{ Text(i18n.Lang) string }

// localizedFunc is a function as a localized.
type localizedFunc func(i18n.Lang) string

func (f localizedFunc) Text(lang i18n.Lang) string { return f(lang) }

// Text explains the problem and its fix in a language.
func (p Problem) Text(lang i18n.Lang) string {
	args := make([]any, len(p.Args))
	for i, arg := range p.Args {
		switch a := arg.(type) {
		case localized:
			args[i] = a.Text(lang)
		case string:
			args[i] = shorten(a)
		default:
			args[i] = arg
		}
	}
	return i18n.RuleProblem(lang, p.Code, p.Stale, args...)
}

// Error returns file:line:column: what is wrong, in English.
func (p Problem) Error() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	return place + ": " + p.Text(i18n.English)
}

// shorten prepares a text from a file for display: one line of limited length, without control characters.
func shorten(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
	if rs := []rune(text); len(rs) > most {
		return string(rs[:most]) + "…"
	}
	return text
}
