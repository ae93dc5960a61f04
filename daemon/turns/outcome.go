package turns

import (
	"errors"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/ipc"
)

// OutcomeOf returns how the run of an ended task ended, from the task's record.
func OutcomeOf(rec task.Record) automation.Outcome {
	o := automation.Outcome{Text: rec.Answer}
	if rec.Error != nil {
		o.State, o.Reason = automation.Failed, automation.ReasonError
		switch rec.Error.Code {
		case codeInterrupted:
			o.Reason = automation.ReasonInterrupted
		case string(ipc.CodeTimeout):
			o.Reason = automation.ReasonTimeout
		case string(ipc.CodeDenied):
			o.Reason = automation.ReasonDenied
		}
	}
	return o
}

// outcomeOfEnd returns how the run of a job ended.
func outcomeOfEnd(j *job, e end) automation.Outcome {
	o := OutcomeOf(task.Record{Answer: AnswerOf(e.frame), Error: e.failure})
	var reached *usage.LimitError
	if errors.As(j.err, &reached) {
		o.State, o.Reason = automation.Skipped, automation.ReasonBudget
	}
	var out ipc.Outcome
	if e.failure == nil && e.frame.Decode(&out) == nil && len(out.Pending) > 0 {
		o.Reason = automation.ReasonWaits
	}
	return o
}
