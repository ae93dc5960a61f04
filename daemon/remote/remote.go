// Package remote serves people who write over a messenger's bridge or the original protocol: who of them may write, to
// which open question their words are the answer, and how answers reach them although a bridge may be away.
package remote

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
)

// Remote serves people who write over a bridge or the original protocol.
type Remote struct {
	settings  *settings.Settings
	life      *life.Life
	post      *post.Post
	turns     *turns.Turns
	approvals *approval.Approvals
	files     *files.Files
	Pairings  *Pairings
	rules     Snoozer
	log       zerolog.Logger

	limiter      *rateLimiter
	channelLocks map[string]*sync.Mutex // serializes the messages of each channel
	questions    questions
}

// Options make a [Remote].
type Options struct {
	Settings  *settings.Settings
	Life      *life.Life
	Post      *post.Post
	Turns     *turns.Turns
	Approvals *approval.Approvals
	Files     *files.Files
	Rules     Snoozer
	Log       zerolog.Logger
}

// Snoozer mutes rules.
type Snoozer interface {
	// SnoozeReply handles a text that asks to mute the rule that reported something to an address.
	SnoozeReply(channel, name, text string, lang i18n.Lang) (reply string, ok bool)
}

// New returns what serves remote senders.
func New(o Options) *Remote {
	paired := pairing.New(filepath.Join(o.Settings.Home, "pairing.json"), time.Now)
	rm := &Remote{
		settings: o.Settings, life: o.Life, post: o.Post, turns: o.Turns, approvals: o.Approvals, files: o.Files, rules: o.Rules, log: o.Log,
		Pairings: &Pairings{pairings: paired, settings: o.Settings, post: o.Post, log: o.Log},
		limiter:  newRateLimiter(time.Now), channelLocks: map[string]*sync.Mutex{},
		questions: questions{open: map[post.Address]pendingQuestion{}},
	}
	for _, channel := range ipc.Bridged {
		rm.channelLocks[channel] = &sync.Mutex{}
	}
	return rm
}

// inboundMessage is a message from a remote sender: over the original protocol, which expects one line in return,
// or over a bridge, which fetches replies from the outbox.
type inboundMessage struct {
	from post.Address
	text string
	// isText reports that the text is the sender's own, not the name of an action.
	isText bool
	lang   i18n.Lang
	// canAnswer reports that the words can answer an open question: they were written in this chat after it was
	// shown.
	canAnswer bool
	// early reports that the words were written before the question was shown.
	early bool
	// unprefixed reports that the message lacks the required prefix, so it only counts if it answers a question.
	unprefixed bool
	// id identifies the message across channels, "" if the channel has no ids.
	id        string
	responder responder
}

// responder replies to the sender of a message.
type responder interface {
	// Reply answers the message. replyPlain answers with text to show unchanged.
	reply(body string)
	replyPlain(body string)
	// RepeatQuestion repeats an open question.
	repeatQuestion(r approval.Record, body string, whole bool)
	// ignore ends a message that is not meant for the assistant.
	ignore()
	// startTurn starts a turn with the message's words. Its answer begins with prefix.
	startTurn(ctx context.Context, prefix string)
	// confirmLive ends a message that answered the question of a waiting turn.
	confirmLive(w pendingQuestion)
	// answerStored carries out an answer to a stored approval.
	answerStored(ctx context.Context, r approval.Record, action string)
}

// pendingQuestion is a confirmation that waits for a remote sender. There is at most one per sender, because a
// sender's messages are processed one by one.
type pendingQuestion struct {
	a    *approval.Approval
	turn questionClient
}

// questionClient is the client of a turn that can ask a remote sender.
type questionClient interface {
	turns.Client
	turns.MutedClient
}

// questions are the questions that wait for remote senders, independent of the connection, because a bridge may
// reconnect between a question and its answer.
type questions struct {
	mu   sync.Mutex
	open map[post.Address]pendingQuestion
}

func (q *questions) get(from post.Address) pendingQuestion {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open[from]
}

func (q *questions) set(from post.Address, w pendingQuestion) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open[from] = w
}

// clear removes an answered question, but not a newer one.
func (q *questions) clear(from post.Address, id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.open[from]; w.a != nil && w.a.ID == id {
		delete(q.open, from)
	}
}

// askText returns a confirmation as a message for a sender's bridge.
func askText(to post.Address, a approval.Record, body string, whole bool) outbox.Message {
	actions := chat.Actions(whole)
	if whole && a.Ask.Covers != "" {
		actions = slices.Insert(actions, 1, ipc.ActionAllowSession)
	}
	return outbox.Message{
		ID: "ask:" + a.ID, Channel: to.Channel, To: to.To, Session: a.Ask.Session, Task: a.Task, Body: body, Markup: ipc.MarkupPlain,
		Approval: a.Ask.Code, Digest: a.Ask.Digest, Actions: actions, Lang: string(a.Language()),
	}
}
