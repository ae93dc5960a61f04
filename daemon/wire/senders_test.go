package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// For every format of a sender.
func TestS7PeersWithoutHelloAreHeldToTheSenderList(t *testing.T) {
	for from, admitted := range map[string]bool{
		"821012345678":                    true,
		"+821012345678":                   true,
		"00821012345678":                  true,
		"+82 10-1234-5678":                true,
		"821012345678@c.us":               true,
		"821012345678@s.whatsapp.net":     true,
		"821012345678:12@s.whatsapp.net":  true,
		"":                                false,
		"me":                              false,
		"821012345679":                    false,
		"8210123456789":                   false,
		"21012345678":                     false,
		"x821012345678":                   false,
		"821012345678@g.us":               false,
		"821012345678-1612345678@g.us":    false,
		"120363012345678901@g.us":         false,
		"821012345678-1612345678":         false,
		"status@broadcast":                false,
		"821012345678@broadcast":          false,
		"821012345678@lid":                false,
		"821012345678@newsletter":         false,
		"821012345678@c.us@g.us":          false,
		"821012345678:x@s.whatsapp.net":   false,
		"８２１０１２３４５６７８":                    false,
		"821012345678\n":                  false,
		"821012345678,821099999999":       false,
		"__poll__":                        false,
		"agent:main:session:cli/default":  false,
		"0000821012345678":                false,
		"821012345678@s.whatsapp.net@lid": false,
	} {
		t.Run(from, func(t *testing.T) {
			h := open(t, doer)
			p := h.connect()
			p.say(ipc.Message{Type: ipc.TypeMessage, From: from, Body: "do touch made"})
			got := p.read()
			if admitted {
				require.Nil(t, got.Error, got.Body)
				require.Contains(t, got.Body, "touch made")
				require.Equal(t, from, got.To, "byte for byte")
				return
			}
			require.NotNil(t, got.Error)
			require.Equal(t, ipc.CodeDenied, got.Error.Code)
			require.Empty(t, h.approvals.InConversation(post.KeyOf(post.OriginalChannel, from), ""))
			require.Empty(t, h.tasks.List())
		})
	}
}

// They cannot answer open questions either.
func TestS7NobodyMayWriteOverAnEmptyListOrASwitchedOffChannel(t *testing.T) {
	for name, close := range map[string]func(*settings.Runtime){
		"empty list":   func(rt *settings.Runtime) { rt.Remote.Owners = map[string][]string{"whatsapp": {}} },
		"no list":      func(rt *settings.Runtime) { rt.Remote.Owners = nil },
		"switched off": func(rt *settings.Runtime) { rt.Remote.Closed = []string{"whatsapp"} },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, doer)
			p := h.connect()
			p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "do touch made"})
			require.Contains(t, p.read().Body, "touch made")

			h.admit(close)
			require.NoError(t, h.post.Outbox.Put(outbox.Message{Channel: post.OriginalChannel, To: ownerPhone, Body: "an answer"}))
			for i, m := range []ipc.Message{
				{Type: ipc.TypeMessage, Body: "yes"},
				{Type: ipc.TypeAction, Action: ipc.ActionAllowOnce},
				{Type: ipc.TypeMessage, Body: "reset"},
				{Type: ipc.TypeAction, Action: ipc.ActionReset},
			} {
				m.From = ownerPhone
				p.say(m)
				got := p.read()
				require.Equal(t, ipc.CodeDenied, got.Error.Code)
				require.Equal(t, i == 0, got.Body != "", "the reason is in the bridge's log once")
			}
			require.NotContains(t, h.log(), "touch made")
			p.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPing, From: "__ping__"})
			require.Equal(t, "pong", p.read().Body)
			p.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
			polled := p.read()
			require.Equal(t, "ok", polled.Body)
			require.Empty(t, polled.Notifications, "who may not write is sent nothing")
		})
	}
}
