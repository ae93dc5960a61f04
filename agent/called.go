package agent

import (
	"context"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// callsPerRound is the number of calls allowed during an answer for each round of the turn.
const callsPerRound = 3

// called runs a call that a model makes during its answer (claudecli). Storing, judging, approval and execution
// are the same as for other calls.
func (t *turn) called(ctx context.Context, use providers.Block) providers.Block {
	t.calling.Lock()
	defer t.calling.Unlock()
	t.midCalls++
	if t.midCalls > callsPerRound*t.o.Rounds {
		return t.result(use, *stopped(tools.RefusedRounds, "not run: too many calls; answer with what you know"))
	}
	about := t.about()
	about.Tool = namesOf([]providers.Block{use})
	message := providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{use}}
	if err := t.say(message, about); err != nil {
		return t.result(use, *stopped(tools.RefusedLog, "not run: "+err.Error()))
	}
	results, err := t.run(ctx, []providers.Block{use})
	if err != nil {
		t.lost = err
		return t.result(use, *stopped(tools.RefusedLog, "cannot save its result: "+err.Error()))
	}
	return results[0]
}

// judged handles a call made during an answer in a dry run.
func (t *turn) judged(_ context.Context, use providers.Block) providers.Block {
	t.calling.Lock()
	defer t.calling.Unlock()
	if t.midCalls++; t.midCalls > callsPerRound {
		return t.result(use, *stopped(tools.RefusedRounds, "not run: enough is planned; say in a sentence what these calls are for"))
	}
	t.planned(use)
	return t.result(use, *stopped(tools.RefusedPlanned, "noted, not run: the person only wants to see which calls you would make"))
}

// planned judges a call and adds it to the reply.
func (t *turn) planned(use providers.Block) {
	j, refused := t.o.Tools.Prepare(t.callOf(use), t.Session, t.Dir)
	t.reply.Planned = append(t.reply.Planned, Planned{j, refused})
}
