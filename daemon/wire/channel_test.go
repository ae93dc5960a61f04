package wire

import (
	"path/filepath"
	"testing"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// connectAs connects with a hello for a channel.
func (h *house) connectAs(channel string, caps ...string) *peer {
	p := h.connect()
	p.say(ipc.Message{Type: ipc.TypeHello, ID: "h1", V: 1}.WithData(ipc.Hello{Client: "test/1", Channel: channel, Lang: "en", Caps: caps}))
	require.Equal(h.t, ipc.TypeHello, p.read().Type)
	return p
}

func TestThreat08CrossChannelApproval(t *testing.T) {
	h := open(t, doer)
	asked := func(channel, session string) (*peer, ipc.Message) {
		p := h.connectAs(channel, ipc.CapAsk)
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Session: session, Body: "do touch " + session})
		return p, p.last(ipc.TypeAsk)
	}
	phone, phoneAsk := asked("signal", "alice")
	owner, ownerAsk := asked("cli", "desk")

	refused := func(p *peer, m ipc.Message, session string) {
		t.Helper()
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "x", Re: m.ID, Session: session, Action: ipc.ActionAllowOnce})
		require.Equal(t, ipc.CodeDenied, p.last(ipc.TypeError).Error.Code)
	}
	// A phone cannot answer for a local client, for another channel or for another person.
	refused(phone, ownerAsk, "alice")
	refused(h.connectAs("telegram", ipc.CapAsk), phoneAsk, "alice")
	refused(h.connectAs("signal", ipc.CapAsk), phoneAsk, "mallory")
	refused(h.connectAs("something-new"), phoneAsk, "alice")
	require.NoFileExists(t, filepath.Join(h.home, "alice"))
	require.NoFileExists(t, filepath.Join(h.home, "desk"))

	// The person who was asked can answer.
	phone.say(ipc.Message{Type: ipc.TypeAction, ID: "y", Re: phoneAsk.ID, Session: "alice", Action: ipc.ActionReject})
	phone.last(ipc.TypeResponse)

	// The owner at the machine can answer the phone's question, and the phone is notified.
	phone, phoneAsk = asked("signal", "alice")
	owner.say(ipc.Message{Type: ipc.TypeAction, ID: "z", Re: phoneAsk.ID, Action: ipc.ActionAllowOnce})
	require.Equal(t, ipc.TypeResult, owner.last(ipc.TypeResult).Type)
	var by ipc.Resolved
	require.NoError(t, phone.last(ipc.TypeResolved).Decode(&by))
	require.Equal(t, "cli", by.By)
	require.Equal(t, "it ran", phone.last(ipc.TypeResponse).Body)

	owner.say(ipc.Message{Type: ipc.TypeAction, Re: ownerAsk.ID, Action: ipc.ActionReject})
	owner.last(ipc.TypeResponse)
}
