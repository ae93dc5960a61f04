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
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade/pacnew"
)

// repairCall is the id of the call that carries out a plan without a model.
const repairCall = "repair"

// runRepair looks for the cause of a problem instead of a turn, says it, and asks to repair it.
func (w *worker) runRepair(p ipc.Problem) (e end, left bool) {
	return w.runDiagnosis(map[string]string{"topic": p.Topic, "object": p.Object, "lang": string(w.answerIn.Base())})
}

// runDiagnosis is runRepair with the input of the tool diagnose.
func (w *worker) runDiagnosis(input map[string]string) (e end, left bool) {
	return w.runLooked("diagnose", input, func(stdout []byte) (text string, repair *diagnose.Plan, err error) {
		var found diagnose.Report
		if err := json.Unmarshal(stdout, &found); err != nil {
			return "", nil, err
		}
		if len(found.Causes) > 0 {
			repair = found.Causes[0].Repair
		}
		return found.Text(w.answerIn, false), repair, nil
	})
}

// runMerge looks at the configuration files that pacman left instead of a turn, and asks to merge them.
func (w *worker) runMerge(f ipc.LeftFile) (e end, left bool) {
	input := map[string]string{"lang": string(w.answerIn.Base())}
	for name, value := range map[string]string{"file": f.File, "choice": f.Choice} {
		if value != "" {
			input[name] = value
		}
	}
	return w.runLooked("pacnew", input, func(stdout []byte) (string, *diagnose.Plan, error) {
		var found pacnew.Report
		err := json.Unmarshal(stdout, &found)
		return found.Text(w.answerIn), found.Plan, err
	})
}

// runLooked calls a tool that looks, says what it found, and asks to carry out its plan. read returns both from what the tool
// prints, and no plan if there is nothing to do.
func (w *worker) runLooked(tool string, in map[string]string, read func(stdout []byte) (string, *diagnose.Plan, error)) (e end, left bool) {
	input, err := json.Marshal(in)
	if err != nil { // texts always marshal
		panic(err)
	}
	out := w.runCall(tools.Call{ID: tool, Name: tool, Input: input})
	switch {
	case errors.Is(w.turnCause(nil), settings.ErrStopping): // the next daemon looks again
		return end{}, true
	case w.ctx.Err() != nil:
		return w.ts.failedEnd(w.job, w.turnCause(nil)), false
	case out.Output.Refusal != "" || len(out.Output.Steps) == 0:
		return w.sayAlone(out.Text), false
	}
	text, repair, err := read([]byte(out.Output.Steps[0].Stdout))
	if err != nil {
		return w.ts.failedEnd(w.job, err), false
	}
	text = w.rt.Redact(text)
	if repair == nil {
		return w.sayAlone(text), false
	}
	w.sayFirst(text)
	steps, err := json.Marshal(map[string]any{"goal": repair.Goal, "steps": repair.Input()})
	if err != nil {
		return w.ts.failedEnd(w.job, err), false
	}
	return w.runAlone(tools.Call{ID: repairCall, Name: "plan", Input: steps}, func(out providers.Output) string { return i18n.Refusal(out.Refusal, w.answerIn) })
}

// sayAlone ends a job with a text.
func (w *worker) sayAlone(text string) end {
	body := chat.BoundBody(text, w.answerIn)
	w.sendText(body)
	return end{change: task.Finish, frame: ipc.Message{Type: ipc.TypeResponse, To: w.rec.Channel, Body: chat.BoundBody(w.notice+body, w.answerIn)}.WithData(ipc.Outcome{
		Task: w.rec.ID, Session: w.rec.Session, Stop: stopCommands, Lang: string(w.answerIn), Steps: w.steps,
	})}
}

// sayFirst says a part of the answer before the rest is known.
func (w *worker) sayFirst(text string) {
	w.notice += text + "\n\n"
	w.sendText(text + "\n\n")
}
