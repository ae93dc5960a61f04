package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// TestReadsRunSideBySideAndChangesAlone: every call takes a second of fake time. Calls that start in the same
// second run in parallel.
func TestReadsRunSideBySideAndChangesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(asks(
			use("a", "read", `{"n":1}`), use("b", "read", `{"n":2}`), use("c", "read", `{"n":3}`),
			use("d", "change", `{"n":4}`), use("e", "change", `{"n":5}`),
			use("f", "fly", `{}`), use("g", "read", `{"n":6}`), use("h", "read", `{"n":7}`),
			use("i", "change", `{"n":8}`),
		), answers("done"))
		begin := time.Now()
		started := make(chan string, 9)
		b.tools.run = func(_ context.Context, j tools.JudgedPlan) tools.Outcome {
			started <- fmt.Sprintf("%s at %s", j.Call.ID, time.Since(begin))
			time.Sleep(time.Second)
			return ranFine(j)
		}
		_, err := b.ask(t, "look at everything")
		require.NoError(t, err)
		close(started)
		var order []string
		for s := range started {
			order = append(order, s)
		}
		require.ElementsMatch(t, []string{"a at 0s", "b at 0s", "c at 0s"}, order[:3])
		require.Equal(t, []string{"d at 1s", "e at 2s"}, order[3:5])
		require.ElementsMatch(t, []string{"g at 3s", "h at 3s"}, order[5:7])
		require.Equal(t, []string{"i at 4s"}, order[7:])

		var ids []string
		for _, r := range b.results() {
			ids = append(ids, r.ToolUseID)
		}
		require.Equal(t, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, ids, "results are in the order of the calls")
	})
}

// TestReadsReallyOverlap: each call waits for the other. Run one after the other, they would deadlock, which
// synctest reports.
func TestReadsReallyOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(asks(use("a", "read", `{"n":1}`), use("b", "read", `{"n":2}`)), answers("done"))
		met := make(chan struct{})
		b.tools.run = func(_ context.Context, j tools.JudgedPlan) tools.Outcome {
			select {
			case met <- struct{}{}:
			case <-met:
			}
			return ranFine(j)
		}
		_, err := b.ask(t, "look")
		require.NoError(t, err)
	})
}

func TestResultsStandInTheOrderOfTheCallsWhoeverIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(asks(use("slow", "read", `{"n":1}`), use("quick", "read", `{"n":2}`)), answers("done"))
		quick := make(chan struct{})
		b.tools.run = func(_ context.Context, j tools.JudgedPlan) tools.Outcome {
			if j.Call.ID == "slow" {
				<-quick
			} else {
				defer close(quick)
			}
			return ranFine(j)
		}
		_, err := b.ask(t, "look")
		require.NoError(t, err)
		require.Equal(t, "slow", b.results()[0].ToolUseID)
		require.Contains(t, b.results()[0].Content, "slow ran")
		require.Contains(t, b.results()[1].Content, "quick ran")
	})
}

// Observers get one event at a time. The race detector verifies it.
func TestEventsComeOneAtATime(t *testing.T) {
	var uses []providers.Block
	for i := range 20 {
		uses = append(uses, use(fmt.Sprint(i), "read", fmt.Sprintf(`{"n":%d}`, i)))
	}
	b := newBench(asks(append(uses, use("x", "fly", `{"a":1}`))...), answers("done"))
	var events []tools.Event
	_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "look", OnEvent: func(e tools.Event) { events = append(events, e) }})
	require.NoError(t, err)
	require.Len(t, events, 41)
	states := map[string]string{}
	for _, e := range events {
		states[e.Call] += e.State + " "
		if e.Call == "x" {
			require.Equal(t, tools.RefusedUnknown, e.Reason)
			require.Equal(t, "fly", e.Name)
			require.JSONEq(t, `{"a":1}`, string(e.Input))
		}
	}
	require.Equal(t, "refused ", states["x"])
	for i := range 20 {
		require.Equal(t, "running done ", states[fmt.Sprint(i)])
	}
}

func TestACallThatMakesNoSenseIsAnsweredAsAnError(t *testing.T) {
	b := newBench(
		asks(use("t1", "fly", `{}`), use("t2", "read", string(providers.ToolInput(`{"cut o`))), use("t3", "read", `{}`)),
		answers("sorry"),
	)
	reply, err := b.ask(t, "fly")
	require.NoError(t, err)
	require.Equal(t, []string{tools.RefusedUnknown, tools.RefusedInput}, reply.Refusals)
	results := b.results()
	require.True(t, results[0].IsError)
	require.Contains(t, results[0].Content, "there is no tool fly")
	require.Equal(t, tools.RefusedUnknown, results[0].Output.Refusal)
	require.True(t, results[1].IsError)
	require.False(t, results[2].IsError)
	require.Len(t, b.tools.ran, 1)
}

func TestAWaitingApprovalIsCarried(t *testing.T) {
	b := newBench(asks(use("t1", "change", `{}`)), answers("It waits."))
	b.tools.run = func(context.Context, tools.JudgedPlan) tools.Outcome {
		out := refusal(tools.RefusedQueued, "it waits")
		out.Pending = "K7QX"
		return *out
	}
	reply, err := b.ask(t, "install it")
	require.NoError(t, err)
	require.Equal(t, []string{"K7QX"}, reply.Pending)
	require.Equal(t, []string{tools.RefusedQueued}, reply.Refusals)
}

func TestTheSameCallForTheThirdTimeInARowIsStopped(t *testing.T) {
	b := newBench(
		asks(use("1", "read", `{"a":1,"b":[1,2]}`)),
		asks(use("2", "read", "{ \"b\" : [1, 2],\n\t\"a\": 1 }")),
		asks(use("3", "read", `{"a":1,"b":[1,2]}`), use("4", "change", `{}`), use("5", "read", `{"a":1,"b":[1,2]}`)),
		answers("enough"),
	)
	reply, err := b.ask(t, "again")
	require.NoError(t, err)
	require.Equal(t, []string{tools.RefusedRepeated}, reply.Refusals)
	var ran []string
	for _, c := range b.tools.ran {
		ran = append(ran, c.ID)
	}
	require.Equal(t, []string{"1", "2", "4", "5"}, ran, "in a row: another call in between begins anew")
	results := b.results()
	require.True(t, results[0].IsError)
	require.Contains(t, results[0].Content, "third time in a row")
	require.Len(t, b.tools.prepared, 4, "a stopped call is not even planned")
}

func TestDifferentCallsAreNotTheSame(t *testing.T) {
	for name, calls := range map[string][]providers.Block{
		"other input":  {use("1", "read", `{"a":1}`), use("2", "read", `{"a":2}`), use("3", "read", `{"a":1}`), use("4", "read", `{"a":"1"}`)},
		"big numbers":  {use("1", "read", `{"a":10000000000000000001}`), use("2", "read", `{"a":10000000000000000002}`), use("3", "read", `{"a":10000000000000000003}`)},
		"other tool":   {use("1", "read", `{}`), use("2", "read2", `{}`), use("3", "read", `{}`)},
		"text spacing": {use("1", "read", `{"a":"x y"}`), use("2", "read", `{"a":"x  y"}`), use("3", "read", `{"a":"xy"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(asks(calls...), answers("done"))
			reply, err := b.ask(t, "look")
			require.NoError(t, err)
			require.Empty(t, reply.Refusals)
			require.Len(t, b.tools.ran, len(calls))
		})
	}
	b := newBench(asks(use("1", "read", `{}`), use("2", "read", `{}`)), answers("done"), asks(use("3", "read", `{}`)), answers("done"))
	for range 2 {
		reply, err := b.ask(t, "look")
		require.NoError(t, err)
		require.Empty(t, reply.Refusals, "a new question begins anew")
	}
}

// After a crash, a command in the log must belong to a task that is known.
func TestNoCallRunsBeforeTheMessageIsOnDisk(t *testing.T) {
	unsaved := errors.New("no space")
	for _, failure := range []error{nil, unsaved} {
		b := newBench(asks(use("1", "read_a", `{}`)), answers("done"))
		_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "look", Accepted: func() error {
			require.Empty(t, b.tools.ran)
			require.Len(t, b.model.requests, 1, "the model is asked meanwhile")
			return failure
		}})
		require.ErrorIs(t, err, failure)
		require.Len(t, b.tools.ran, map[bool]int{true: 1, false: 0}[failure == nil])
	}
}
