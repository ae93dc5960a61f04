package turns

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// undoes reports whether the message takes a change back, and which: "" for the last one of the conversation.
func (w *worker) undoes() (id string, ok bool) {
	switch {
	case w.req.Undo == ipc.UndoLast:
		return "", true
	case w.req.Undo != "":
		return w.req.Undo, true
	case w.rec.Rule != "" || w.req.Stdin != "" || w.req.DryRun:
		return "", false
	}
	text := strings.Trim(strings.ToLower(strings.TrimSpace(w.rec.Text)), ".!~ 。！")
	id, words := cutReceipt(text)
	return id, i18n.IsUndo(words) && w.rt.Gate.KnowsChange(id, w.rec.Session)
}

// idLetters are the letters of receipts' ids: the digits and letters that are not confused (Crockford, Base32), and U.
const idLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZU"

// cutReceipt separates a receipt's id, such as U4K7P, from the words before or after it.
func cutReceipt(text string) (id, words string) {
	fields := strings.Fields(text)
	for _, i := range []int{0, len(fields) - 1} {
		if i < 0 || i >= len(fields) || len(fields) < 2 {
			continue
		}
		if f := strings.ToUpper(fields[i]); len(f) == 5 && f[0] == 'U' && strings.Trim(f, idLetters) == "" {
			rest := append(append([]string{}, fields[:i]...), fields[i+1:]...)
			return f, strings.Join(rest, " ")
		}
	}
	return "", text
}

// undoCall is the id of the call that takes a change back without a model.
const undoCall = "undo"

// runUndo takes a change back instead of a turn: one question, then its steps.
func (w *worker) runUndo(id string) (e end, left bool) {
	input, err := json.Marshal(map[string]string{"id": id})
	if err != nil { // a text always marshals
		panic(err)
	}
	return w.runAlone(tools.Call{ID: undoCall, Name: "undo", Input: input}, func(out providers.Output) string { return undoRefusal(out.Refusal, id, w.answerIn) })
}

// runAlone runs one call instead of a turn: one question, then its steps. refusal says why it was not run.
func (w *worker) runAlone(call tools.Call, refusal func(providers.Output) string) (e end, left bool) {
	return w.endAlone(call, w.runCall(call), refusal)
}

// endAlone says what became of a call that ran instead of a turn.
func (w *worker) endAlone(call tools.Call, out tools.Outcome, refusal func(providers.Output) string) (e end, left bool) {
	if errors.Is(w.turnCause(nil), settings.ErrStopping) {
		return end{}, true
	}
	if w.ctx.Err() != nil {
		return w.ts.failedEnd(w.job, w.turnCause(nil)), false
	}
	var text strings.Builder
	listed := w.stepList()
	text.WriteString(listed + "\n")
	for _, s := range out.Output.Steps {
		if s.Exit == 0 && (listed != "" || w.client.ShowsSteps()) {
			continue
		}
		text.WriteString(i18n.AutomationRan(i18n.StepCommand(s.Command, w.answerIn), describeEnd([]providers.Step{s}, w.answerIn)).In(w.answerIn) + "\n")
		if s.Exit != 0 {
			text.WriteString(lastLines(s.Stdout+s.Stderr, 10))
		}
	}
	var pending []string
	switch {
	case out.Pending != "":
		pending = append(pending, out.Pending)
		text.WriteString(w.rt.Redact(w.foreseenOf(out.Pending)) + i18n.WaitsForApproval(w.rt.Redact(w.briefApproval(out)), out.Pending).In(w.answerIn))
	case out.Output.Refusal != "":
		text.WriteString(refusal(out.Output))
		if len(w.steps) == 0 { // it was refused before it was judged
			w.steps = []ipc.Step{{Tool: call.Name, Input: call.Input, State: ipc.ToolRefused, Reason: out.Output.Refusal}}
		}
	}
	lines := describeChanges(out.Proofs, receiptsOf(out), w.answerIn)
	body := appendLines(chat.BoundBody(strings.TrimSpace(text.String()), w.answerIn), lines)
	w.sendText(body)
	frame := ipc.Message{Type: ipc.TypeResponse, To: w.rec.Channel, Body: chat.BoundBody(w.notice+body, w.answerIn)}.WithData(ipc.Outcome{
		Task: w.rec.ID, Session: w.rec.Session, Stop: stopCommands, Lang: string(w.answerIn), Pending: pending, Steps: w.steps,
		Checks: checksOf(out.Proofs), Receipts: receiptsOf(out),
	})
	return end{change: task.Finish, frame: frame}, false
}

// undoRefusal says why a change is not taken back.
func undoRefusal(code, id string, lang i18n.Lang) string {
	switch {
	case code == tools.RefusedNoChange && id != "":
		return i18n.UndoUnknown(id).In(lang)
	case code == tools.RefusedNoChange:
		return i18n.UndoNothing.In(lang)
	case code == tools.RefusedNoWayBack:
		return i18n.UndoNoWay.In(lang)
	}
	return i18n.Refusal(code, lang)
}

// foreseenOf returns [Foreseen] of a plan that waits.
func (w *worker) foreseenOf(code string) string {
	r, err := w.ts.Approvals.Stored(code)
	if err != nil {
		return ""
	}
	return Foreseen(r.Judged(), w.answerIn)
}

// briefApproval returns the command that waits in one line.
func (w *worker) briefApproval(out tools.Outcome) string {
	if r, err := w.ts.Approvals.Stored(out.Pending); err == nil {
		return briefCommand(r.Judged(), w.answerIn)
	}
	return chat.ExcerptOf(ipc.VisibleLine(out.Output.ApprovalCommand), chat.MaxExcerpt)
}

func receiptsOf(out tools.Outcome) []string {
	if out.Receipt == "" {
		return nil
	}
	return []string{out.Receipt}
}

// planQuestion asks about a plan. Its steps are in [ipc.Ask].
func planQuestion(j tools.JudgedPlan, lang i18n.Lang) string {
	switch goal := strings.Join(strings.Fields(j.Plan.Typed.Goal), " "); {
	case j.Plan.TakesBack != "":
		return i18n.AskUndo(j.Plan.TakesBack).In(lang)
	case j.Plan.Reason == tools.ReasonFile:
		return i18n.AskChangeFile(j.Plan.Typed.Steps[0].Args["path"]).In(lang)
	case goal != "":
		return i18n.AskPlanFor(len(j.Plan.Commands), goal).In(lang)
	}
	return i18n.AskPlan(len(j.Plan.Commands)).In(lang)
}
