package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
)

const (
	// lateReminder is how late a reminder says when it was due.
	lateReminder = time.Minute
	// remindAgain is the snooze of a reminder's button.
	remindAgain = 10 * time.Minute
	// storeAgain is when a reminder that could not be stored is stored again, as on a full disk.
	storeAgain = 30 * time.Second
	// maxRuleName limits the names of rules, in characters.
	maxRuleName = 64
)

// remind sends a reminder. Its run ends only when the message is in the outbox, which accepts each run's message once. A
// single reminder is removed in between: if the daemon dies, [automation.Scheduler.Retry] knows that it was sent.
func (a *Automations) remind(run automation.Run, rule automation.Rule) {
	text := i18n.ReminderSays(rule.Say).In(a.langOf(rule))
	if run.Started.Sub(run.Due) >= lateReminder {
		text += "\n" + i18n.ReminderLate(a.dueText(run.Due, a.langOf(rule))).In(a.langOf(rule))
	}
	for !a.announce(rule, outbox.Message{ID: "run:" + run.ID, Body: text, Remind: true, Lang: string(a.langOf(rule))}, nil) {
		select {
		case <-a.life.RunCtx.Done():
			return // the next daemon sends it
		case <-time.After(storeAgain):
		}
	}
	if rule.IsOnce() && run.Event != automation.Manual {
		a.removeOver(rule)
	}
	a.endRun(run.ID, automation.Outcome{Fired: true, Text: rule.Say})
}

// removeOver removes a rule that ran for the only time. The history keeps its runs. If it cannot be removed, the ledger
// keeps it from running again.
func (a *Automations) removeOver(rule automation.Rule) {
	err := a.files.managed.Remove(context.WithoutCancel(a.life.RunCtx), rule.Name)
	if err != nil && !errors.Is(err, automation.ErrUnknownRule) {
		a.log.Warn().Err(err).Str("automation", rule.Name).Msg("cannot remove a reminder")
		return
	}
	a.LoadRules()
}

// dueText returns when a reminder was due: the time of day, with the date unless it is today.
func (a *Automations) dueText(due time.Time, lang i18n.Lang) string {
	due, now := due.In(a.machine.Zone()), a.machine.Now().In(a.machine.Zone())
	clock := i18n.Clock(lang, due.Hour(), due.Minute())
	if due.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return clock
	}
	return due.Format(time.DateOnly) + " " + clock
}

// remindLater makes a new reminder of one that was sent, and returns when it is due.
func (a *Automations) remindLater(sent automation.Run, after time.Duration) (time.Time, error) {
	due := a.machine.Now().Add(after).Truncate(time.Second)
	r := automation.NewRule("")
	r.At, r.Say, r.Notify = due.In(a.machine.Zone()).Format(time.RFC3339), sent.Say, sent.Notify
	r.Language = sent.Language
	err := automation.ErrExists
	for i := 1; errors.Is(err, automation.ErrExists) && i < 100; i++ {
		r.Name = numberedName(sent.Rule, i)
		err = a.files.managed.Add(context.WithoutCancel(a.life.RunCtx), r)
	}
	if err != nil {
		return due, err
	}
	a.LoadRules()
	a.life.Serving.Go(a.arrangeWake)
	return due, nil
}

// putOff changes a single due time so that it is not before the end of a snooze, which would lose it.
func (a *Automations) putOff(ctx context.Context, r automation.Rule, due time.Time, long time.Duration) (time.Time, error) {
	until := a.machine.Now().Add(long).Truncate(time.Second)
	if !until.After(due) {
		return due, nil
	}
	r.At = until.In(a.machine.Zone()).Format(time.RFC3339)
	err := a.files.managed.Replace(ctx, r)
	if err == nil {
		a.LoadRules()
		a.life.Serving.Go(a.arrangeWake)
	}
	return until, err
}

// numberedName returns the i-th name like another: laundry, laundry 2, laundry 3.
func numberedName(name string, i int) string {
	if i == 1 {
		return name
	}
	end := fmt.Sprintf(" %d", i)
	rs := []rune(strings.TrimRightFunc(name, func(r rune) bool { return unicode.IsDigit(r) || r == ' ' }))
	if len(rs) == 0 {
		rs = []rune(name)
	}
	return strings.TrimSpace(string(rs[:min(len(rs), maxRuleName-len(end))])) + end
}

// lastReminder returns the reminder that was last sent to an address within a day.
func (a *Automations) lastReminder(to post.Address) (automation.Run, bool) {
	for _, r := range a.runs.ledger.History("", 0) {
		switch {
		case r.Say == "" || !r.Fired || a.machine.Now().Sub(r.Ended) > 24*time.Hour:
		case slices.Contains(post.AtTheMachine, to.Channel), slices.Contains(a.addresses(automation.Rule{Notify: r.Notify}), to):
			return r, true
		}
	}
	return automation.Run{}, false
}
