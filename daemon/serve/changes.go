package serve

import (
	"cmp"
	"context"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/timeline"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// queryChanges returns what approved changes did, the latest first: those of a task, or those of the peer's channel. A
// limit bounds how many.
func (c *peerConn) queryChanges(_ context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	from, to, ok := action.DaySpan(q.Since, time.Now())
	if !ok {
		return nil, settings.BadQuery{Text: i18n.ErrDay(q.Since), Hint: i18n.ErrDayHint}
	}
	all, err := rt.Gate.Changes()
	if err != nil {
		return nil, err
	}
	takenBack := receipt.TakenBack(all)
	list := []ipc.Change{}
	for i := len(all) - 1; i >= 0 && (q.Limit <= 0 || len(list) < q.Limit); i-- {
		r := all[i]
		if q.Task != "" && r.Task != q.Task || c.visibleChannel() != "" && r.Channel != c.visibleChannel() {
			continue
		}
		if !from.IsZero() && (r.Began.Before(from) || !r.Began.Before(to)) {
			continue
		}
		change := changeOf(r)
		change.TakenBack = takenBack[r.ID]
		list = append(list, change)
	}
	return list, nil
}

// queryTimeline returns what changed on this machine on a day, or all that is known, the latest first, with a thing what is
// about that.
func (c *peerConn) queryTimeline(ctx context.Context, q ipc.Query) (any, error) {
	from, to, ok := action.DaySpan(cmp.Or(q.From, q.Since), time.Now())
	if !ok {
		return nil, settings.BadQuery{Text: i18n.ErrDay(cmp.Or(q.From, q.Since)), Hint: i18n.ErrDayHint}
	}
	if q.From != "" {
		to = time.Time{}
	}
	if !action.IsObject(q.Name) {
		return nil, settings.BadQuery{Text: i18n.ErrNoThing(q.Name), Hint: i18n.ErrNoThingHint}
	}
	events, unseen, err := c.s.past.Events(ctx, timeline.Span{From: from, To: to}, q.Name, tools.Origin{Channel: c.visibleChannel()}, "")
	if err != nil {
		return nil, err
	}
	if q.Limit > 0 {
		events = events[:min(q.Limit, len(events))]
	}
	t := ipc.Timeline{Events: []ipc.TimelineEvent{}, Unseen: []string{}}
	for _, e := range events {
		t.Events = append(t.Events, ipc.TimelineEvent{
			At: e.At.UTC(), Until: e.Until, Source: string(e.Source), Kind: string(e.Kind), Object: e.Object, From: e.From, To: e.To,
			Row: e.Row(c.language()), Lines: e.Lines,
		})
	}
	for _, s := range unseen {
		t.Unseen = append(t.Unseen, string(s))
	}
	return t, nil
}

// queryMisses returns what the built-in helper did not understand, the latest first.
func (c *peerConn) queryMisses(_ context.Context, _ ipc.Query) (any, error) {
	all, err := (&offline.Misses{Path: config.Paths{Home: c.s.settings.Home}.Misses()}).List()
	list := []ipc.Miss{}
	for _, m := range all {
		list = append(list, ipc.Miss{At: m.At, Text: m.Text})
	}
	return list, err
}

// queryFigures returns what was measured of the machine's health.
func (c *peerConn) queryFigures(ctx context.Context, _ ipc.Query) (any, error) {
	return c.s.figures.Report(ctx)
}

func changeOf(r receipt.Receipt) ipc.Change {
	change := ipc.Change{
		ID: r.ID, Task: r.Task, Channel: r.Channel, Session: r.Session, Automation: r.Automation, Began: r.Began,
		Goal: r.Goal, TakesBack: r.TakesBack, Steps: []ipc.PlanStep{}, Effects: []ipc.Effect{},
	}
	for i, s := range r.Steps {
		change.Steps = append(change.Steps, ipc.PlanStep{
			Number: i + 1, Of: len(r.Steps), ID: s.ID, Command: s.Command, Looks: s.Looks, State: string(s.State),
		})
	}
	for _, e := range r.Effects() {
		change.Effects = append(change.Effects, ipc.Effect{Kind: string(e.Kind), Name: e.Name, Before: e.Before, After: e.After})
	}
	return change
}
