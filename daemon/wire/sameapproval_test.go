package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// The second answer refers to the first approval. Another command or conversation gets its own.
func TestU5TheSameQuestionAskedTwiceLeavesOneApproval(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	ask := func(session, command string) (string, ipc.Outcome) {
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: session + command, Session: session, Body: "do " + command})
		m := p.last(ipc.TypeResponse)
		var out ipc.Outcome
		require.NoError(t, m.Decode(&out))
		return m.Body, out
	}
	body, first := ask("s", "touch "+h.home+"/made")
	require.Len(t, first.Pending, 1)
	require.Contains(t, body, "Waiting for your approval: `touch "+h.home+"/made`. Approve it: blunux-aictl approve "+first.Pending[0])
	_, second := ask("s", "touch "+h.home+"/made")
	require.Equal(t, first.Pending, second.Pending)
	_, other := ask("s", "touch "+h.home+"/other")
	require.NotEqual(t, first.Pending, other.Pending)
	_, elsewhere := ask("t", "touch "+h.home+"/made")
	require.NotEqual(t, first.Pending, elsewhere.Pending)
	asks, err := h.approvals.List()
	require.NoError(t, err)
	require.Len(t, asks, 3)

	require.Equal(t, ipc.TypeResult, p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: first.Pending[0]}).Type)
	require.FileExists(t, h.home+"/made")
	_, again := ask("s", "touch "+h.home+"/made")
	require.NotEqual(t, first.Pending, again.Pending, "a used one is not pointed to")
}
