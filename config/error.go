package config

import (
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/i18n"
)

// Error reports an invalid setting and its position.
type Error struct {
	File      string
	Line, Col int    // from 1; 0 for the whole file
	Problem   string // in English, for logs

	text i18n.Text
}

func newError(file string, at place, said i18n.Text) *Error {
	return &Error{File: file, Line: at.line, Col: at.col, Problem: said.In(i18n.English), text: said}
}

// Error returns file:line:col: problem, in English.
func (e *Error) Error() string { return e.at(e.Problem) }

// In returns the text of [Error.Error] in a language.
func (e *Error) In(lang i18n.Lang) string { return e.at(e.ProblemIn(lang)) }

// ProblemIn returns the Problem in a language. Errors of the system are not translated.
func (e *Error) ProblemIn(lang i18n.Lang) string {
	if e.text.IsZero() {
		return e.Problem
	}
	return e.text.In(lang)
}

func (e *Error) at(problem string) string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, problem)
}

// sentence returns the text of an error in all languages. Errors of the system are not translated.
func sentence(err error) i18n.Text {
	var f *i18n.Failure
	if errors.As(err, &f) {
		return f.Text
	}
	return i18n.CauseOf(err)
}
