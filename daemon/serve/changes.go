package serve

import (
	"context"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
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
