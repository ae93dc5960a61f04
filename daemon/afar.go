package daemon

import (
	"context"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// letter is what somebody wrote from afar: over a bridge that says no hello, which
// waits for one line, or over one that keeps what is said until it is told.
type letter struct {
	from address
	text string
	// words reports a person's own words, not the name of an action.
	words bool
	lang  i18n.Lang
	// meant reports that the words can be an answer to what waits: they were first
	// said here, after it was shown.
	meant bool
	// early reports words that were written before what waits was shown.
	early bool
	// aside reports that the words are for us only where they answer something.
	aside bool
	// id is the channel's own of the message; "" for none.
	id   string
	post post
}

// post is how who wrote a letter is told.
type post interface {
	// say answers the letter; quote with text that is to be shown as it is.
	say(body string)
	quote(body string)
	// again shows the question that waits once more.
	again(r approval.Record, body string, whole bool)
	// ignore ends a letter that is not for us.
	ignore()
	// turn begins a turn with the letter's words; what it says comes behind a prefix.
	turn(ctx context.Context, prefix string)
	// live ends a letter that answered a question a turn waits with.
	live(w asked)
	// kept carries out an answer to a question that no turn waits with.
	kept(ctx context.Context, r approval.Record, action string)
}

// asked is the confirmation that waits for somebody who writes from afar. There is
// at most one, because a sender's messages are worked on one after the other.
type asked struct {
	a    *approval.Approval
	turn asker
}

// asker is the client of a turn that asks who writes from afar.
type asker interface {
	client
	// hush has nobody told what the turn says next.
	hush()
}

// askedOf returns what waits for a sender, on whatever connection: a bridge
// may reconnect between a question and its answer.
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

// clearAsked forgets an answered confirmation, but not a newer one.
func (d *Daemon) clearAsked(from address, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.asked[from]; w.a != nil && w.a.ID == id {
		delete(d.asked, from)
	}
}

// seen notes whether a question has reached a conversation in which it was asked.
func (d *Daemon) seen(code, session string, seen bool) {
	if code == "" {
		return
	}
	if err := d.approvals.Seen(code, session, seen); err != nil {
		d.o.Log.Warn().Err(err).Str("approval", code).Msg("whether a question was seen is not on the disk")
	}
}

// afarActions are the choices of a question, of which the whole was shown or
// a part.
func afarActions(whole bool) []string {
	if !whole {
		return []string{ipc.ActionReject}
	}
	return []string{ipc.ActionAllowOnce, ipc.ActionReject}
}

// fromAfar reports whether a channel's senders are asked in their chat, and may not
// have seen it yet.
func fromAfar(channel string) bool {
	return channel == originalChannel || slices.Contains(ipc.Bridged, channel)
}

// askText is a confirmation as it is put to a sender's bridge.
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
