package config

import (
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/i18n"
)

// Error is a setting that cannot be used: where it stands and what is wrong.
type Error struct {
	File      string
	Line, Col int    // from 1; 0 when the whole file is meant
	Problem   string // in English, as logs have it

	said i18n.Sentence
}

func newError(file string, at place, said i18n.Sentence) *Error {
	return &Error{File: file, Line: at.line, Col: at.col, Problem: said.In(i18n.English), said: said}
}

// Error returns file:line:col: problem, in English.
func (e *Error) Error() string { return e.at(e.Problem) }

// In is [Error.Error] in a language.
func (e *Error) In(lang i18n.Lang) string { return e.at(e.ProblemIn(lang)) }

// ProblemIn is the Problem in a language; what others told stays as it is.
func (e *Error) ProblemIn(lang i18n.Lang) string {
	if e.said.IsZero() {
		return e.Problem
	}
	return e.said.In(lang)
}

func (e *Error) at(problem string) string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, problem)
}

// sentence is what an error tells in all languages; the system's own words are the
// same in all.
func sentence(err error) i18n.Sentence {
	var f *i18n.Failure
	if errors.As(err, &f) {
		return f.Sentence
	}
	return i18n.Verbatim(err.Error())
}
