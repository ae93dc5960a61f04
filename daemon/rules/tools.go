package rules

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
)

// List returns all rules, ordered by name.
func (a *Automations) List(context.Context) ([]action.Automation, error) {
	rules := []action.Automation{}
	for _, p := range a.All() {
		rules = append(rules, a.toolAutomation(p))
	}
	sorting.By(rules, func(x, y action.Automation) int { return cmp.Compare(x.Name, y.Name) })
	return rules, nil
}

// toolAutomation returns a rule as the tools show it.
func (a *Automations) toolAutomation(p automation.ScheduledRule) action.Automation {
	x := action.Automation{
		Name: p.Name, Schedule: p.Schedule, At: p.At, Say: p.Say, On: p.On, When: scheduleWords(p.Rule, a.langOf(p.Rule), a.machine.Zone()), Action: p.Action, Check: p.Check, Threshold: p.Over,
		Notify: p.Notify, Language: p.Language, Enabled: p.Enabled,
	}
	for _, lang := range i18n.Languages {
		if name := i18n.RuleName(p.Name, lang); name != p.Name {
			x.Translations = append(x.Translations, name)
		}
	}
	if p.AutoApply && a.files.signed.Signed(p.Rule) {
		x.SignedCommands = p.Commands
	}
	if p.Enabled && p.Times != nil {
		after := a.machine.Now()
		for range 2 {
			due, ok := p.Times.Next(after, a.machine.Zone())
			if !ok {
				break
			}
			x.Next, after = append(x.Next, due.In(a.machine.Zone())), due
		}
	}
	x.Snoozed, _ = a.conditions.load(p.Rule).Watch.Snoozed(a.machine.Now())
	if last, ok := a.runs.ledger.Latest(p.Name); ok {
		x.LastRun, x.LastResult = last.Due, string(last.State)
	}
	return x
}

// errOff reports that a rule would never run.
var errOff = errors.New("automations are switched off: set [automations] enabled = true in config.toml")

// changedRule applies a change to a rule and checks the result.
func (a *Automations) changedRule(ctx context.Context, c action.AutomationChange) (automation.ScheduledRule, error) {
	if rt := a.settings.Current(); rt != nil && !rt.Config.Automations {
		return automation.ScheduledRule{}, errOff
	}
	p, known := a.rule(c.Name)
	r := p.Rule
	if !known {
		r = automation.NewRule(c.Name)
		r.Notify, r.Language = nil, a.otherLanguage(i18n.Lang(c.Language))
	}
	r.Schedule, r.Action, r.Check = cmp.Or(c.Schedule, r.Schedule), cmp.Or(c.Action, r.Action), cmp.Or(c.Check, r.Check)
	r.Say = cmp.Or(c.Say, r.Say)
	if err := a.setMoment(&r, c.At); err != nil {
		return automation.ScheduledRule{}, err
	}
	if err := a.setEvent(ctx, &r, c.On); err != nil {
		return automation.ScheduledRule{}, err
	}
	if !known && r.At != "" && r.Say+r.Action+r.Check == "" {
		r.Say = i18n.ReminderText.In(a.langOf(r))
	}
	if c.Threshold != nil {
		r.Over = c.Threshold
	}
	if c.Notify != nil {
		r.Notify = c.Notify
	}
	if c.Enabled != nil {
		r.Enabled = *c.Enabled
	}
	return a.checkRule(r)
}

// otherLanguage returns the language of a new rule's messages for a person's language: "" if it is the configured one.
func (a *Automations) otherLanguage(lang i18n.Lang) string {
	if _, known := i18n.Parse(string(lang)); !known || lang == a.settings.Lang() {
		return ""
	}
	return string(lang)
}

// checkRule validates a rule and returns it with its due times.
func (a *Automations) checkRule(r automation.Rule) (automation.ScheduledRule, error) {
	p := automation.ScheduledRule{Rule: r}
	if err := a.files.managed.Files.Check(r); err != nil {
		return p, err
	}
	times, err := r.Timetable()
	p.Times = times
	return p, err
}

// setMoment sets the single due time of a rule that a person or a model gives, which may be relative to now. A schedule
// and a single time replace each other.
func (a *Automations) setMoment(r *automation.Rule, at string) error {
	if at == "" {
		return nil
	}
	at, err := automation.ResolveMoment(at, a.machine.Now(), a.machine.Zone())
	if err == nil {
		r.At, r.Schedule = at, ""
	}
	return err
}

// setEvent sets the event that a reminder waits for, in its stored form, and what it says unless that is given.
func (a *Automations) setEvent(ctx context.Context, r *automation.Rule, on string) error {
	if on == "" || slices.Equal(r.On, []string{on}) {
		return nil
	}
	event, says, err := a.resolveWait(ctx, on, a.langOf(*r))
	if err != nil {
		return err
	}
	r.On, r.At, r.Schedule, r.Say = []string{event}, "", "", cmp.Or(r.Say, says)
	return nil
}

// Preview returns the rule that a change would create.
func (a *Automations) Preview(ctx context.Context, c action.AutomationChange) (action.Automation, error) {
	p, err := a.changedRule(ctx, c)
	return a.toolAutomation(p), err
}

// Add creates a rule, which notifies the person in the channel of the request.
func (a *Automations) Add(ctx context.Context, c action.AutomationChange, from tools.Origin) (action.Automation, error) {
	p, err := a.changedRule(ctx, c)
	if err != nil {
		return action.Automation{}, err
	}
	if len(p.Notify) == 0 {
		p.Notify = a.channelsFor(from)
	}
	if err := a.files.managed.Add(ctx, p.Rule); err != nil {
		return action.Automation{}, err
	}
	return a.reloadRule(p)
}

// channelsFor returns the channels of a new rule: the one of the request and the desktop.
func (a *Automations) channelsFor(from tools.Origin) []string {
	if from.Channel == post.OriginalChannel {
		return []string{post.WhatsAppChannel, post.DesktopChannel}
	}
	if slices.Contains(ipc.Bridged, from.Channel) {
		return []string{from.Channel, post.DesktopChannel}
	}
	return []string{post.DesktopChannel}
}

// reloadRule reads the rules again after a change and returns the changed one.
func (a *Automations) reloadRule(p automation.ScheduledRule) (action.Automation, error) {
	a.LoadRules()
	a.life.Serving.Go(a.arrangeWake)
	if now, ok := a.rule(p.Name); ok {
		p = now
	}
	return a.toolAutomation(p), nil
}

// Change applies a change to a rule.
func (a *Automations) Change(ctx context.Context, c action.AutomationChange) (action.Automation, error) {
	if _, known := a.rule(c.Name); !known {
		return action.Automation{}, a.unknown(c.Name)
	}
	p, err := a.changedRule(ctx, c)
	if err != nil {
		return action.Automation{}, err
	}
	if c.Enabled != nil && c.Schedule == "" && c.Action == "" && c.Check == "" && c.Threshold == nil && c.Notify == nil {
		err = a.files.managed.Enable(ctx, c.Name, *c.Enabled)
	} else {
		err = a.files.managed.Replace(ctx, p.Rule)
	}
	if err != nil {
		return action.Automation{}, err
	}
	return a.reloadRule(p)
}

// Remove deletes a rule.
func (a *Automations) Remove(ctx context.Context, name string) error {
	err := a.files.managed.Remove(ctx, name)
	if err == nil {
		_, err = a.reloadRule(automation.ScheduledRule{})
	}
	return err
}

// Snooze mutes a rule for a duration. 0 ends that.
func (a *Automations) Snooze(ctx context.Context, name string, long time.Duration) (time.Time, error) {
	p, known := a.rule(name)
	if !known {
		return time.Time{}, a.unknown(name)
	}
	if m, err := automation.ParseMoment(p.At); err == nil {
		return a.putOff(ctx, p.Rule, m.In(a.machine.Zone()), long)
	}
	return a.conditions.snooze(name, long), nil
}

// parseError reports a value that cannot be parsed.
type parseError struct{ name, text, example string }

func (m *parseError) Error() string { return "cannot parse " + m.name + ": " + m.text }

// editTyped changes a rule as a client typed it.
func (a *Automations) editTyped(ctx context.Context, ch ipc.AutomationChange) error {
	p, _ := a.rule(ch.Name)
	return a.saveTyped(ctx, p.Rule, ch, func(r automation.Rule) error { return a.files.managed.Replace(ctx, r) })
}

// addTyped creates a rule as a client typed it.
func (a *Automations) addTyped(ctx context.Context, ch ipc.AutomationChange) error {
	return a.saveTyped(ctx, automation.NewRule(ch.Name), ch, func(r automation.Rule) error { return a.files.managed.Add(ctx, r) })
}

// saveTyped parses a client's values into a rule and stores it with keep.
func (a *Automations) saveTyped(ctx context.Context, r automation.Rule, ch ipc.AutomationChange, keep func(automation.Rule) error) error {
	r.Schedule, r.Action, r.Check = cmp.Or(ch.Schedule, r.Schedule), cmp.Or(ch.Action, r.Action), cmp.Or(ch.Check, r.Check)
	r.Say, r.Once = cmp.Or(ch.Say, r.Say), ch.Once || r.Once
	if err := a.setMoment(&r, ch.At); err != nil {
		return err
	}
	r.Language, r.BudgetUSD, r.Over = cmp.Or(ch.Language, r.Language), cmp.Or(ch.Budget, r.BudgetUSD), cmp.Or(ch.Over, r.Over)
	for i, on := range ch.On {
		event, says, err := a.resolveWait(ctx, on, a.langOf(r))
		var odd *automation.EventError
		if errors.As(err, &odd) {
			continue // reported with the rule
		}
		if err != nil {
			return err
		}
		ch.On[i], r.Say = event, cmp.Or(r.Say, says)
	}
	for _, list := range []struct {
		typed []string
		to    *[]string
	}{{ch.On, &r.On}, {ch.Paths, &r.Paths}, {ch.Notify, &r.Notify}} {
		if len(list.typed) > 0 {
			*list.to = list.typed
		}
	}
	r.CatchUp = cmp.Or(automation.CatchUp(ch.CatchUp), r.CatchUp)
	for _, d := range []struct {
		name, text string
		to         *time.Duration
	}{{"within", ch.Within, &r.Within}, {"timeout", ch.Timeout, &r.Timeout}, {"jitter", ch.Jitter, &r.Jitter}} {
		if d.text == "" {
			continue
		}
		var err error
		if *d.to, err = automation.ParseDuration(d.text); err != nil {
			return &parseError{d.name, d.text, "90m, 36h, 14d"}
		}
	}
	if ch.Quiet != "" {
		var err error
		if r.Quiet, err = automation.ParseQuiet(ch.Quiet); err != nil {
			return &parseError{"quiet", ch.Quiet, "23:00-07:00"}
		}
	}
	if _, err := a.checkRule(r); err != nil {
		return err
	}
	return keep(r)
}
