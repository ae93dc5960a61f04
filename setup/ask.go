package setup

import "context"

// Option is one choice: what is shown and what it stands for.
type Option struct {
	Label string // at most [columns] less four cells
	Value string
}

// Question is one thing that is asked. Text is the person's language already.
type Question struct {
	Title string
	Help  string // below the title; may be long, and have several lines
	// Options are what can be chosen.
	Options []Option
	// Value is what is chosen or typed unless the person says otherwise.
	Value string
	// Secret hides what is typed.
	Secret bool
	// Back lets the person return to the question before: Type returns [Back] then.
	Back bool
	// Check refuses what is typed, and why.
	Check func(string) error
}

// columns is how narrow a terminal may be.
const columns = 40

// Asker asks the person at the terminal. All but Tell return [ErrAborted] when
// the person leaves, by Ctrl-C, Esc or the end of input.
type Asker interface {
	// Choose returns the value of the chosen option.
	Choose(ctx context.Context, q Question) (string, error)
	// Confirm asks for yes or no; yes is what Value "yes" stands for.
	Confirm(ctx context.Context, q Question) (bool, error)
	// Type returns a line that Check accepts.
	Type(ctx context.Context, q Question) (string, error)
	// Tell shows a text.
	Tell(text string)
}

const yes = "yes"

// Back is what a person types, or Esc stands for, to return to the question before.
const Back = "<"
