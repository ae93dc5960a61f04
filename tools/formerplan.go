package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Approvals that version 1.0 stored have plans with Go's field names, and actions as command lines. This file reads
// them and goes with the next release.

// formerPlan is such a plan.
type formerPlan struct {
	Tool     string
	Commands []digestedCommand
	AtLeast  safety.Class
	Reason   string
	Timeout  time.Duration
	ByHand   []string
	Lacks    []elevation.Step
	Dir      string
}

// isFormerPlan reports whether a stored plan has the former form: exact names, which package json alone ignores.
func isFormerPlan(data []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return false
	}
	_, former := fields["Commands"]
	return former
}

func (p *Plan) readFormer(data []byte) error {
	var f formerPlan
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*p = Plan{Tool: f.Tool, AtLeast: f.AtLeast, Reason: f.Reason, Timeout: f.Timeout, ByHand: f.ByHand, Lacks: f.Lacks, Dir: f.Dir}
	for _, c := range f.Commands {
		switch {
		case c.By == "":
			p.Commands = append(p.Commands, c.Command)
		case p.Action == nil && c.Shell == "":
			p.Action, p.Against = formerAction(c.By, c.Argv), c.Against
		default: // there was always one action at most
			p.Action = unreadableAction{by: c.By, argv: c.Argv}
		}
	}
	return nil
}

// formerAction parses a former command line of an action.
func formerAction(kind string, argv []string) Action {
	var a Action
	var ok bool
	switch kind {
	case kindNote:
		a, ok = parseNoteAction(argv)
	case kindAutomation:
		a, ok = parseAutomationAction(argv)
	case kindFile:
		a, ok = parseFileAction(argv)
	case kindForeign:
		a, ok = parseForeignAction(argv)
	}
	if !ok {
		return unreadableAction{by: kind, argv: argv}
	}
	return a
}

func parseFileAction(argv []string) (f fileAction, ok bool) {
	if len(argv) != 6 {
		return f, false
	}
	size, err := strconv.ParseInt(argv[3], 10, 64)
	f = fileAction{Path: argv[5], Size: size}
	return f, err == nil && f.isValid() && slices.Equal(f.Argv(), argv)
}

func parseForeignAction(argv []string) (f foreignAction, ok bool) {
	if len(argv) != 4 || argv[0] != foreignProgram {
		return f, false
	}
	f = foreignAction{Server: argv[1], Tool: argv[2], Input: argv[3]}
	return f, f.isValid()
}
