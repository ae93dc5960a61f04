package daemon

import (
	"context"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// letter is a message from a remote sender: over the original protocol, which expects one line in return, or over
// a bridge, which fetches replies from the outbox.
type letter struct {
	from address
	text string
	// words reports that the text is the sender's own, not the name of an action.
	words bool
	lang  i18n.Lang
	// meant reports that the words can answer an open question: they were written in this chat after it was shown.
	meant bool
	// early reports that the words were written before the question was shown.
	early bool
	// aside reports that the message lacks the required prefix, so it only counts if it answers a question.
	aside bool
	// id identifies the message across channels, "" if the channel has no ids.
	id   string
	post post
}

// post replies to the sender of a message.
type post interface {
	// say answers the message. quote answers with text to show unchanged.
	say(body string)
	quote(body string)
	// again repeats an open question.
	again(r approval.Record, body string, whole bool)
	// ignore ends a message that is not meant for the assistant.
	ignore()
	// turn starts a turn with the message's words. Its answer begins with prefix.
	turn(ctx context.Context, prefix string)
	// live ends a message that answered the question of a waiting turn.
	live(w asked)
	// kept carries out an answer to a stored approval.
	kept(ctx context.Context, r approval.Record, action string)
}

// asked is a confirmation that waits for a remote sender. There is at most one per sender, because a sender's
// messages are processed one by one.
type asked struct {
	a    *approval.Approval
	turn asker
}

// asker is the client of a turn that can ask a remote sender.
type asker interface {
	client
	// hush discards what the turn sends next.
	hush()
}

// askedOf returns the question that waits for a sender. It is independent of the connection, because a bridge may
// reconnect between a question and its answer.
func (d *Daemon) askedOf(from address) asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[from]
}

func (d *Daemon) setAsked(from address, w asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[from] = w
}

// clearAsked removes an answered confirmation, but not a newer one.
func (d *Daemon) clearAsked(from address, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.asked[from]; w.a != nil && w.a.ID == id {
		delete(d.asked, from)
	}
}

// seen records whether a question has reached a conversation in which it was asked.
func (d *Daemon) seen(code, session string, seen bool) {
	if code == "" {
		return
	}
	if err := d.approvals.Seen(code, session, seen); err != nil {
		d.o.Log.Warn().Err(err).Str("approval", code).Msg("cannot save approval")
	}
}

// afarActions returns the choices of a question that was shown completely (whole) or in part.
func afarActions(whole bool) []string {
	if !whole {
		return []string{ipc.ActionReject}
	}
	return []string{ipc.ActionAllowOnce, ipc.ActionReject}
}

// fromAfar reports whether a channel's senders are asked in their chat, where a question may arrive late.
func fromAfar(channel string) bool {
	return channel == originalChannel || slices.Contains(ipc.Bridged, channel)
}

// askText returns a confirmation as a message for a sender's bridge.
func askText(to address, a approval.Record, body string, whole bool) outbox.Text {
	actions := afarActions(whole)
	if whole && a.Ask.Covers != "" {
		actions = slices.Insert(actions, 1, ipc.ActionAllowSession)
	}
	return outbox.Text{
		ID: "ask:" + a.ID, Channel: to.channel, To: to.to, Session: a.Ask.Session, Task: a.Task, Body: body, Markup: ipc.MarkupPlain,
		Approval: a.Ask.Code, Digest: a.Ask.Digest, Actions: actions, Lang: string(langOf(a)),
	}
}
