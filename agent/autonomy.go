package agent

import (
	"fmt"
	"strings"
)

// Autonomy is the degree of autonomy as described to the model. The gate decides independently of it.
type Autonomy struct {
	Level string // read_only, supervised or full; "" means supervised
	// Commands run without approval below Workspace with full autonomy.
	Commands  []string
	Workspace string
}

// Autonomy levels.
const (
	readOnly   = "read_only"
	supervised = "supervised"
	full       = "full"
)

// maxListed bounds the number of commands listed in the prompt.
const maxListed = 40

func (a Autonomy) withDefault() Autonomy {
	if a.Level == "" {
		a.Level = supervised
	}
	return a
}

// AutonomyRules returns the rules of the level.
func (p prompt) AutonomyRules() []string {
	const reads = "Commands that only read run at once, unasked."
	switch p.Autonomy.Level {
	case readOnly:
		return []string{
			reads,
			"Nothing else runs: do not call tools that change the machine. Say what you would change, with the exact command for the person to run.",
		}
	case full:
		return append([]string{reads}, p.Autonomy.fullRules()...)
	}
	return []string{
		reads,
		"Everything else is put to the person before it runs: call the tool, the system shows them the exact command and asks for a yes.",
	}
}

// fullRules returns the rules of full autonomy.
func (a Autonomy) fullRules() []string {
	const rest = "Everything else is put to the person first: call the tool, the system asks them."
	if len(a.Commands) == 0 || a.Workspace == "" {
		return []string{"No command is listed to run unasked.", rest}
	}
	listed, more := a.Commands, ""
	if len(listed) > maxListed {
		listed, more = listed[:maxListed], fmt.Sprintf(" and %d more", len(a.Commands)-maxListed)
	}
	return []string{
		fmt.Sprintf("These programs also run unasked, but only on files below %s: %s%s.", a.Workspace, strings.Join(listed, ", "), more),
		rest,
	}
}
