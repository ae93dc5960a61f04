package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Remote serves people who write over a bridge or the original protocol.
type Remote struct {
	settings *settings.Settings
	life     *life.Life
	post     *post.Post
	turns    *Turns
	stored   *Stored
	files    *Files
	rules    *automations // nil if disabled
	log      zerolog.Logger

	limiter      *rateLimiter
	channelLocks map[string]*sync.Mutex // serializes the messages of each channel
	questions    questions
}

func newRemote(d *Daemon) *Remote {
	rm := &Remote{
		settings: d.settings, life: d.life, post: d.post, turns: d.turns, stored: d.stored, files: d.files, log: d.o.Log,
		limiter: newRateLimiter(time.Now), channelLocks: map[string]*sync.Mutex{}, questions: questions{open: map[post.Address]pendingQuestion{}},
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
	// reply answers the message. replyPlain answers with text to show unchanged.
	reply(body string)
	replyPlain(body string)
	// repeatQuestion repeats an open question.
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
	client
	// mute discards what the turn sends next.
	mute()
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

// markSeen records whether a question has reached a conversation in which it was asked.
func (sa *Stored) markSeen(code, session string, markSeen bool) {
	if code == "" {
		return
	}
	if err := sa.ts.approvals.MarkSeen(code, session, markSeen); err != nil {
		sa.ts.log.Warn().Err(err).Str("approval", code).Msg("cannot save approval")
	}
}

// remoteActions returns the choices of a question that was shown completely (whole) or in part.
func remoteActions(whole bool) []string {
	if !whole {
		return []string{ipc.ActionReject}
	}
	return []string{ipc.ActionAllowOnce, ipc.ActionReject}
}

// isRemote reports whether a channel's senders are asked in their chat, where a question may arrive late.
func isRemote(channel string) bool {
	return channel == post.OriginalChannel || slices.Contains(ipc.Bridged, channel)
}

// askText returns a confirmation as a message for a sender's bridge.
func askText(to post.Address, a approval.Record, body string, whole bool) outbox.Message {
	actions := remoteActions(whole)
	if whole && a.Ask.Covers != "" {
		actions = slices.Insert(actions, 1, ipc.ActionAllowSession)
	}
	return outbox.Message{
		ID: "ask:" + a.ID, Channel: to.Channel, To: to.To, Session: a.Ask.Session, Task: a.Task, Body: body, Markup: ipc.MarkupPlain,
		Approval: a.Ask.Code, Digest: a.Ask.Digest, Actions: actions, Lang: string(langOf(a)),
	}
}
