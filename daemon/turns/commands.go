package turns

import (
	"errors"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// runCommands runs the commands of an automation's rule instead of a turn: one after the other, each through the
// gate, up to the first that fails or whose check shows that its change is not there.
func (w *worker) runCommands() (e end, left bool) {
	var text strings.Builder
	var pending []string
	var proofs []plan.Proof
	stop := StopWaits
	for i, argv := range w.rec.Argvs {
		out := w.runCommand(i, argv)
		if errors.Is(w.turnCause(nil), settings.ErrStopping) {
			return end{}, true
		}
		if w.ctx.Err() != nil {
			return w.ts.failedEnd(w.job, w.turnCause(nil)), false
		}
		proofs = append(proofs, out.Proofs...)
		ok := out.Output.Refusal == "" && !out.Output.Contradicted
		for _, s := range out.Output.Steps {
			stop = stopCommands
			text.WriteString(i18n.AutomationRan(s.Command, describeEnd([]providers.Step{s}, w.answerIn)).In(w.answerIn) + "\n")
			text.WriteString(lastLines(s.Stdout+s.Stderr, 10))
			ok = ok && s.Exit == 0 && s.MissingProgram == "" && !s.TimedOut
		}
		if out.Pending != "" {
			text.WriteString(i18n.AutomationWaits(shell.CommandLine(argv), out.Pending).In(w.answerIn) + "\n")
		} else if out.Output.Refusal != "" {
			stop = stopCommands
			text.WriteString(i18n.AutomationNotRun(shell.CommandLine(argv), i18n.Refusal(out.Output.Refusal, w.answerIn)).In(w.answerIn) + "\n")
		}
		if out.Pending != "" {
			pending = append(pending, out.Pending)
		}
		if !ok {
			break
		}
	}
	body := appendProofs(chat.BoundBody(strings.TrimSpace(text.String()), w.answerIn), proofs, w.answerIn)
	frame := ipc.Message{Type: ipc.TypeResponse, To: w.rec.Channel, Body: body}.WithData(ipc.Outcome{
		Task: w.rec.ID, Session: w.rec.Session, Stop: stop, Lang: string(w.answerIn), Pending: pending, Steps: w.steps, Checks: checksOf(proofs),
	})
	return end{change: task.Finish, frame: frame}, false
}

// runCommand runs one command of the rule.
func (w *worker) runCommand(i int, argv []string) tools.Outcome {
	return w.runCall(tools.CommandCall("auto-"+strconv.Itoa(i), argv))
}

// runCall runs a call that no model makes.
func (w *worker) runCall(call tools.Call) tools.Outcome {
	j, refused := w.rt.Gate.Prepare(call, w.rec.Session, w.rt.Config.Home)
	if refused != nil {
		return *refused
	}
	j.Origin = w.origin()
	return w.rt.Gate.Run(w.ctx, j, w, w.observe)
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	if len(lines) > n {
		lines = append([]string{"…"}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// The stop reasons of a task that ran its rule's commands instead of a turn, or that waits for approval of the
// first of them.
const (
	stopCommands = "commands"
	StopWaits    = "waits"
)
