package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/failover"
)

var errDown = &providers.Error{Kind: providers.KindAuth, Provider: "fake", Message: "wrong key"}

// standInBench has a model and a substitute, each with separate answers.
func standInBench(model, standIn []line) (*bench, *model2) {
	b := newBench(model...)
	other := &model2{}
	other.lines = standIn
	line := failover.New(failover.Options{Members: []failover.Member{{Model: b.model}, {Model: other, Local: true, LastResort: true}}})
	b.Agent = agent.New(agent.Options{Model: line, Tools: b.tools, Notes: b.notes, History: b.history})
	return b, other
}

// model2 is a model with another name.
type model2 struct{ model }

func (*model2) Name() string    { return "built-in" }
func (*model2) ModelID() string { return "" }

func TestTheStandInAnswersWhereTheModelFails(t *testing.T) {
	b, other := standInBench([]line{fails(errDown)}, []line{asks(use("t1", "read", `{}`)), answers("42%")})
	var heard string
	var why []error
	reply, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "disk full?", OnText: func(s string) { heard += s }, OnSwitch: func(c providers.Switch) { why = append(why, c.Err); heard += "[stands in] " }})
	require.NoError(t, err)
	require.Equal(t, "42%", reply.Text)
	require.Equal(t, "built-in", reply.Provider)
	require.Equal(t, "[stands in] 42%", heard)
	require.Equal(t, []error{errDown}, why, "it is said once")
	require.Len(t, b.model.requests, 1, "who failed is not asked again in this turn")
	require.Len(t, other.requests, 2)
	require.Len(t, b.tools.ran, 1)
}

func TestTheStandInTellsWhatTheModelHadRun(t *testing.T) {
	b, other := standInBench([]line{asks(use("t1", "read", `{}`)), fails(errDown)}, []line{answers("42%")})
	reply, err := b.ask(t, "disk full?")
	require.NoError(t, err)
	require.Equal(t, "42%", reply.Text)
	require.Len(t, b.tools.ran, 1, "nothing runs twice")
	require.Len(t, other.requests, 1)
}

func TestWordsAloneDoNotStandIn(t *testing.T) {
	b, _ := standInBench([]line{fails(errDown)}, []line{answers("I do not understand.")})
	var heard string
	_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "write a poem", OnText: func(s string) { heard += s }, OnSwitch: func(providers.Switch) { heard += "said" }})
	require.ErrorIs(t, err, errDown)
	require.Empty(t, heard)
}

func TestAFailingStandInLeavesTheModelsFailure(t *testing.T) {
	b, _ := standInBench([]line{fails(errDown)}, []line{fails(errors.New("also down"))})
	_, err := b.ask(t, "disk full?")
	require.ErrorIs(t, err, errDown)
}

func TestNobodyStandsInForACancelledTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, other := standInBench([]line{func(context.Context, providers.Request) (providers.Completion, error) {
		cancel()
		return providers.Completion{}, errDown
	}}, []line{asks(use("t1", "read", `{}`))})
	_, err := b.Turn(ctx, agent.Request{Session: "s", Text: "disk full?"})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, other.requests)
}

func TestADryRunIsPlannedByTheStandInToo(t *testing.T) {
	b, _ := standInBench([]line{fails(errDown)}, []line{asks(use("t1", "read", `{}`))})
	reply, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "disk full?", DryRun: true})
	require.NoError(t, err)
	require.Len(t, reply.Planned, 1)
	require.Empty(t, b.tools.ran)
}

func TestTheFirstRoundHasNobodyWhoAnsweredBefore(t *testing.T) {
	b := newBench(asks(use("t1", "read", `{}`)), answers("42%"))
	_, err := b.ask(t, "disk full?")
	require.NoError(t, err)
	require.Empty(t, b.model.requests[0].LastProvider)
	require.Equal(t, "fake", b.model.requests[1].LastProvider)
}
