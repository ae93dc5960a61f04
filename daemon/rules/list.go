package rules

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
)

// Query lists the rules, or the named one.
func (a *Automations) Query(q ipc.Query, lang i18n.Lang) (list ipc.AutomationList, err error) {
	if q.Name == "" {
		return a.list(page(a.All(), q), lang), nil
	}
	p, known := a.rule(q.Name)
	if !known {
		return list, a.unknown(q.Name)
	}
	return a.list([]automation.ScheduledRule{p}, lang), nil
}

// maxProblems bounds how many problems are listed.
const maxProblems = 100

// page returns the part of a list that a client asks for.
func page[T any](list []T, q ipc.Query) []T {
	if q.Limit <= 0 {
		return list
	}
	from := min(max(q.Page-1, 0)*q.Limit, len(list))
	return list[from:min(from+q.Limit, len(list))]
}

// channelWithoutOwner returns a channel that a rule names but that has no address of the owner, or "".
func (a *Automations) channelWithoutOwner(r automation.Rule) string {
	for _, name := range r.Notify {
		if slices.Contains(ipc.Bridged, name) && len(a.owners(name)) == 0 {
			return name
		}
	}
	return ""
}

// WithoutLogin returns a messenger that a rule reports to but whose bridge has no account, or "". Messages to it wait
// for a login.
func WithoutLogin(home string, r automation.Rule) string {
	for _, target := range r.Notify {
		name, _, _ := strings.Cut(target, ":")
		if c, ok := channel.ByName(name); ok && c.Program != "" && !state.HasAccount(home, c) {
			return name
		}
	}
	return ""
}

// warnings returns why messages of an enabled rule do not reach anyone.
func (a *Automations) warnings(p automation.ScheduledRule, lang i18n.Lang) []string {
	if !p.Enabled {
		return nil
	}
	if name := a.channelWithoutOwner(p.Rule); name != "" {
		return []string{i18n.NoRecipient(p.Name, name).In(lang)}
	}
	if name := WithoutLogin(a.settings.Home, p.Rule); name != "" {
		return []string{i18n.AutomationNoLogin(p.Name, i18n.BridgeTitle(name), name).In(lang)}
	}
	return nil
}

// unknownAutomation reports a name without a rule, together with the existing names.
type unknownAutomation struct {
	name  string
	there []string
}

func (e *unknownAutomation) Error() string { return "no such automation: " + e.name }

func (a *Automations) unknown(name string) error {
	e := &unknownAutomation{name: name}
	for _, p := range a.All() {
		e.there = append(e.there, p.Name)
	}
	slices.Sort(e.there)
	return e
}

func (a *Automations) list(rules []automation.ScheduledRule, lang i18n.Lang) ipc.AutomationList {
	l := ipc.AutomationList{Automations: []ipc.Automation{}, Problems: []ipc.AutomationProblem{}, Files: []string{a.files.paths.Automations(), a.files.paths.ManagedAutomations()}}
	for _, p := range rules {
		l.Automations = append(l.Automations, a.ruleInfo(p, lang))
	}
	select {
	case <-a.wake.known:
	case <-a.life.RunCtx.Done():
	}
	if p := a.settings.ConfigProblemIn(a.blockingError(), lang); p != nil {
		l.Problems = append(l.Problems, ipc.AutomationProblem{File: p.File, Line: p.Line, Column: p.Column, Text: i18n.AutomationsUnconfigured(p.Problem).In(lang)})
	}
	l.Problems = append(l.Problems, a.RuleProblems(lang)...)
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	if a.set.canWake {
		l.Wakes = "timer"
	}
	return l
}

// RuleProblems returns the problems in the rule files.
func (a *Automations) RuleProblems(lang i18n.Lang) (rows []ipc.AutomationProblem) {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	for _, p := range a.set.problems {
		rows = append(rows, ipc.AutomationProblem{File: p.File, Line: p.Line, Column: p.Column, Rule: p.Rule, Text: p.Text(lang)})
	}
	for _, p := range a.set.rules {
		for _, text := range a.warnings(p, lang) {
			rows = append(rows, ipc.AutomationProblem{File: p.File, Line: p.Line, Rule: p.Name, Text: text})
		}
	}
	return rows[:min(len(rows), maxProblems)]
}

// blockingError returns the configuration error that keeps all rules from starting, or nil.
func (a *Automations) blockingError() error {
	if a.settings.Current() != nil {
		return nil
	}
	return a.settings.LastConfigError()
}

// ruleInfo returns a rule as a client shows it.
func (a *Automations) ruleInfo(p automation.ScheduledRule, lang i18n.Lang) ipc.Automation {
	x := ipc.Automation{
		Name: p.Name, Schedule: p.Schedule, At: p.At, On: p.On, Once: p.Once, Say: p.Say, When: scheduleWords(p.Rule, lang, a.machine.Zone()), Action: p.Action, Check: p.Check, Over: p.Over,
		Within: spanText(p.Within), Paths: p.Paths, Notify: append([]string{}, p.Notify...), AutoApply: p.AutoApply, Commands: p.Commands,
		Signed:  p.AutoApply && a.files.signed.Signed(p.Rule),
		Enabled: p.Enabled, CatchUp: string(p.CatchUp), Jitter: spanText(p.Jitter), Timeout: spanText(p.Timeout), BudgetUSD: p.BudgetUSD,
		Language: p.Language, Session: p.Session, File: p.File, Line: p.Line, Managed: p.Managed,
		Running: a.runs.scheduler.RunningID(p.Name) != "", Zone: a.machine.Zone().String(), Warnings: a.warnings(p, lang),
	}
	if p.Quiet != (automation.Quiet{}) {
		x.Quiet = p.Quiet.String()
	}
	next, ok := a.runs.scheduler.Next(p.Name)
	if a.blockingError() != nil {
		next, ok = a.nextPlanned(p)
	}
	if ok {
		x.Next = &next
	}
	if last, ok := a.runs.ledger.Latest(p.Name); ok {
		r := RunInfo(last, lang)
		x.Last = &r
	}
	l := a.conditions.load(p.Rule)
	if until, ok := l.Watch.Snoozed(a.machine.Now()); ok {
		x.Snoozed = &until
	}
	for _, f := range l.Watch.Firing() {
		x.Firing = append(x.Firing, f.Text(lang))
	}
	return x
}

func spanText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return automation.FormatDuration(d)
}

// scheduleWords describes when a rule starts.
func scheduleWords(r automation.Rule, lang i18n.Lang, zone *time.Location) string {
	var texts []string
	if s, err := automation.ParseSchedule(r.Schedule); err == nil && r.Schedule != "" {
		texts = append(texts, s.Words(lang))
	}
	if m, err := automation.ParseMoment(r.At); err == nil {
		texts = append(texts, m.Words(lang, zone))
	}
	for _, on := range r.On {
		if e, err := automation.ParseEvent(on); err == nil {
			texts = append(texts, e.Words(lang))
		}
	}
	return strings.Join(texts, ", ")
}

// runReason returns why a run ended as it did, or why it started.
func runReason(r automation.Run, lang i18n.Lang) string {
	if r.Reason == "" && r.Event == automation.Manual {
		return i18n.AutomationManual.In(lang)
	}
	if e, err := automation.ParseEvent(r.Event); r.Reason == "" && r.Event != "" && err == nil {
		return e.Words(lang)
	}
	return i18n.AutomationReason(lang, r.Reason)
}

// RunInfo returns a run as a client shows it.
func RunInfo(r automation.Run, lang i18n.Lang) ipc.AutomationRun {
	x := ipc.AutomationRun{
		ID: r.ID, Rule: r.Rule, Due: r.Due, Event: r.Event, State: cmp.Or(string(r.State), "RUNNING"), Reason: r.Reason,
		Why: runReason(r, lang), Count: r.Count, Task: taskOf(r), Fired: r.Fired, Text: r.Text,
	}
	for _, t := range []struct {
		at time.Time
		to **time.Time
	}{{r.Started, &x.Started}, {r.Ended, &x.Ended}, {r.Through, &x.Through}} {
		if !t.at.IsZero() {
			*t.to = &t.at
		}
	}
	if r.State == automation.Skipped {
		x.Task = ""
	}
	return x
}

// History returns the last runs of the named rule, or of all.
func (a *Automations) History(q ipc.Query, lang i18n.Lang) ([]ipc.AutomationRun, error) {
	runs := []ipc.AutomationRun{}
	for _, r := range a.runs.ledger.History(q.Name, limitOr(q.Limit, 20)) {
		runs = append(runs, RunInfo(r, lang))
	}
	if _, known := a.rule(q.Name); q.Name != "" && len(runs) == 0 && !known {
		return nil, a.unknown(q.Name)
	}
	return runs, nil
}

// Upcoming returns the next due times.
func (a *Automations) Upcoming(q ipc.Query, lang i18n.Lang) []ipc.AutomationDue {
	due := []ipc.AutomationDue{}
	for _, d := range a.runs.scheduler.Upcoming(limitOr(q.Limit, 10)) {
		due = append(due, ipc.AutomationDue{Rule: d.Rule, Due: d.At, Zone: a.machine.Zone().String(), When: a.formatTime(d.At, lang)})
	}
	return due
}

// limitOr returns the number of rows to show, at most 1,000.
func limitOr(limit, usual int) int {
	if limit <= 0 {
		return usual
	}
	return min(limit, 1000)
}

// Failure returns why a rule could not be changed, for the client.
func (a *Automations) Failure(err error, lang i18n.Lang) *ipc.Error {
	var unknown *unknownAutomation
	var bad automation.Problem
	var odd *parseError
	var when *automation.ScheduleError
	var wait *waitError
	switch {
	case errors.As(err, &wait):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: wait.Text(lang)}
	case errors.As(err, &when):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: when.Text(lang)}
	case errors.As(err, &unknown):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrNoAutomation(unknown.name).In(lang), Hint: i18n.AutomationNames(lang, unknown.there)}
	case errors.As(err, &odd):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrAutomationTyped(odd.name, odd.text, odd.example).In(lang)}
	case errors.As(err, &bad):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: bad.Text(lang)}
	case errors.Is(err, automation.ErrRunning):
		return &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrAutomationBusy.In(lang)}
	case errors.Is(err, automation.ErrExists):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrAutomationThere.In(lang)}
	}
	return a.settings.Failure(err, lang)
}

func (a *Automations) ApplyChange(ctx context.Context, action string, ch ipc.AutomationChange, lang i18n.Lang) (ipc.Automation, error) {
	p, known := a.named(ch.Name)
	switch {
	case action == ipc.ActionAutomationAdd:
		p, _ = a.rule(ch.Name)
	case !known:
		return ipc.Automation{}, a.unknown(ch.Name)
	default:
		ch.Name = p.Name
	}
	var err error
	switch action {
	case ipc.ActionAutomationSnooze:
		span := time.Duration(0)
		if ch.For != "0" {
			if span, err = automation.ParseSpan(ch.For); err != nil {
				err = &parseError{"for", ch.For, "30m, 2h, 1d"}
			}
		}
		if err == nil {
			_, err = a.Snooze(ctx, ch.Name, span)
		}
	case ipc.ActionAutomationEnable:
		err = a.files.managed.Enable(ctx, ch.Name, true)
	case ipc.ActionAutomationDisable:
		err = a.files.managed.Enable(ctx, ch.Name, false)
	case ipc.ActionAutomationRemove:
		err = a.files.managed.Remove(ctx, ch.Name)
	case ipc.ActionAutomationAdd:
		ch.Language = cmp.Or(ch.Language, a.otherLanguage(lang))
		err = a.addTyped(ctx, ch)
	case ipc.ActionAutomationChange:
		err = a.editTyped(ctx, ch)
	}
	if err != nil {
		return ipc.Automation{}, err
	}
	a.LoadRules()
	a.life.Serving.Go(a.arrangeWake)
	a.log.Info().Str("automation", ch.Name).Str("action", action).Msg("automations changed by command")
	if now, still := a.rule(ch.Name); still {
		p = now
	}
	return a.ruleInfo(p, lang), nil
}

// Begin starts a rule now.
func (a *Automations) Begin(name string) (automation.Run, error) {
	p, known := a.named(name)
	if !known {
		return automation.Run{}, a.unknown(name)
	}
	return a.runs.scheduler.Begin(p.Name)
}

// AwaitRun waits until a run has ended, the client has disconnected or the daemon stops.
func (a *Automations) AwaitRun(run automation.Run, gone <-chan struct{}) automation.Run {
	for {
		changed := a.runs.ledger.Changed()
		if r, ok := a.runs.ledger.Find(run.Rule, run.ID); ok && r.State != "" {
			return r
		}
		select {
		case <-changed:
		case <-gone:
			return run
		case <-a.life.RunCtx.Done():
			return run
		}
	}
}
