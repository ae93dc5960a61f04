package automation

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
)

// Problem is something that cannot be used of a file of rules: what it is about,
// where that stands, and why.
type Problem struct {
	File         string
	Line, Column int    // from 1, columns in bytes; 0 where the whole file is meant
	Rule         string // the rule's name, where it has a good one
	// Code is a row of the table in i18n/automation_rule.go, Args are its arguments.
	Code string
	Args []any
	// Used reports that the rule works all the same.
	Used bool
	// Stale reports that the text of the file is used that was good last.
	Stale bool
}

// spoken is an argument that is itself a text in each language.
type spoken interface{ Text(i18n.Lang) string }

// spokenFunc is one that somebody else writes.
type spokenFunc func(i18n.Lang) string

func (f spokenFunc) Text(lang i18n.Lang) string { return f(lang) }

// Text says in a language what is wrong and what would help.
func (p Problem) Text(lang i18n.Lang) string {
	args := make([]any, len(p.Args))
	for i, arg := range p.Args {
		switch a := arg.(type) {
		case spoken:
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

// shorten makes a text of a file fit to be shown: one line, without characters
// that a terminal acts on, not endless.
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
