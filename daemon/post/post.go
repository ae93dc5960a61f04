// Package post delivers messages to people and events to subscribers.
package post

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
	Outbox *outbox.Box
	Events *events
	Log    zerolog.Logger
	Wake   func(channel string) // wakes a channel's bridge, may be nil
	// Delay delivers the messages that become deliverable at a time, show shows those for the desktop. Both are nil
	// without automations.
	Delay func(time.Time)
	Show  func()
	// Wait is called when an approval waits that no turn waits for. It may be nil.
	Wait func()
}

// PublishWaiting publishes an approval that no turn waits for.
func (p *Post) PublishWaiting(ask ipc.Ask) {
	p.Events.Publish(TopicApprovals, ask)
	if p.Wait != nil {
		p.Wait()
	}
}

// WakeBridge wakes a channel's bridge, because a message waits for it.
func (p *Post) WakeBridge(channel string) {
	if p.Wake != nil && slices.Contains(ipc.Bridged, channel) {
		p.Wake(channel)
	}
}

// Address is a recipient: an address in a channel.
type Address struct{ Channel, To string }

// Key returns the conversation of an address.
func (a Address) Key() string { return KeyOf(a.Channel, a.To) }

// KeyOf returns the conversation of an address in a channel.
func KeyOf(channel, to string) string { return session.Key(AgentID, channel, to) }

// AtTheMachine lists the channels of local clients, which only the machine's owner uses. Answers over any other
// channel are remote.
var AtTheMachine = []string{"cli", "tui", "desktop"}

// Notify puts a message into the outbox and reports whether it is there.
func (p *Post) Notify(t outbox.Message) bool {
	if err := p.Outbox.Put(t); err != nil {
		p.Log.Error().Err(err).Str("task", t.Task).Msg("cannot save notification")
		return false
	}
	if t.NotBefore.After(time.Now()) {
		if p.Delay != nil {
			p.Delay(t.NotBefore)
		}
		return true
	}
	p.Events.Publish(TopicNotifications, NoticeOf(t))
	p.WakeBridge(t.Channel)
	if p.Show != nil {
		p.Show()
	}
	return true
}

func NoticeOf(t outbox.Message) ipc.Notice {
	n := ipc.Notice{
		ID: t.ID, Channel: t.Channel, To: t.To, Session: t.Session, Task: t.Task, Body: t.Body, Created: t.Created,
		Markup: t.Markup, Re: t.Re, Approval: t.Approval, Digest: t.Digest, Actions: t.Actions, Change: t.Change, Lang: t.Lang,
	}
	for _, f := range t.Files {
		n.Files = append(n.Files, ipc.NoticeFile(f))
	}
	return n
}

// AgentID is the part of a session key for the agent that answers unless a message names another.
const AgentID = "main"

// NameIn returns the name of a session in its channel.
func NameIn(key, channel string) string {
	return strings.TrimPrefix(key, session.Key(session.AgentOf(key), channel, ""))
}

// OriginalChannel is the channel of peers that do not say hello.
const OriginalChannel = "bridge"

// WhatsAppChannel is the channel of the senders that original peers forward.
const WhatsAppChannel = "whatsapp"

// DesktopChannel is the channel of desktop notifications.
const DesktopChannel = "desktop"

const (
	// AutomationChannel is the channel of automations' tasks. Their answers go to the channels that the rule
	// names.
	AutomationChannel = "automation"
)

// MCPChannel is the channel of MCP clients, whose calls belong to no turn.
const MCPChannel = "mcp"
