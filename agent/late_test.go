package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// late is a call whose approval came after its turn.
func late() *agent.LateCall {
	call := tools.Call{ID: "c1", Name: "change", Input: []byte(`{"unit":"web.service"}`)}
	return &agent.LateCall{Call: call, Outcome: tools.Outcome{
		Output: providers.Output{Steps: []providers.Step{{Command: "restart web", Stdout: "it runs"}}}, Text: "it runs",
		Proofs: []plan.Proof{{Action: plan.Start, Subject: "web.service", Outcome: plan.Done}},
	}}
}

// continueTurn continues a request after a late call.
func (b *bench) continueTurn(t *testing.T, request string) (agent.Reply, error) {
	t.Helper()
	return b.Turn(t.Context(), agent.Request{Session: "s", Text: request, Dir: "/dir", Late: late()})
}

func TestATurnContinuesAfterALateCall(t *testing.T) {
	b := newBench(asks(use("c2", "change", `{"n":2}`)), answers("all done"))
	b.history.messages = map[string][]providers.Message{"s": {
		providers.UserText("restart web, then look"),
		{Role: providers.RoleAssistant, Content: []providers.Block{use("c1", "change", `{}`)}},
		providers.AssistantText("it waits"),
	}}
	reply, err := b.continueTurn(t, "restart web, then look")
	require.NoError(t, err)
	require.Equal(t, "all done", reply.Text)
	require.Len(t, reply.Proofs, 1, "the checks of the late call end this answer")

	first := b.model.requests[0]
	require.True(t, first.Continues)
	require.Len(t, first.Messages, 4)
	opening := first.Messages[3]
	require.Equal(t, providers.RoleUser, opening.Role)
	require.Contains(t, opening.Text(), `the person has now approved your call change {"unit":"web.service"}, which waited in their request "restart web, then look"`)
	require.NotContains(t, opening.Text(), "it runs", "the result is in the conversation")
	require.Equal(t, []string{"tool", "result", "thought"}, b.history.types(), "the opening is not the person's message")
	require.Equal(t, "restart web, then look", b.notes.asked.Words)

	call := b.tools.prepared[0]
	require.Equal(t, "restart web, then look", call.Words, "calls are judged by the person's own words")
	require.True(t, call.Untrusted, "the model has read output")
	require.Contains(t, b.notes.lines[0], "restart web, then look · restart web")
}

func TestALateCallThatIsNotInTheConversationIsShown(t *testing.T) {
	b := newBench(answers("it runs again"))
	_, err := b.continueTurn(t, "restart web")
	require.NoError(t, err)
	require.Len(t, b.model.last().Messages, 1)
	opening := b.model.last().Messages[0].Text()
	require.Contains(t, opening, `{"unit":"web.service"}`)
	require.Regexp(t, `<data source="tool change" id="[0-9a-f]+">\nit runs\n</data`, opening, "as data")
}

func TestALateCallWhoseRequestIsUnknownIsNotContinued(t *testing.T) {
	b := newBench(answers("never asked"))
	_, err := b.continueTurn(t, "")
	require.ErrorIs(t, err, agent.ErrForgotten)
	require.Empty(t, b.model.requests)
	require.Empty(t, b.history.entries)
}
