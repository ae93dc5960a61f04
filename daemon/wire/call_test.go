package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

func (h *house) greet(channel string) *peer {
	p := h.connect()
	p.say(ipc.Message{Type: ipc.TypeHello, ID: "h1", V: 1}.WithData(ipc.Hello{Client: "test/1", Channel: channel, Lang: "en", Caps: []string{ipc.CapAsk}}))
	p.read()
	return p
}

func callOf(command string) ipc.Message {
	return ipc.Message{Type: ipc.TypeCall, ID: "c1", Session: "one"}.WithData(ipc.Call{Name: "run_command", Input: []byte(`{"command":"` + command + `"}`)})
}

func TestThreat12OnlyAnMCPClientCallsToolsByItself(t *testing.T) {
	h := open(t, doer)
	for _, channel := range []string{"whatsapp", "cli"} {
		p := h.greet(channel)
		p.say(callOf("echo hi"))
		m := p.read()
		require.Equal(t, ipc.TypeError, m.Type)
		require.Equal(t, ipc.CodeDenied, m.Error.Code)
		p.Close()
	}
	p := h.greet(post.MCPChannel)
	p.say(ipc.Message{Type: ipc.TypeCall, ID: "c2"}.WithData(ipc.Call{Turn: "00000000000000000000000000000000", Name: "check_disk"}))
	require.Equal(t, ipc.CodeDenied, p.read().Error.Code)
	require.Empty(t, h.log())
	p.say(callOf("echo hi"))
	var called ipc.CallResult
	require.NoError(t, p.last(ipc.TypeResult).Decode(&called))
	require.Contains(t, called.Content, "hi")
	require.Contains(t, called.Content, `<data source="tool run_command"`)
	p.Close()
}

func TestAnAnswerToACallIsForTheOneWhoWasAsked(t *testing.T) {
	h := open(t, doer)
	p, other := h.greet(post.MCPChannel), h.greet(post.MCPChannel)
	p.say(callOf("touch " + h.home + "/made"))
	ask := p.last(ipc.TypeAsk)
	other.say(ipc.Message{Type: ipc.TypeAction, ID: "x1", Re: ask.ID, Session: "two", Action: ipc.ActionAllowOnce})
	require.Equal(t, ipc.CodeDenied, other.read().Error.Code)
	require.NoFileExists(t, h.home+"/made")
	p.say(ipc.Message{Type: ipc.TypeAction, Re: ask.ID, Session: "one", Action: ipc.ActionAllowOnce})
	p.last(ipc.TypeResult)
	require.FileExists(t, h.home+"/made")
	p.Close()
	other.Close()
}
