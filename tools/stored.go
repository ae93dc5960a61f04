package tools

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// planFields are the fields of a plan that are stored as they are.
type planFields Plan

// storedPlan is a plan as an approval's file has it.
type storedPlan struct {
	planFields
	Kind   string          `json:"kind,omitempty"`
	Action json.RawMessage `json:"action,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (p Plan) MarshalJSON() ([]byte, error) {
	s := storedPlan{planFields: planFields(p)}
	if p.Action != nil {
		var err error
		s.Kind = p.Action.Kind()
		if s.Action, err = json.Marshal(p.Action); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON implements [json.Unmarshaler]. An action that cannot be read is never done.
func (p *Plan) UnmarshalJSON(data []byte) error {
	if isFormerPlan(data) {
		return p.readFormer(data)
	}
	var s storedPlan
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*p = Plan(s.planFields)
	if s.Kind == "" && s.Action == nil {
		return nil
	}
	p.Action = action.Decode(s.Kind, s.Action)
	return nil
}

// digestedCommand is a command or an action as digests contain it. Digests of pending approvals outlive the program.
type digestedCommand struct {
	shell.Command
	By      string `json:"by,omitempty"`
	Against string `json:"against,omitempty"`
}

// digested returns what a digest covers of a plan.
func (p Plan) digested() any {
	if p.Action == nil {
		return p.Commands
	}
	list := []digestedCommand{{Command: shell.Command{Argv: p.Action.Argv()}, By: p.Action.Kind(), Against: p.Against}}
	for _, c := range p.Commands {
		list = append(list, digestedCommand{Command: c})
	}
	return list
}

// Approvals that version 1.0 stored have plans with Go's field names, and actions as command lines. The rest of this
// file reads them and goes with the next release.

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
			p.Action, p.Against = action.ParseFormer(c.By, c.Argv), c.Against
		default: // there was always one action at most
			p.Action = action.Unreadable(c.By, c.Argv)
		}
	}
	return nil
}
