package agent_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/providers"
)

// offeredIn returns the names of the tools that each request offered.
func offeredIn(requests []providers.Request) (all [][]string) {
	for _, r := range requests {
		var names []string
		for _, t := range r.Offered() {
			names = append(names, t.Name)
		}
		all = append(all, names)
	}
	return all
}

func TestARareToolIsAddedWhenTheModelAsksForIt(t *testing.T) {
	b := newBench(
		asks(use("1", "more_tools", `{"names":["change_b","none"]}`)), asks(use("2", "change_b", `{}`)), answers("done"),
		asks(use("3", "read_a", `{}`)), answers("again"),
	)
	b.tools.deferred = []string{"read_a", "change_b"}
	_, err := b.ask(t, "do b")
	require.NoError(t, err)
	_, err = b.ask(t, "and a")
	require.NoError(t, err)
	core := []string{"read", "change", "more_tools"}
	require.Equal(t, [][]string{
		core, append(slices.Clone(core), "change_b"), append(slices.Clone(core), "change_b"),
		append(slices.Clone(core), "change_b"), append(slices.Clone(core), "change_b", "read_a"), // called without asking for it
	}, offeredIn(b.model.requests), "tools are only appended, also in later turns")
	require.Equal(t, []string{"change_b", "read_a"}, []string{b.tools.ran[0].Name, b.tools.ran[1].Name})
	result := b.model.requests[1].Messages[2].Content[0]
	require.Contains(t, result.Content, "You can call now: change_b.\nNo such tools: [\"none\"].")
	require.False(t, result.IsError)
	require.Equal(t, []string{"read", "change", "read_a", "change_b"}, toolNames(b.model.last().Available()), "an engine without costs has them all")
}

func toolNames(all []providers.ToolDefinition) (names []string) {
	for _, t := range all {
		names = append(names, t.Name)
	}
	return names
}

func TestADryRunAddsToolsFirst(t *testing.T) {
	b := newBench(asks(use("1", "more_tools", `{"names":["change_b"]}`)), asks(use("2", "change_b", `{}`)))
	b.tools.deferred = []string{"change_b"}
	reply, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "do b", DryRun: true})
	require.NoError(t, err)
	require.Len(t, reply.Planned, 1)
	require.Equal(t, "change_b", reply.Planned[0].Judged.Call.Name)
	require.Empty(t, b.tools.ran)
	require.Empty(t, b.history.entries)
}

// A prompt's cache needs a beginning that stays.
func TestALaterRequestOnlyAppendsTools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"read_a", "read_b", "change_c"}
		var lines []line
		for range rapid.IntRange(0, 5).Draw(t, "rounds") {
			name := rapid.SampledFrom(append(names, "read", "none")).Draw(t, "name")
			call := use("1", name, `{}`)
			if rapid.Bool().Draw(t, "asked") {
				call = use("1", "more_tools", `{"names":["`+name+`"]}`)
			}
			lines = append(lines, asks(call))
		}
		b := newBench(append(lines, answers("ok"))...)
		b.tools.deferred = names
		for range 2 {
			_, _ = b.Turn(t.Context(), agent.Request{Session: "s", Text: "do it"})
		}
		all := offeredIn(b.model.requests)
		for i := 1; i < len(all); i++ {
			require.Equal(t, all[i-1], all[i][:min(len(all[i-1]), len(all[i]))])
		}
	})
}
