package agent

import (
	"context"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// callsPerRound is the number of calls allowed during an answer for each round of the turn.
const callsPerRound = 3

// runMidAnswer runs a call that a model makes during its answer (claudecli). Storing, judging, approval and execution
// are the same as for other calls.
func (t *turn) runMidAnswer(ctx context.Context, use providers.Block) providers.Block {
	t.callMu.Lock()
	defer t.callMu.Unlock()
	t.midCalls++
	if t.midCalls > callsPerRound*t.o.Rounds {
		return t.result(use, *refusedOutcome(tools.RefusedRounds, "not run: too many calls; answer with what you know"))
	}
	about := t.metadata()
	about.Tool = namesOf([]providers.Block{use})
	message := providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{use}}
	if err := t.storeMessage(message, about); err != nil {
		return t.result(use, *refusedOutcome(tools.RefusedLog, "not run: "+err.Error()))
	}
	results, err := t.runCalls(ctx, []providers.Block{use})
	if err != nil {
		t.storeErr = err
		return t.result(use, *refusedOutcome(tools.RefusedLog, "cannot save its result: "+err.Error()))
	}
	return results[0]
}

// planMidAnswer handles a call made during an answer in a dry run.
func (t *turn) planMidAnswer(_ context.Context, use providers.Block) providers.Block {
	t.callMu.Lock()
	defer t.callMu.Unlock()
	if t.midCalls++; t.midCalls > callsPerRound {
		return t.result(use, *refusedOutcome(tools.RefusedRounds, "not run: enough is planned; say in a sentence what these calls are for"))
	}
	t.addPlanned(use)
	return t.result(use, *refusedOutcome(tools.RefusedPlanned, "noted, not run: the person only wants to see which calls you would make"))
}

// addPlanned judges a call and adds it to the reply.
func (t *turn) addPlanned(use providers.Block) {
	j, refused := t.o.Tools.Prepare(t.callOf(use), t.Session, t.Dir)
	t.reply.Planned = append(t.reply.Planned, PlannedCall{j, refused})
}
