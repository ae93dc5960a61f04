package turns

import (
	"strings"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// addChanges adds what a failed turn changed before it failed to its message: how far a plan came, and what the checks
// show.
func (w *worker) addChanges(e end, reply agent.Reply) {
	rows := planRows(w.rt, w.rec, w.answerIn)
	if lines := describeChanges(reply.Proofs, reply.Receipts, w.answerIn); lines != "" {
		rows = append(rows, "", lines)
	}
	if len(rows) == 0 || e.frame.Error == nil {
		return
	}
	e.frame.Error.Message += "\n" + strings.Join(rows, "\n")
	e.failure.UserMessage = e.frame.Error.Message
}

// planRows says how far the steps of a task's plans came, for a plan of several steps: where exactly it stopped.
func planRows(rt *settings.Runtime, r task.Record, lang i18n.Lang) (rows []string) {
	all, err := rt.Gate.Changes()
	if err != nil {
		return nil
	}
	for _, change := range all {
		if change.Task != r.ID || len(change.Steps) < 2 {
			continue
		}
		rows = append(rows, "", i18n.InterruptedPlan.In(lang))
		for _, s := range change.Steps {
			rows = append(rows, stepRow(s, lang))
		}
	}
	return rows
}

// stepTexts say how far a step is.
var stepTexts = map[plan.State]func(string) i18n.Text{
	plan.StepDone: i18n.StepDone, plan.StepUnproved: i18n.StepUnproved, plan.StepFailed: i18n.StepFailed,
	plan.StepSkipped: i18n.StepNotRun, plan.StepWaiting: i18n.StepNotRun, plan.StepRunning: i18n.StepUnknown,
}

func stepRow(s receipt.Step, lang i18n.Lang) string {
	command := ipc.VisibleLine(i18n.StepCommand(s.Command, lang))
	return stepTexts[s.State](chat.ExcerptOf(command, chat.MaxExcerpt)).In(lang)
}

// stepList lists the steps of this task's plans with two changes or more, for a client that has not shown them.
func (w *worker) stepList() string {
	w.mu.Lock()
	carried := w.hasPlan
	w.mu.Unlock()
	if !carried || w.client.ShowsSteps() {
		return ""
	}
	all, err := w.rt.Gate.Changes()
	if err != nil {
		return "" // the answer is complete without the list
	}
	var rows []string
	for _, r := range all {
		if r.Task == w.rec.ID && countChanges(r) >= 2 {
			for _, s := range r.Steps {
				rows = append(rows, stepRow(s, w.answerIn))
			}
		}
	}
	return strings.Join(rows, "\n")
}

func countChanges(r receipt.Receipt) (n int) {
	for _, s := range r.Steps {
		if !s.Looks {
			n++
		}
	}
	return n
}
