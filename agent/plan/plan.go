package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Plan is what is to be done towards a goal: steps that depend on each other.
type Plan struct {
	Goal  string `json:"goal,omitempty"` // in the words of the person's language
	Steps []Step `json:"steps"`
}

// Step is one command of a plan, as what it is for. Its JSON has the field names of Moonbot's Step ("Local-first AI Agent
// System", section 5.3): id, description, toolId, input and dependsOn. It is also read with verb and args, as models
// write it.
type Step struct {
	ID          string
	Description string
	Verb        string // a name of [Verbs]
	Args        map[string]string
	// Check is a command that only reads and shows whether the step is done, besides the verb's own check. Expect is a
	// text that its output must contain; without one it must exit with 0.
	Check, Expect string
	// Undo is the command that takes a run step back; the other verbs know theirs.
	Undo string
	// DependsOn are the ids of the steps that must be done before. If it is nil, those are the changes above: [Plan.Next].
	DependsOn []string
}

// The bounds of a plan.
const (
	MaxSteps = 32
	maxText  = 2000      // bytes of an id, a description, a check and the like
	maxArg   = 256 << 10 // bytes of an argument: a file's whole text
)

// storedStep is a step as JSON.
type storedStep struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	ToolID      string            `json:"toolId,omitempty"`
	Input       map[string]string `json:"input,omitempty"`
	Check       string            `json:"check,omitempty"`
	Expect      string            `json:"expect,omitempty"`
	Undo        string            `json:"undo,omitempty"`
	DependsOn   []string          `json:"dependsOn,omitzero"` // a list without ids is not the same as none
}

// MarshalJSON implements [json.Marshaler].
func (s Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedStep{s.ID, s.Description, s.Verb, s.Args, s.Check, s.Expect, s.Undo, s.DependsOn})
}

// moonbotTools are the names that Moonbot has for our verbs (section 6.2), with its names of arguments, and those of RRClaw.
var moonbotTools = map[string]string{
	"system.run": "run", "system.run.raw": "run", "shell": "run", "file.write": "write_file", "file_write": "write_file",
}

// lookCommands are the commands of Moonbot's tools that only look. A plan runs them as commands.
var lookCommands = map[string][]string{
	"file.read": {"cat", "--"}, "file_read": {"cat", "--"}, "file.list": {"ls", "-lA", "--"},
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Step) UnmarshalJSON(data []byte) error {
	var in struct {
		storedStep
		Input any    `json:"input"`
		Verb  string `json:"verb"`
		Args  any    `json:"args"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil {
		return err
	}
	if in.Args != nil && in.Input != nil || in.Verb != "" && in.ToolID != "" {
		return fmt.Errorf("step %q has both verb and toolId, or args and input", in.ID)
	}
	if in.Input == nil {
		in.Input = in.Args
	}
	args, err := readArgs(in.Input)
	if err != nil {
		return fmt.Errorf("step %q: %w", in.ID, err)
	}
	verb := in.ToolID + in.Verb
	if ours, ok := moonbotTools[verb]; ok {
		verb = ours
	}
	if command, ok := lookCommands[verb]; ok {
		path := args["path"]
		if len(args) != 1 || path == "" {
			return fmt.Errorf("step %q: %s needs the argument \"path\" and no other", in.ID, verb)
		}
		quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		verb, args = "run", map[string]string{"command": strings.Join(append(slices.Clone(command), quoted), " ")}
	}
	*s = Step{in.ID, in.Description, verb, args, in.Check, in.Expect, in.Undo, in.DependsOn}
	return nil
}

// readArgs returns the arguments of a step. Numbers and switches become their text, lists their words.
func readArgs(v any) (map[string]string, error) {
	fields, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, errors.New("its arguments are not a JSON object")
	}
	var args map[string]string
	for name, value := range fields {
		text, ok := readArg(value)
		if !ok {
			return nil, fmt.Errorf("the argument %q is not a text", name)
		}
		if args == nil {
			args = map[string]string{}
		}
		args[name] = text
	}
	return args, nil
}

func readArg(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	case []any:
		words := make([]string, len(v))
		for i, w := range v {
			word, isText := w.(string)
			if !isText || strings.ContainsAny(word, " \t\n") {
				return "", false
			}
			words[i] = word
		}
		return strings.Join(words, " "), true
	}
	return "", false
}

// Read reads a plan: an object with steps, or Moonbot's list of steps. It checks everything that can be known without
// looking at the machine; an error names the step.
func Read(data []byte) (Plan, error) {
	var p Plan
	var err error
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		err = json.Unmarshal(data, &p.Steps)
	} else {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("cannot read the plan: %w", err)
	}
	return p.complete()
}

// JSON returns the plan's canonical form: equal plans have equal bytes.
func (p Plan) JSON() []byte {
	data, err := json.Marshal(p)
	if err != nil { // texts always marshal
		panic(err)
	}
	return data
}

// Digest identifies the plan.
func (p Plan) Digest() string {
	sum := sha256.Sum256(p.JSON())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// complete checks a plan and names the steps without an id.
func (p Plan) complete() (Plan, error) {
	switch n := len(p.Steps); {
	case n == 0:
		return p, errors.New("the plan has no steps")
	case n > MaxSteps:
		return p, fmt.Errorf("the plan has %d steps, from step %d on too many: at most %d are allowed", n, MaxSteps+1, MaxSteps)
	}
	p.Steps = slices.Clone(p.Steps)
	places := map[string]int{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.ID == "" {
			s.ID = fmt.Sprint(i + 1)
		}
		if _, taken := places[s.ID]; taken {
			return p, fmt.Errorf("step %q: two steps have this id", s.ID)
		}
		places[s.ID] = i
		if err := s.check(); err != nil {
			return p, fmt.Errorf("step %q: %w", s.ID, err)
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, id := range s.DependsOn {
			if _, ok := places[id]; !ok {
				return p, fmt.Errorf("step %q: depends on %q, which is no step of the plan", s.ID, id)
			}
		}
	}
	return p, p.checkOrder(places)
}

// check checks one step.
func (s Step) check() error {
	v, known := Verbs[s.Verb]
	if !known {
		return fmt.Errorf("there is no verb %q, only %s", s.Verb, strings.Join(slices.Sorted(maps.Keys(Verbs)), ", "))
	}
	for _, text := range append([]string{s.ID, s.Description, s.Check, s.Expect, s.Undo}, s.DependsOn...) {
		if len(text) > maxText {
			return fmt.Errorf("a text of %d bytes is too long: at most %d are allowed", len(text), maxText)
		}
	}
	if s.Expect != "" && s.Check == "" {
		return errors.New("an expectation needs a check whose output it is about")
	}
	if s.Undo != "" && s.Verb != "run" {
		return fmt.Errorf("%s knows how to take itself back; only run has an undo", s.Verb)
	}
	for name, value := range s.Args {
		switch {
		case !slices.Contains(v.Args, name):
			return fmt.Errorf("%s has no argument %q, only %s", s.Verb, name, strings.Join(v.Args, ", "))
		case len(value) > maxArg:
			return fmt.Errorf("the argument %q has %d bytes: at most %d are allowed", name, len(value), maxArg)
		}
	}
	for _, name := range v.Needs {
		if s.Args[name] == "" {
			return fmt.Errorf("%s needs the argument %q", s.Verb, name)
		}
	}
	return nil
}

// checkOrder reports a step that waits for itself. A step can depend on one below it; one that does not say what it depends
// on counts as waiting for all above.
func (p Plan) checkOrder(places map[string]int) error {
	const visiting, visited = 1, 2
	state := make([]int, len(p.Steps))
	var visit func(i int) error
	visit = func(i int) error {
		switch state[i] {
		case visiting:
			return fmt.Errorf("step %q: waits for itself", p.Steps[i].ID)
		case visited:
			return nil
		}
		state[i] = visiting
		for k := 0; k < i && p.Steps[i].DependsOn == nil; k++ {
			if err := visit(k); err != nil {
				return err
			}
		}
		for _, id := range p.Steps[i].DependsOn {
			if err := visit(places[id]); err != nil {
				return err
			}
		}
		state[i] = visited
		return nil
	}
	for i := range p.Steps {
		if err := visit(i); err != nil {
			return err
		}
	}
	return nil
}

// State is how far a step is.
type State string

// The states of a step. The last four are final.
const (
	StepWaiting  State = ""
	StepRunning  State = "running"
	StepDone     State = "done"     // its check proves it, or it only looks
	StepUnproved State = "unproved" // it ran, and no check proves it
	StepFailed   State = "failed"
	StepSkipped  State = "skipped" // a step that it depends on is not done
)

// Allows reports whether steps that depend on one in this state can start.
func (s State) Allows() bool { return s == StepDone || s == StepUnproved }

// IsFinal reports whether a step has ended.
func (s State) IsFinal() bool { return s.Allows() || s == StepFailed || s == StepSkipped }

// Next returns the steps that can start now and those that can no longer start, by index. looks reports whether a step
// only reads. A step that does not say what it depends on needs the changes above it, and changes nothing before the
// looks above it have ended.
func (p Plan) Next(states []State, looks func(i int) bool) (ready, lost []int) {
	byID := map[string]State{}
	for i, s := range p.Steps {
		byID[s.ID] = states[i]
	}
	for i, s := range p.Steps {
		if states[i] != StepWaiting {
			continue
		}
		var needed []State
		waits := false
		for _, id := range s.DependsOn {
			needed = append(needed, byID[id])
		}
		for k := range i {
			switch {
			case s.DependsOn != nil:
			case !looks(k):
				needed = append(needed, states[k])
			case !looks(i):
				waits = waits || !states[k].IsFinal()
			}
		}
		switch {
		case slices.ContainsFunc(needed, func(s State) bool { return s.IsFinal() && !s.Allows() }):
			lost = append(lost, i)
		case !waits && !slices.ContainsFunc(needed, func(s State) bool { return !s.Allows() }):
			ready = append(ready, i)
		}
	}
	return ready, lost
}
