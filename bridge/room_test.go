package bridge

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// actions returns the received actions of a kind.
func (d *fakeDaemon) actions(kind string) (all []ipc.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.received {
		if m.Action == kind {
			all = append(all, m)
		}
	}
	return all
}

func TestThreat11InARoomAStrangerGetsNothing(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	d.policy.Rooms = []string{"40"}
	r := runBridge(t, p, d, "", nil)
	owner, stranger := ipc.InRoom("7", "40"), ipc.InRoom("66", "40")
	in := func(sender, id string) Incoming { return Incoming{ID: id, Chat: sender, Sender: sender, Text: id} }
	require.NoError(t, p.receive(t, in(owner, "mine")))
	d.untilReceived("mine")
	require.Equal(t, owner, d.received[0].From)
	for _, id := range []string{"a", "b", "c", "d"} {
		require.NoError(t, p.receive(t, in(stranger, id)))
		require.NoError(t, p.receive(t, in(ipc.InRoom("7", "41"), id))) // a room that is not named
	}
	require.NoError(t, p.receive(t, Incoming{ID: "p1", Chat: stranger, Sender: stranger, Press: &Press{ID: "x", Action: ipc.ActionAllowOnce, Code: "AAAA", Digest: "d"}}))
	p.until(t, func() bool { return len(p.pressed) == 1 })
	require.NoError(t, p.receive(t, in(owner, "still mine")))
	d.untilReceived("mine", "still mine")
	require.Eventually(t, func() bool { return r.inbox.count() == 0 }, patience, time.Millisecond, "what strangers wrote is dropped")
	require.Empty(t, d.actions(ipc.ActionPairingAsk), "others would read the code")
	require.Empty(t, d.actions(ipc.ActionAllowOnce))
	require.Empty(t, p.texts(stranger))
	require.Empty(t, p.texts(ipc.InRoom("7", "41")))
}

func TestTheMessengerLearnsWhichRoomsCount(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "hello"))
	d.untilReceived("hello")
	ids, changed := r.Rooms()
	require.Empty(t, ids)
	d.mu.Lock()
	d.policy.Rooms = []string{"40", "41"}
	d.mu.Unlock()
	d.sendEvent(ipc.TopicConfig, ipc.ConfigReport{OK: true})
	<-changed
	ids, _ = r.Rooms()
	require.Equal(t, []string{"40", "41"}, ids)
	require.NoError(t, r.stop())
	again := newFakeMessenger(editTraits())
	b := runBridge(t, again, d, r.dir, nil)
	require.Eventually(t, func() bool { ids, _ := b.Rooms(); return slices.Equal(ids, []string{"40", "41"}) }, patience, time.Millisecond)
}

func TestAnswersGoToTheConversationInTheRoom(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	d.policy.Rooms = []string{"40"}
	runBridge(t, p, d, "", nil)
	there := ipc.InRoom("7", "40")
	require.NoError(t, p.receive(t, Incoming{ID: "1", Chat: there, Sender: there, Text: "in the room"}))
	require.NoError(t, p.receiveText(t, "7", "directly"))
	d.until(func() bool { return len(d.messages()) == 2 })
	d.addNotice(ipc.Notice{ID: "a", To: there, Body: "there", Re: "1", Markup: ipc.MarkupMarkdown})
	d.addNotice(ipc.Notice{ID: "b", To: "7", Body: "here", Markup: ipc.MarkupMarkdown})
	p.until(t, func() bool { return len(p.texts(there)) == 1 && len(p.texts("7")) == 1 })
	require.Equal(t, []string{"there"}, p.texts(there))
	require.Equal(t, []string{"here"}, p.texts("7"))
}

func TestNothingIsPostedToAClosedRoom(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	d.policy.Rooms = []string{"40"}
	closed, stranger := ipc.InRoom("7", "41"), ipc.InRoom("66", "40")
	d.addNotice(ipc.Notice{ID: "a", To: closed, Body: "secret", Markup: ipc.MarkupMarkdown})
	d.addNotice(ipc.Notice{ID: "b", To: stranger, Body: "secret", Markup: ipc.MarkupMarkdown})
	d.addNotice(ipc.Notice{ID: "c", To: ipc.InRoom("7", "40"), Body: "fine", Markup: ipc.MarkupMarkdown})
	runBridge(t, p, d, "", nil)
	d.until(func() bool { return len(d.acked) == 3 })
	require.Empty(t, p.texts(closed))
	require.Empty(t, p.texts(stranger))
	require.Equal(t, []string{"fine"}, p.texts(ipc.InRoom("7", "40")))
}
