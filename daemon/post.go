package daemon

import (
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/ipc"
)

// Post delivers messages to people and events to subscribers.
type Post struct {
	outbox *outbox.Box
	events *events
	log    zerolog.Logger
	wake   func(channel string) // wakes a channel's bridge, may be nil
	// delay delivers the messages that become deliverable at a time, show shows those for the desktop. Both are nil
	// without automations.
	delay func(time.Time)
	show  func()
}

// wakeBridge wakes a channel's bridge, because a message waits for it.
func (p *Post) wakeBridge(channel string) {
	if p.wake != nil && slices.Contains(ipc.Bridged, channel) {
		p.wake(channel)
	}
}

// address is a recipient: an address in a channel.
type address struct{ channel, to string }

// key returns the conversation of an address.
func (a address) key() string { return keyOf(a.channel, a.to) }

// keyOf returns the conversation of an address in a channel.
func keyOf(channel, to string) string { return session.Key(agentID, channel, to) }

// atTheMachine lists the channels of local clients, which only the machine's owner uses. Answers over any other
// channel are remote.
var atTheMachine = []string{"cli", "tui", "desktop"}

// notify puts a message into the outbox and reports whether it is there.
func (p *Post) notify(t outbox.Message) bool {
	if err := p.outbox.Put(t); err != nil {
		p.log.Error().Err(err).Str("task", t.Task).Msg("cannot save notification")
		return false
	}
	if t.NotBefore.After(time.Now()) {
		if p.delay != nil {
			p.delay(t.NotBefore)
		}
		return true
	}
	p.events.publish(topicNotifications, noticeOf(t))
	p.wakeBridge(t.Channel)
	if p.show != nil {
		p.show()
	}
	return true
}

func noticeOf(t outbox.Message) ipc.Notice {
	n := ipc.Notice{
		ID: t.ID, Channel: t.Channel, To: t.To, Session: t.Session, Task: t.Task, Body: t.Body, Created: t.Created,
		Markup: t.Markup, Re: t.Re, Approval: t.Approval, Digest: t.Digest, Actions: t.Actions, Lang: t.Lang,
	}
	for _, f := range t.Files {
		n.Files = append(n.Files, ipc.NoticeFile(f))
	}
	return n
}

// agentID is the agent's part of a session key. There is one agent.
const agentID = "main"

// nameIn returns the name of a session in its channel.
func nameIn(key, channel string) string {
	return strings.TrimPrefix(key, session.Key(agentID, channel, ""))
}
