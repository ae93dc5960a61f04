package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// notice reads the next event of the topic notifications.
func (p *peer) notice() ipc.Notice {
	p.t.Helper()
	var e struct {
		Topic string
		What  ipc.Notice
	}
	require.NoError(p.t, p.last(ipc.TypeEvent).Decode(&e))
	require.Equal(p.t, post.TopicNotifications, e.Topic)
	return e.What
}

func (p *peer) subscribe(topics ...string) {
	p.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: topics}))
}

// At least once, also after a restart, and only on its own channel.
func TestWhoIsPushedToGetsEachTextUntilItIsAcknowledged(t *testing.T) {
	h := open(t, doer)
	for _, body := range []string{"one", "two"} {
		require.NoError(t, h.post.Outbox.Put(outbox.Message{ID: body, Channel: "telegram", To: "me", Body: body}))
	}
	require.NoError(t, h.post.Outbox.Put(outbox.Message{ID: "other", Channel: "cli", Body: "not for a phone"}))
	p := h.connectAs("telegram")
	p.subscribe(post.TopicNotifications)
	require.Equal(t, "one", p.notice().Body)
	require.Equal(t, "two", p.notice().Body)
	require.NoError(t, h.post.Outbox.Put(outbox.Message{ID: "x", Channel: "telegram", Body: "no event was made of this"}))
	require.True(t, h.post.Notify(outbox.Message{ID: "three", Channel: "telegram", To: "me", Body: "three"}))
	require.Equal(t, "three", p.notice().Body)
	require.True(t, h.post.Notify(outbox.Message{ID: "desk", Channel: "cli", Body: "not for a phone"}))
	ack := func(p *peer, ids ...string) string {
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "a", Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: ids}))
		return p.last(ipc.TypeResult).Body
	}
	require.Equal(t, "1", ack(p, "one", "other", "never there"), "what is another channel's stays")
	p.Close()

	h.restart()
	p = h.connectAs("telegram")
	p.subscribe(post.TopicNotifications)
	for _, body := range []string{"two", "no event was made of this", "three"} {
		require.Equal(t, body, p.notice().Body)
	}
	require.Equal(t, "3", ack(p, "two", "x", "three"))
	require.Equal(t, "0", ack(p, "two"), "once")

	// Local clients see everything.
	desk := h.hello()
	desk.subscribe(post.TopicNotifications)
	require.Equal(t, "not for a phone", desk.notice().Body)
	require.Equal(t, "2", ack(desk, "other", "desk"))
	require.Empty(t, h.post.Outbox.Waiting(""))
}
