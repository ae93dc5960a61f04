// Package dialog asks questions at the terminal: line by line ([Lines]), or through another program that draws forms
// ([Remote]).
package dialog

import (
	"context"
	"errors"
	"fmt"
)

// ErrAborted reports that the person left before the end.
var ErrAborted = errors.New("aborted")

// ErrEscaped reports that the person pressed Esc, which can apply to a single question. It is an [ErrAborted].
var ErrEscaped = fmt.Errorf("%w by Esc", ErrAborted)

// Option is one choice: its label and its value.
type Option struct {
	Label string `json:"label"` // at most LeastColumns-4 cells
	Value string `json:"value"`
}

// Question is a question. Its texts are in the person's language.
type Question struct {
	Title   string   `json:"title"`
	Help    string   `json:"help,omitempty"` // below the title; can be long and have several lines
	Options []Option `json:"options,omitempty"`
	// Value is the default value.
	Value string `json:"value,omitempty"`
	// Secret hides the input.
	Secret bool `json:"secret,omitempty"`
	// Back allows returning to the previous question. Then Type returns [Back].
	Back bool `json:"back,omitempty"`
	// Check returns an error for invalid input.
	Check func(string) error `json:"-"`
}

// LeastColumns is the minimum width of a terminal.
const LeastColumns = 40

// Asker asks the person at the terminal. All methods except Tell return [ErrAborted] if the person
// leaves with Ctrl-C, Esc or the end of input.
type Asker interface {
	// Choose returns the value of the chosen option.
	Choose(ctx context.Context, q Question) (string, error)
	// Confirm asks for yes or no. The default is yes if Value is [Yes].
	Confirm(ctx context.Context, q Question) (bool, error)
	// Type returns a line that Check accepts.
	Type(ctx context.Context, q Question) (string, error)
	// Tell shows a text.
	Tell(text string)
}

// Yes is the value of a [Question] that is confirmed by default.
const Yes = "yes"

// Back is the input, or the result of Esc, that returns to the previous question.
const Back = "<"
