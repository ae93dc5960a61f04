package plan

import "fmt"

// Command is what a step of a plan runs.
type Command struct {
	Argv []string
	Root bool // it needs root's rights
	Verb Verb // how it is checked and taken back
}

// Command returns the command of a step whose verb sets something on this machine. The commands of packages, units and
// files depend on how this machine gets root's rights, and are made where that is known.
func (s Step) Command() (Command, error) {
	return Command{}, fmt.Errorf("%s has no command", s.Verb)
}

// restoreSetting returns the step that sets a value back.
func restoreSetting(Effect) (Step, bool) { return Step{}, false }
