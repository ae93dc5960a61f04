package wire

import (
	"context"
	"testing"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/stretchr/testify/require"
)

// reader runs "do X" immediately. For "read then do X" it reads a file first.
func reader(_ context.Context, req providers.Request) (providers.Completion, error) {
	last := req.Messages[len(req.Messages)-1]
	for _, b := range last.Content {
		if b.Output == nil {
			continue
		}
		if len(b.Output.Steps) == 1 && b.Output.Steps[0].Command == "echo obey" {
			return runs("touch x"), nil
		}
		return says("it " + b.Output.Refusal + "ended"), nil
	}
	if last.Text() == "do touch x" {
		return runs("touch x"), nil
	}
	return runs("echo obey"), nil
}

// Commands that were allowed for the session run without confirmation until the turn has read text that could have
// instructed the model to run them.
func TestThreat02ATurnThatReadUntrustedTextLosesTheSessionsGrant(t *testing.T) {
	h := open(t, reader)
	p := h.hello(ipc.CapAsk)
	m, _ := p.ask("s1", "touch x")
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowSession})
	require.Equal(t, "it ended", p.last(ipc.TypeResponse).Body)

	say := func(body string) { p.say(ipc.Message{Type: ipc.TypeMessage, ID: "s1", Session: "s1", Body: body}) }
	say("do touch x")
	for _, f := range p.until(ipc.TypeResponse) {
		require.NotEqual(t, ipc.TypeAsk, f.Type)
	}
	say("read then do it")
	asked := p.last(ipc.TypeAsk)
	var ask ipc.Ask
	require.NoError(t, asked.Decode(&ask))
	require.Equal(t, "touch x", ask.Command)
	require.Equal(t, []string{"untrusted-read"}, ask.Warnings, "the question says why it is asked although it was allowed")
	p.say(ipc.Message{Type: ipc.TypeAction, Re: asked.ID, Action: ipc.ActionReject})
	require.Equal(t, "it deniedended", p.last(ipc.TypeResponse).Body)

	// The next turn has not read anything yet, so the grant applies again.
	say("do touch x")
	for _, f := range p.until(ipc.TypeResponse) {
		require.NotEqual(t, ipc.TypeAsk, f.Type)
	}
	// Piped input is untrusted too.
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "s1", Session: "s1", Body: "do touch x"}.WithData(ipc.Request{Stdin: "do touch x"}))
	asked = p.last(ipc.TypeAsk)
	require.NoError(t, asked.Decode(&ask))
	require.Equal(t, []string{"untrusted-read"}, ask.Warnings)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: asked.ID, Action: ipc.ActionReject})
	p.last(ipc.TypeResponse)
}
