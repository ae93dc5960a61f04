package setup

import "context"

// Option is one choice: its label and its value.
type Option struct {
	Label string // at most columns-4 cells
	Value string
}

// Question is a question. Its texts are in the person's language.
type Question struct {
	Title   string
	Help    string // below the title; can be long and have several lines
	Options []Option
	// Value is the default value.
	Value string
	// Secret hides the input.
	Secret bool
	// Back allows returning to the previous question. Then Type returns [Back].
	Back bool
	// Check returns an error for invalid input.
	Check func(string) error
}

// columns is the minimum width of a terminal.
const columns = 40

// Asker asks the person at the terminal. All methods except Tell return [ErrAborted] if the person
// leaves with Ctrl-C, Esc or the end of input.
type Asker interface {
	// Choose returns the value of the chosen option.
	Choose(ctx context.Context, q Question) (string, error)
	// Confirm asks for yes or no. The default is yes if Value is "yes".
	Confirm(ctx context.Context, q Question) (bool, error)
	// Type returns a line that Check accepts.
	Type(ctx context.Context, q Question) (string, error)
	// Tell shows a text.
	Tell(text string)
}

const yes = "yes"

// Back is the input, or the result of Esc, that returns to the previous question.
const Back = "<"
