package tui

// State is what the chat is doing.
type State int

// The states.
const (
	Input        State = iota // the person writes
	Thinking                  // the model was asked
	ReviewAction              // the person decides about a command
	Executing                 // a command runs
	Finalizing                // it ended, and the model looks at what came of it
	Done                      // a turn that ran commands is over and summed up
)

// String returns the state's name.
func (s State) String() string {
	names := []string{"Input", "Thinking", "ReviewAction", "Executing", "Finalizing", "Done"}
	if s < 0 || int(s) >= len(names) {
		return "?"
	}
	return names[s]
}

// busy reports whether somebody else is at work: the spinner turns, and what is
// written is the next question.
func (s State) busy() bool { return s == Thinking || s == Executing || s == Finalizing }

// waits reports whether a turn is under way.
func (s State) waits() bool { return s != Input && s != Done }
