package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
)

// The kinds of actions. Digests contain them, so they never change.
const (
	kindForeign    = "server"
	kindNote       = "notes"
	kindAutomation = "timetable"
	kindFile       = "courier"
)

// actionDecoders read the stored actions of each kind and report whether they are valid.
var actionDecoders = map[string]func(json.RawMessage) (Action, bool){
	kindForeign: decodeAction[foreignAction], kindNote: decodeAction[noteAction],
	kindAutomation: decodeAction[automationAction], kindFile: decodeAction[fileAction],
}

func decodeAction[A interface {
	Action
	isValid() bool
}](data json.RawMessage) (Action, bool) {
	var a A
	err := json.Unmarshal(data, &a)
	return a, err == nil && a.isValid()
}

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
		s.Kind = p.Action.kind()
		if s.Action, err = json.Marshal(p.Action); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON implements [json.Unmarshaler]. An action that cannot be read becomes an [unreadableAction].
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
	p.Action = unreadableAction{by: s.Kind}
	if decode := actionDecoders[s.Kind]; decode != nil {
		if a, ok := decode(s.Action); ok {
			p.Action = a
		}
	}
	return nil
}

// digestedCommand is a command or an action as digests contain it. Digests of pending approvals outlive the program.
type digestedCommand struct {
	Command
	By      string `json:"by,omitempty"`
	Against string `json:"against,omitempty"`
}

// digested returns what a digest covers of a plan.
func (p Plan) digested() any {
	if p.Action == nil {
		return p.Commands
	}
	list := []digestedCommand{{Command: Command{Argv: p.Action.Argv()}, By: p.Action.kind(), Against: p.Against}}
	for _, c := range p.Commands {
		list = append(list, digestedCommand{Command: c})
	}
	return list
}

// unreadableAction is a stored action that this version cannot read. It is shown and never done.
type unreadableAction struct {
	by   string
	argv []string
}

var errUnreadable = errors.New("this version cannot read the stored action")

func (u unreadableAction) Argv() []string { return u.argv }
func (u unreadableAction) kind() string   { return u.by }

func (unreadableAction) changes() bool             { return true }
func (unreadableAction) pin(services, *Plan) error { return errUnreadable }

func (u unreadableAction) judge(_ services, j *JudgedPlan) {
	j.isUnparsed = true
	j.requireConfirmation("unparsed", CommandLine(u.argv))
}

func (unreadableAction) ready(context.Context, services, actionCall) error { return errUnreadable }

func (unreadableAction) do(context.Context, services, actionCall, io.Writer) (actionResult, error) {
	return actionResult{}, errUnreadable
}

func (unreadableAction) edit(string) (Action, error) { return nil, errUnreadable }
