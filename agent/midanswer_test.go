package agent_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// acting is a model that calls tools during its answer.
func acting(calls ...providers.Block) line {
	return func(ctx context.Context, r providers.Request) (providers.Completion, error) {
		text := ""
		for _, c := range calls {
			text += r.Call(ctx, c).Content
		}
		return answers("done: "+text)(ctx, r)
	}
}

func TestACallInTheMidstOfAnAnswerIsKeptJudgedAndRun(t *testing.T) {
	b := newBench(acting(use("t1", "read", `{}`), use("t2", "change", `{}`)))
	reply, err := b.ask(t, "disk full?")
	require.NoError(t, err)
	require.Contains(t, reply.Text, "read")
	require.Len(t, b.tools.ran, 2)
	require.Equal(t, []string{"user", "tool", "result", "tool", "result", "thought"}, b.history.types())
	require.Equal(t, 1, reply.Rounds)
}

func TestCallsInTheMidstOfAnAnswerHaveAnEnd(t *testing.T) {
	var last providers.Block
	b := newBench(func(ctx context.Context, r providers.Request) (providers.Completion, error) {
		for i := range 100 {
			last = r.Call(ctx, use("t"+strconv.Itoa(i), "read", `{"n":`+strconv.Itoa(i)+`}`))
		}
		return answers("done")(ctx, r)
	})
	_, err := b.ask(t, "disk full?")
	require.NoError(t, err)
	require.Len(t, b.tools.ran, 30)
	require.Equal(t, tools.RefusedRounds, last.Output.Refusal)
}

func TestADryRunActsNowhere(t *testing.T) {
	b := newBench(func(ctx context.Context, r providers.Request) (providers.Completion, error) {
		for i := range 4 {
			result := r.Call(ctx, use(fmt.Sprint("t", i), "read", `{}`))
			require.Contains(t, result.Content, "not run")
			require.True(t, result.IsError)
		}
		return answers("done")(ctx, r)
	})
	b.tools.run = func(context.Context, tools.JudgedPlan) tools.Outcome {
		t.Error("it ran")
		return tools.Outcome{}
	}
	reply, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "disk full?", DryRun: true})
	require.NoError(t, err)
	require.Len(t, reply.Planned, 3, "as many as a round may ask for")
	require.Equal(t, "read", reply.Planned[0].Judged.Call.Name)
	require.Empty(t, b.history.entries)
}

func TestTooLongForTheModelIsMadeShorterOnce(t *testing.T) {
	tooLong := &providers.Error{Kind: providers.KindContext, Status: 400, Message: "prompt is too long"}
	b := newBench(asks(use("t1", "read", `{}`)), fails(tooLong), answers("42%"))
	b.tools.run = func(context.Context, tools.JudgedPlan) tools.Outcome {
		return tools.Outcome{Text: strings.Repeat("a line\n", 8000)}
	}
	reply, err := b.ask(t, "disk full?")
	require.NoError(t, err)
	require.Equal(t, "42%", reply.Text)
	require.Len(t, b.model.requests, 3)

	b = newBench(fails(tooLong))
	_, err = b.ask(t, "disk full?")
	require.Equal(t, providers.KindContext, providers.KindOf(err), "there was nothing to cut")
}
