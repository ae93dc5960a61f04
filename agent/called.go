package agent

import (
	"context"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// callsPerRound is how many calls a model that asks for them in the midst of an
// answer has, for each round that others have.
const callsPerRound = 3

// called carries out a call in the midst of an answer, for a model that asks for
// tools by itself: it is kept, judged, asked about and run as any other.
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
		return t.result(use, *stopped(tools.RefusedLog, "its result could not be kept: "+err.Error()))
	}
	return results[0]
}

// judged takes a call in the midst of an answer that is only a plan.
func (t *turn) judged(_ context.Context, use providers.Block) providers.Block {
	t.calling.Lock()
	defer t.calling.Unlock()
	if t.midCalls++; t.midCalls > callsPerRound {
		return t.result(use, *stopped(tools.RefusedRounds, "not run: enough is planned; say in a sentence what these calls are for"))
	}
	t.planned(use)
	return t.result(use, *stopped(tools.RefusedPlanned, "noted, not run: the person only wants to see which calls you would make"))
}

// planned judges a call for the reply.
func (t *turn) planned(use providers.Block) {
	j, refused := t.o.Tools.Prepare(t.callOf(use), t.Session, t.Dir)
	t.reply.Planned = append(t.reply.Planned, Planned{j, refused})
}
