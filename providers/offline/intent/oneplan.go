package intent

import "strings"

// maxGoal bounds the goal of a plan, in runes.
const maxGoal = 120

// asOne makes several changes one call of the tool plan: the person sees all of them in one question, and can take them
// back together.
func (p Plan) asOne(goal string) Plan {
	if p.Kind != KindCall || len(p.Steps) < 2 {
		return p
	}
	steps := make([]any, len(p.Steps))
	for i, s := range p.Steps {
		step, ok := s.planned()
		if !ok {
			return p
		}
		steps[i] = step
	}
	if r := []rune(goal); len(r) > maxGoal {
		goal = string(r[:maxGoal]) + "…"
	}
	p.Steps, p.Diagnoses = []Step{Call("plan", "goal", strings.TrimSpace(goal), "steps", steps)}, []string{""}
	return p
}

// planned returns a change as a step of a plan. ok is false for a step that changes nothing, or that no verb does.
func (s Step) planned() (step map[string]any, ok bool) {
	args := map[string]any{}
	verb := map[string]string{
		"install_package": "install", "remove_package": "remove", "update_system": "upgrade", "manage_service": "unit",
	}[s.Tool]
	if verb == "" {
		return nil, false
	}
	for _, name := range []string{"action", "name"} {
		if text, has := s.Input[name].(string); has {
			args[name] = text
		}
	}
	if user, _ := s.Input["user"].(bool); user {
		args["user"] = "true"
	}
	return map[string]any{"verb": verb, "args": args}, true
}
