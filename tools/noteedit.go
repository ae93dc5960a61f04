package tools

import (
	"github.com/nidoit/blunux-ai/memory"
)

// editNote replaces the text to remember by the person's own: the text alone, or the command line.
func (g *Gate) editNote(j JudgedPlan, command string) (e JudgedPlan, refusal string) {
	n, ok := parseNoteCall(j.Plan.Commands[0].Argv)
	if !ok || n.verb != "remember" {
		return j, "a removal from the notes cannot be edited: reject it and say what you want instead"
	}
	n.text = command
	steps, literal := Command{Shell: command}.invocations()
	if literal && len(steps) == 1 && steps[0].program == "blunux-ai" {
		argv := []string{"blunux-ai"}
		for _, w := range steps[0].words {
			argv = append(argv, w.text)
		}
		if n, ok = parseNoteCall(argv); !ok || n.verb != "remember" {
			return j, "write only the note, or blunux-ai memory remember -- TEXT"
		}
	}
	text, err := noteText("text", n.text, maxNote)
	n.key, n.category, n.text = memory.Slug(n.key), memory.Slug(n.category), text
	plan := n.plan()
	if err == nil {
		plan, err = g.pin(plan)
	}
	if err != nil {
		return j, err.Error()
	}
	plan.Tool, plan.Dir, plan.Timeout = j.Plan.Tool, j.Plan.Dir, j.Plan.Timeout
	call := j.Call
	call.Words, call.Untrusted, call.Mixed = command, false, false
	e = g.judge(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}
