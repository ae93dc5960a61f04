package agent_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/providers"
)

func TestWhoeverWatchesIsToldOfEveryRound(t *testing.T) {
	broken := errors.New("no network")
	b := newBench(asks(use("t1", "read", `{}`), use("t2", "read", `{"a":1}`)), fails(broken))
	var rounds []agent.Round
	_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "disk?", OnRound: func(r agent.Round) {
		r.Took = 0
		rounds = append(rounds, r)
	}})
	require.ErrorIs(t, err, broken)
	require.Equal(t, []agent.Round{
		{
			Number: 1, History: 1, Calls: 2, Stop: providers.StopToolUse, Provider: "fake", Model: "fake-1",
			Usage: providers.Usage{InputTokens: 10, OutputTokens: 3},
		},
		{Number: 2, History: 3, Provider: "fake", Model: "fake-1", Err: broken},
	}, rounds)
}
