package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// maxRepeats is how often the same call can run in a row.
const maxRepeats = 2

// repeat counts consecutive equal calls.
type repeat struct {
	last  string
	count int
}

// isExcessive reports whether a call exceeds the allowed repetitions.
func (r *repeat) isExcessive(call tools.Call) bool {
	key := call.Name + " " + providers.CanonicalInput(call.Input)
	if key != r.last {
		r.last, r.count = key, 0
	}
	r.count++
	return r.count > maxRepeats
}

// runCalls runs a round's calls and returns their results in order. Each result is stored as soon as it is
// available. Calls that only read run in parallel, up to the next call that does not. run stops if a result
// cannot be stored.
func (t *turn) runCalls(ctx context.Context, uses []providers.Block) ([]providers.Block, error) {
	if err := t.awaitAccepted(); err != nil {
		return nil, err
	}
	prepared := make([]PlannedCall, len(uses))
	for i, use := range uses {
		call := t.callOf(use)
		if t.repeat.isExcessive(call) {
			prepared[i] = PlannedCall{tools.JudgedPlan{Call: call}, refusedOutcome(tools.RefusedRepeated,
				"stopped: the same call with the same input for the third time in a row; use what you already know")}
			continue
		}
		if text, ok := t.addTools(use); ok {
			prepared[i] = PlannedCall{tools.JudgedPlan{Call: call}, &tools.Outcome{Text: text}}
			continue
		}
		j, refused := t.o.Tools.Prepare(call, t.Session, t.Dir)
		j.Origin = t.Origin
		prepared[i] = PlannedCall{j, refused}
	}
	outcomes := make([]tools.Outcome, len(uses))
	results := make([]providers.Block, len(uses))
	lost := make([]error, len(uses))
	for i := 0; i < len(prepared); {
		n := countParallel(prepared[i:])
		var wg sync.WaitGroup
		for k := i; k < i+n; k++ {
			wg.Go(func() {
				outcomes[k] = t.runCall(ctx, prepared[k])
				results[k] = t.result(uses[k], outcomes[k])
				if isUnfinished(ctx, outcomes[k]) {
					return // the next daemon determines the outcome
				}
				lost[k] = t.storeMessage(resultMessage(withoutPicture(results[k])), t.outcomeMetadata(uses[k], prepared[k].Judged, outcomes[k]))
				crash.Here(crash.ResultInConversation)
			})
		}
		wg.Wait()
		if err := errors.Join(lost...); err != nil {
			return nil, err
		}
		i += n
	}
	for i, out := range outcomes {
		t.untrusted = t.untrusted || hasOutput(uses[i].Name, out)
		t.addPages([]providers.Message{resultMessage(results[i])})
		t.recordOutcome(out)
	}
	return results, nil
}

// awaitAccepted waits until the message is on the disk: after a crash, a command in the log must belong to a known task.
func (t *turn) awaitAccepted() error {
	if t.Accepted == nil {
		return nil
	}
	return t.Accepted()
}

// isUnfinished reports whether a call has no outcome because the daemon is stopping.
func isUnfinished(ctx context.Context, out tools.Outcome) bool {
	return errors.Is(context.Cause(ctx), executor.ErrStopping) &&
		(out.Output.Refusal == tools.RefusedStopping || out.Output.Refusal == tools.RefusedCancelled)
}

func resultMessage(b providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: []providers.Block{b}}
}

// maxName bounds a model's name for a tool or call in metadata, in bytes.
const maxName = 200

// namesOf returns the names of the called tools without repetitions.
func namesOf(uses []providers.Block) string {
	var names []string
	for _, use := range uses {
		if !slices.Contains(names, use.Name) {
			names = append(names, use.Name)
		}
	}
	return firstLine(strings.Join(names, ", "), maxName)
}

// outcomeMetadata returns a call's metadata for the conversation.
func (t *turn) outcomeMetadata(use providers.Block, j tools.JudgedPlan, out tools.Outcome) *session.Metadata {
	about := t.metadata()
	about.Tool, about.Call, about.Refusal = firstLine(use.Name, maxName), firstLine(use.ID, maxName), out.Output.Refusal
	if j.Digest != "" {
		about.Class = j.Class.String()
	}
	if steps := out.Output.Steps; len(steps) > 0 {
		last := steps[len(steps)-1]
		about.Exit, about.Ended, about.Program, about.Limit = &last.Exit, last.EndReason(), last.MissingProgram, last.Limit
	}
	return about
}

// hasOutput reports whether a call's commands printed anything that others may have written.
func hasOutput(tool string, out tools.Outcome) bool {
	return !tools.PrintsOwnText(tool) && out.Output.HasText()
}

// countParallel returns how many calls from the first on can run in parallel: consecutive calls that only read, or
// one call.
func countParallel(calls []PlannedCall) int {
	n := 0
	for n < len(calls) && (calls[n].Refused != nil || calls[n].Judged.IsReadOnly()) {
		n++
	}
	return max(n, 1)
}

// runCall runs one prepared call.
func (t *turn) runCall(ctx context.Context, p PlannedCall) tools.Outcome {
	switch {
	case p.Refused != nil && p.Refused.Output.Refusal == "": // it only added tools
		return *p.Refused
	case p.Refused != nil:
		t.observe(tools.Event{
			Call: p.Judged.Call.ID, Name: p.Judged.Call.Name, Input: p.Judged.Call.Input,
			State: tools.StateRefused, Reason: p.Refused.Output.Refusal,
		})
		return *p.Refused
	case ctx.Err() != nil:
		return *refusedOutcome(tools.RefusedCancelled, "not run: cancelled")
	}
	return t.o.Tools.Run(ctx, p.Judged, t.Approver, t.observe)
}

// observe passes on events one at a time, even if calls run in parallel.
func (t *turn) observe(e tools.Event) {
	if t.OnEvent == nil {
		return
	}
	t.observeMu.Lock()
	defer t.observeMu.Unlock()
	t.OnEvent(e)
}

// result returns the tool result for the model.
func (t *turn) result(use providers.Block, out tools.Outcome) providers.Block {
	return providers.Block{
		Type: providers.BlockToolResult, ToolUseID: use.ID, Name: use.Name,
		Content: t.fence.wrap("tool "+use.Name, out.Text), IsError: out.IsError, Output: &out.Output, Picture: out.Picture,
	}
}

// recordOutcome adds a call's outcome to the reply and the day's note.
func (t *turn) recordOutcome(out tools.Outcome) {
	if out.Output.Refusal != "" {
		t.reply.Refusals = append(t.reply.Refusals, out.Output.Refusal)
	} else {
		for _, s := range out.Output.Steps { // the user may have edited the command
			t.ran = append(t.ran, s.Command)
		}
	}
	if out.NoteChange != nil {
		t.reply.NoteChanges = append(t.reply.NoteChanges, *out.NoteChange)
	}
	t.reply.Proofs = append(t.reply.Proofs, out.Proofs...)
	if out.Receipt != "" {
		t.reply.Receipts = append(t.reply.Receipts, out.Receipt)
	}
	if out.Pending != "" {
		t.reply.Pending = append(t.reply.Pending, out.Pending)
	}
}

func refusedOutcome(code, text string) *tools.Outcome {
	return &tools.Outcome{Output: providers.Output{Refusal: code}, Text: text, IsError: true}
}
