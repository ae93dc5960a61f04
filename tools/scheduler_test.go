package tools_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
)

// timetable is a [action.AutomationStore] in memory. Each automation is due at nine.
type timetable struct {
	rules  []action.Automation
	from   tools.Origin // of the automation added last
	silent time.Duration
	fail   error
}

var seoul = time.FixedZone("KST", 9*60*60)

func (b *timetable) List(context.Context) ([]action.Automation, error) {
	return slices.Clone(b.rules), nil
}

func (b *timetable) at(name string) int {
	return slices.IndexFunc(b.rules, func(a action.Automation) bool { return a.Name == name })
}

func (b *timetable) Preview(_ context.Context, c action.AutomationChange) (action.Automation, error) {
	a := action.Automation{Name: c.Name, Enabled: true, AutomationTimes: action.AutomationTimes{Next: []time.Time{
		time.Date(2026, 2, 21, 9, 0, 0, 0, seoul), time.Date(2026, 2, 22, 9, 0, 0, 0, seoul), time.Date(2026, 2, 23, 9, 0, 0, 0, seoul),
	}}}
	if i := b.at(c.Name); i >= 0 {
		a = b.rules[i]
	}
	if strings.Contains(c.Schedule, "soon") {
		return a, fmt.Errorf("%q is no schedule", c.Schedule)
	}
	for _, part := range []struct{ from, to *string }{{&c.Schedule, &a.Schedule}, {&c.Action, &a.Action}, {&c.Check, &a.Check}} {
		if *part.from != "" {
			*part.to = *part.from
		}
	}
	if c.Threshold != nil {
		a.Threshold = c.Threshold
	}
	if c.Enabled != nil {
		a.Enabled = *c.Enabled
	}
	if c.Notify != nil {
		a.Notify = c.Notify
	}
	a.When = "every day at 09:00"
	return a, nil
}

func (b *timetable) Add(ctx context.Context, c action.AutomationChange, from tools.Origin) (action.Automation, error) {
	a, err := b.Preview(ctx, c)
	if err = errors.Join(err, b.fail); err != nil {
		return action.Automation{}, err
	}
	if a.Notify == nil {
		a.Notify = []string{from.Channel}
	}
	b.from, b.rules = from, append(b.rules, a)
	return a, nil
}

func (b *timetable) Change(ctx context.Context, c action.AutomationChange) (action.Automation, error) {
	a, err := b.Preview(ctx, c)
	b.rules[b.at(c.Name)] = a
	return a, err
}

func (b *timetable) Remove(_ context.Context, name string) error {
	i := b.at(name)
	b.rules = slices.Delete(b.rules, i, i+1)
	return nil
}

func (b *timetable) Snooze(_ context.Context, name string, long time.Duration) (time.Time, error) {
	b.silent = long
	until := time.Date(2026, 2, 20, 9, 0, 0, 0, seoul).Add(long)
	b.rules[b.at(name)].Snoozed = until
	return until, nil
}

// newScheduleGate returns a gate with a timetable that has a disk check.
func newScheduleGate(t *testing.T, change ...func(*tools.Options)) (*testGate, *timetable) {
	bound := 90.0
	b := &timetable{rules: []action.Automation{
		{
			Name: "디스크 확인", Schedule: "0 9 * * *", When: "every day at 09:00", Action: "디스크 확인해줘", Notify: []string{"desktop"}, Enabled: true,
			AutomationTimes: action.AutomationTimes{
				Next: []time.Time{time.Date(2026, 2, 21, 9, 0, 0, 0, seoul)}, LastRun: time.Date(2026, 2, 20, 9, 0, 0, 0, seoul), LastResult: "RAN",
			},
		},
		{Name: "disk-watch", On: []string{"boot"}, Schedule: "*/30 * * * *", When: "every 30 minutes; at boot", Check: "disk", Threshold: &bound, Enabled: true},
	}}
	return newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) { o.Services.Automations = b }}, change...)...), b
}
