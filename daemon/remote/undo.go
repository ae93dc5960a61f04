package remote

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Undo handles the button of an answer about a change: it asks in this chat whether to take the change back, as the words
// for that do. It only counts for the sender whose conversation made the change, and once. It returns the text that
// confirms it, or why it is refused.
func (rm *Remote) Undo(ctx context.Context, r Request) (string, *ipc.Error) {
	var data ipc.Answer
	if err := r.Decode(&data); err != nil || data.Code == "" {
		return "", &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.BridgeNoChange.In(r.Lang)}
	}
	from := post.Address{Channel: r.Channel, To: addressIn(r.Channel, r.From)}
	if e := rm.checkSender(r, from.To); e != nil {
		return "", e
	}
	rm.life.MarkVisited()
	taking := rm.channelLocks[r.Channel]
	taking.Lock()
	defer taking.Unlock()
	if e := rm.checkChange(from, data.Code, r.Lang); e != nil {
		return "", e
	}
	if e := rm.submitUndo(ctx, from, data.Code, r.Lang); e != nil {
		return "", e
	}
	return i18n.BridgeUndoAsks.In(r.Lang), nil
}

// checkChange returns why the change of a sender's conversation that a button names cannot be taken back, or nil.
func (rm *Remote) checkChange(from post.Address, id string, lang i18n.Lang) *ipc.Error {
	rt, err := rm.settings.EnabledRuntime()
	if err != nil {
		return rm.settings.Failure(err, lang)
	}
	all, err := rt.Gate.Changes()
	if err != nil {
		return rm.settings.Failure(err, lang)
	}
	known := false
	for _, r := range all {
		switch {
		case r.ID == id && r.Session == from.Key():
			known = true
		case known && r.TakesBack == id && r.IsDone():
			return &ipc.Error{Code: ipc.CodeExpired, Message: i18n.BridgeUndone(r.ID).In(lang)}
		}
	}
	if !known {
		return &ipc.Error{Code: ipc.CodeDenied, Message: i18n.BridgeNoChange.In(lang)}
	}
	return nil
}

// submitUndo starts the task that takes a change back. Its words are those that a person can write, so that a later daemon
// reads them too.
func (rm *Remote) submitUndo(ctx context.Context, from post.Address, change string, lang i18n.Lang) *ipc.Error {
	once := "undo:" + change
	if _, known := rm.turns.ByMessageID(from.Channel, from.To, once); known {
		return &ipc.Error{Code: ipc.CodeExpired, Message: i18n.BridgeUndoAsked(change).In(lang)}
	}
	most := settings.RemotePolicy{}.QuestionsPerMinute()
	if rt := rm.settings.Current(); rt != nil {
		most = rt.Remote.QuestionsPerMinute()
	}
	if over, _ := rm.limiter.take(personOf(from), most); over {
		return &ipc.Error{Code: ipc.CodeBusy, Message: i18n.BridgeLimited(most).In(lang)}
	}
	req := ipc.Request{Undo: change}
	r := rm.turns.NewTask(from.Channel, from.To, i18n.UndoWords(change).In(lang), req, lang)
	r.MessageID = once
	return rm.turns.Accept(ctx, r, req, &bridgeTurn{d: rm, rec: r, lang: lang}, func() {})
}
