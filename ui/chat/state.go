package chat

// State is the state of the chat.
type State int

// The states.
const (
	Input        State = iota // the person types
	Thinking                  // the model was asked
	ReviewAction              // the person decides about a command
	Executing                 // a command runs
	Finalizing                // the command has ended and the model continues
	Done                      // a turn that ran commands has ended with a summary
)

func (s State) String() string {
	names := []string{"Input", "Thinking", "ReviewAction", "Executing", "Finalizing", "Done"}
	if s < 0 || int(s) >= len(names) {
		return "?"
	}
	return names[s]
}

// isBusy reports whether the daemon is working. Then the spinner turns, and typed text is for the
// next question.
func (s State) isBusy() bool { return s == Thinking || s == Executing || s == Finalizing }

// inTurn reports whether a turn is in progress.
func (s State) inTurn() bool { return s != Input && s != Done }
