package turns

import (
	"encoding/json"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// repairCall is the id of the call that repairs a cause without a model.
const repairCall = "repair"

// runRepair looks for the cause of a problem instead of a turn, says it, and asks to repair it.
func (w *worker) runRepair(p ipc.Problem) (e end, left bool) {
	input, err := json.Marshal(map[string]string{"topic": p.Topic, "object": p.Object, "lang": string(w.answerIn.Base())})
	if err != nil { // texts always marshal
		panic(err)
	}
	out := w.runCall(tools.Call{ID: "diagnose", Name: "diagnose", Input: input})
	var found diagnose.Report
	switch {
	case errors.Is(w.turnCause(nil), settings.ErrStopping): // the next daemon looks again
		return end{}, true
	case w.ctx.Err() != nil:
		return w.ts.failedEnd(w.job, w.turnCause(nil)), false
	case out.Output.Refusal != "" || len(out.Output.Steps) == 0:
		return w.sayAlone(out.Text), false
	}
	if err := json.Unmarshal([]byte(out.Output.Steps[0].Stdout), &found); err != nil {
		return w.ts.failedEnd(w.job, err), false
	}
	text := w.rt.Redact(found.Text(w.answerIn, false))
	if len(found.Causes) == 0 || found.Causes[0].Repair == nil {
		return w.sayAlone(text), false
	}
	w.sendText(text + "\n\n")
	steps, err := json.Marshal(map[string]any{"goal": found.Causes[0].Repair.Goal, "steps": found.Causes[0].Repair.Input()})
	if err != nil {
		return w.ts.failedEnd(w.job, err), false
	}
	return w.runAlone(tools.Call{ID: repairCall, Name: "plan", Input: steps}, func(code string) string { return i18n.Refusal(code, w.answerIn) })
}

// sayAlone ends a job with a text.
func (w *worker) sayAlone(text string) end {
	body := chat.BoundBody(text, w.answerIn)
	w.sendText(body)
	return end{change: task.Finish, frame: ipc.Message{Type: ipc.TypeResponse, To: w.rec.Channel, Body: body}.WithData(ipc.Outcome{
		Task: w.rec.ID, Session: w.rec.Session, Stop: stopCommands, Lang: string(w.answerIn), Steps: w.steps,
	})}
}
