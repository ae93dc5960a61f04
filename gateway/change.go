package gateway

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/timeline"
)

// maxChanges bounds the result of change.list.
const maxChanges = 100

// Change is what an approved change of one of the token's conversations did. Its texts are visible: see [ipc.Visible].
type Change struct {
	ID        string       `json:"id"`
	TaskID    string       `json:"taskId"`
	ChannelID string       `json:"channelId"`
	At        time.Time    `json:"at"`
	Goal      string       `json:"goal,omitempty"`
	TakesBack string       `json:"takesBack,omitempty"` // the change that this one took back
	TakenBack string       `json:"takenBack,omitempty"` // the one that took this one back
	CanUndo   bool         `json:"canUndo"`
	Steps     []ChangeStep `json:"steps"`
}

// ChangeStep is a command of a change, and how it ended.
type ChangeStep struct {
	Command string `json:"command"`
	State   string `json:"state"` // done, unproved, failed or skipped
}

// readChanges returns the changes of the token's conversations, the latest first.
func (c *call) readChanges(ctx context.Context) (own []ipc.Change, err error) {
	var all []ipc.Change
	if err := c.g.daemon.requests.Query(ctx, ipc.Query{What: "changes"}, &all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(ch ipc.Change) bool { return parseSession(ch.Session).Token != c.token.owner() }), nil
}

// changes answers change.list.
func (c *call) changes(ctx context.Context) (any, error) {
	own, err := c.readChanges(ctx)
	list := make([]Change, 0, len(own))
	for _, ch := range own[:min(len(own), maxChanges)] {
		shown := Change{
			ID: ch.ID, TaskID: ch.Task, ChannelID: parseSession(ch.Session).Channel, At: ch.Began, Goal: ipc.VisibleProse(ch.Goal),
			TakesBack: ch.TakesBack, TakenBack: ch.TakenBack, CanUndo: ch.TakenBack == "" && ch.TakesBack == "" && len(ch.Effects) > 0,
			Steps: make([]ChangeStep, len(ch.Steps)),
		}
		for i, s := range ch.Steps {
			shown.Steps[i] = ChangeStep{ipc.Visible(s.Command), s.State}
		}
		list = append(list, shown)
	}
	return map[string]any{"changes": list}, err
}

// undo serves change.undo: it takes a change back in the conversation that made it, which asks a person. It is answered
// like chat.send.
func (c *call) undo() {
	var p struct {
		ID     string `json:"id"`
		Change string `json:"change"`
	}
	if err := decodeParams(c.params, &p); err != nil {
		c.answer(nil, err)
		return
	}
	c.g.spawn(func() {
		ctx, cancel := context.WithTimeout(c.g.ctx, c.g.CallTime)
		defer cancel()
		own, err := c.readChanges(ctx)
		if err != nil {
			c.answer(nil, err)
			return
		}
		i := slices.IndexFunc(own, func(ch ipc.Change) bool { return strings.EqualFold(ch.ID, p.Change) })
		if i < 0 {
			c.answer(nil, newError(codeParams, ipc.CodeBadRequest, i18n.GatewayNoChange))
			return
		}
		of := parseSession(own[i].Session)
		m := chatMessage{
			ID: p.ID, AgentID: of.Agent, ChannelID: of.Channel, UserID: of.User, Text: ipc.UndoBody(own[i].ID),
			undo: ipc.UndoRequest(own[i].ID),
		}
		if err := m.check(); err != nil {
			c.answer(nil, err)
			return
		}
		c.sendMessage(m)
	})
}

// figures answers health.figures: what the daemon has measured.
func (c *call) figures(ctx context.Context) (any, error) {
	var f ipc.Figures
	err := c.g.daemon.requests.Query(ctx, ipc.Query{What: "figures"}, &f)
	return f, err
}

// maxEvents bounds the result of timeline.list.
const maxEvents = 200

// TimelineEvent is something that changed on this machine in the last seven days, by anyone.
type TimelineEvent struct {
	At     time.Time `json:"at"`
	Source string    `json:"source"` // pacman.log or journal
	Text   string    `json:"text"`
}

// timeline answers timeline.list, in the language of the parameter lang or the person's. It has neither the files nor what other
// conversations changed: the daemon does not tell them to programs.
func (c *call) timeline(ctx context.Context) (any, error) {
	var p struct {
		Lang string `json:"lang"`
	}
	if err := decodeParams(c.params, &p); err != nil {
		return nil, err
	}
	lang, known := i18n.Parse(p.Lang)
	if !known {
		lang = c.g.Lang
	}
	var t ipc.Timeline
	err := c.g.daemon.requests.Query(ctx, ipc.Query{What: "timeline", From: "week", Limit: maxEvents}, &t)
	list := make([]TimelineEvent, 0, len(t.Events))
	for _, e := range t.Events {
		said := timeline.Event{Kind: timeline.Kind(e.Kind), Object: e.Object, From: e.From, To: e.To}.Text(lang)
		list = append(list, TimelineEvent{e.At, e.Source, ipc.Visible(said)})
	}
	return map[string]any{"events": list, "unseen": append([]string{}, t.Unseen...)}, err
}
