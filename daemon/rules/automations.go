// Package rules runs the automations: it reads their files, starts them by schedule, event or command, and sends what
// they find to the channels that they name. [Automations.List], Add and so on are the store of the tools for automations.
package rules

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
)

const (
	// activityAutomation keeps the daemon running while a rule runs or is due soon.
	activityAutomation = "automation"
	// dueSoon is how long before a due time the daemon does not exit.
	dueSoon = 10 * time.Second
	// pollInterval is how often the daemon is started for rules whose events cannot start it.
	pollInterval = 15 * time.Minute
	// maxWakes is how many due times are passed to the service manager.
	maxWakes = 16
)

// Options make [automations].
type Options struct {
	Settings *settings.Settings
	Life     *life.Life
	Post     *post.Post
	Turns    *turns.Turns
	Paths    config.Paths
	Machine  Machine
	Log      zerolog.Logger
}

// Machine has the interfaces of the machine for automations. Each may be nil.
type Machine struct {
	Now  func() time.Time      // the wall clock; nil is time.Now
	Zone func() *time.Location // the person's time zone, nil is time.Local
	// Wake arranges for the daemon to be started at these times and when these files change. It reports whether
	// that is possible.
	Wake func(ctx context.Context, at []time.Time, files []string) (bool, error)
	// Desktop creates the desktop notifier, which calls pressed for a button and closed when a notification
	// closes.
	Desktop func(pressed func(key, action string), closed func(key string, why desktop.Reason)) Desktop
	// Triggers reports the events that rules can start with, and clock jumps.
	Triggers TriggerSource
	// Downloads is the person's directory for downloads. "" is ~/Downloads.
	Downloads string
}

// Automations runs rules by schedule, event or command.
type Automations struct {
	settings   *settings.Settings
	life       *life.Life
	post       *post.Post
	turns      *turns.Turns
	log        zerolog.Logger
	machine    Machine
	files      ruleFiles
	runs       ruleRuns
	notifier   *desktopNotifier
	conditions *conditions
	// waitsChanged signals that followWaits must look again.
	waitsChanged chan struct{}
	wake         ruleWake
	set          ruleSet
}

// ruleFiles are where rules, their state and their signatures are.
type ruleFiles struct {
	paths   config.Paths
	managed automation.Managed
	signed  automation.Signatures
	changed chan struct{} // signals that the rules were read
	readMu  sync.Mutex    // a slow read must not replace newer rules
}

// ruleRuns are the runs of the rules.
type ruleRuns struct {
	ledger    *automation.Ledger
	scheduler *automation.Scheduler
	left      []automation.Run // runs of earlier daemons without an end
}

// ruleSet are the rules and the problems as they were last read, and the timers for them.
type ruleSet struct {
	mu       sync.Mutex // guards the other fields
	rules    []automation.ScheduledRule
	problems []automation.Problem
	read     string // the state of the files then
	canWake  bool   // the daemon is started when a rule is due

	releaseSoon   func()    // ends the activity for a run that is due soon
	deliveryAt    time.Time // when deliveryTimer fires
	deliveryTimer *time.Timer
}

// ruleWake arranges that the service manager starts the daemon for a due rule.
type ruleWake struct {
	mu       sync.Mutex      // one call at a time
	ctx      context.Context // ends on shutdown, so that a call stops waiting
	stop     func()
	known    <-chan struct{} // closed once it is known whether the daemon can be woken
	setKnown func()
}

// New returns the automations. They start nothing yet.
func New(o Options) *Automations {
	m := o.Machine
	if m.Now == nil {
		m.Now = time.Now
	}
	if m.Zone == nil {
		m.Zone = func() *time.Location { return time.Local }
	}
	a := &Automations{
		settings: o.Settings, life: o.Life, post: o.Post, turns: o.Turns, log: o.Log, machine: m,
		files: ruleFiles{
			paths: o.Paths, managed: automation.Managed{Files: AutomationFiles(o.Paths)}, signed: NewSignatures(o.Paths),
			changed: make(chan struct{}, 1),
		},
		waitsChanged: make(chan struct{}, 1),
		conditions:   &conditions{dir: filepath.Join(o.Paths.AutomationState(), "watch"), now: m.Now, log: o.Log},
	}
	known := make(chan struct{})
	a.wake.known, a.wake.setKnown = known, sync.OnceFunc(func() { close(known) })
	a.wake.ctx, a.wake.stop = context.WithCancel(context.Background())
	if m.Wake == nil {
		a.wake.setKnown()
	}
	a.notifier = newDesktopNotifier(a)
	a.runs.ledger = automation.NewLedger(filepath.Join(o.Paths.AutomationState(), "ledger.jsonl"))
	lost, err := a.runs.ledger.Load()
	a.turns.Recovery.RecordDamage(lost, err)
	a.runs.left = a.runs.ledger.Open()
	a.runs.scheduler = automation.NewScheduler(automation.SchedulerOptions{
		Ledger: a.runs.ledger, Now: m.Now, Zone: m.Zone, Begin: a.startRun, Looked: a.holdForDue,
		Warn: func(err error) { o.Log.Error().Err(err).Msg("automations paused") },
	})
	return a
}

// AutomationFiles returns where rules are read from.
func AutomationFiles(paths config.Paths) automation.Files {
	return automation.Files{
		Path: paths.Automations(), Managed: paths.ManagedAutomations(), State: paths.AutomationState(),
		Checks: func(name string) bool { _, known := check.Lookup(name); return known }, Accepts: validateCheck,
	}
}

// NewSignatures returns the rules that a person has signed.
func NewSignatures(paths config.Paths) automation.Signatures {
	return automation.Signatures{Path: filepath.Join(paths.AutomationState(), "signed.json")}
}

// validateCheck returns the parameter that the rule's condition rejects, and why.
func validateCheck(r automation.Rule) (key string, why func(i18n.Lang) string) {
	c, _ := check.Lookup(r.Check)
	var bad *check.ParamError
	if errors.As(c.Validate(check.Params{Over: r.Over, Within: r.Within, Paths: r.Paths}), &bad) {
		return bad.Field, bad.Text
	}
	return "", nil
}

// LoadRules reads the rules. Queries report the problems in them.
func (a *Automations) LoadRules() {
	a.files.readMu.Lock()
	defer a.files.readMu.Unlock()
	rt := a.settings.Current()
	if rt != nil && !rt.Config.Automations {
		a.set.mu.Lock()
		a.set.rules, a.set.problems = nil, nil
		a.set.mu.Unlock()
		a.runs.scheduler.Set(nil)
		a.lookAtWaits()
		return
	}
	if rt == nil { // without a configuration no rule runs: due runs start once it can be read
		a.parseRuleFiles()
		return
	}
	if _, err := automation.EnsureDefaults(a.files.paths.Automations(), a.files.paths.AutomationState(), a.settings.Lang()); err != nil {
		a.log.Warn().Err(err).Msg("cannot write default automations")
	}
	a.runs.scheduler.Set(a.parseRuleFiles())
	a.lookAtWaits()
	select {
	case a.files.changed <- struct{}{}:
	default:
	}
}

// parseRuleFiles reads the rule files, logs new problems and returns the valid rules.
func (a *Automations) parseRuleFiles() []automation.ScheduledRule {
	state := a.ruleFilesState() // taken first: changes during the read cause another one
	set, problems := automation.Load(a.files.managed.Files)
	planned := make([]automation.ScheduledRule, 0, len(set.Rules))
	for _, r := range set.Rules {
		p := automation.ScheduledRule{Rule: r}
		p.Times, _ = r.Timetable() // invalid rules are not in the set
		planned = append(planned, p)
	}
	a.set.mu.Lock()
	told := !slices.Equal(texts(a.set.problems), texts(problems))
	a.set.rules, a.set.problems, a.set.read = planned, problems, state
	a.set.mu.Unlock()
	if told {
		for _, p := range problems {
			a.log.Error().Str("file", p.File).Int("line", p.Line).Str("rule", p.Rule).Msg("automations: " + ipc.VisibleLine(p.Text(i18n.English)))
		}
	}
	return planned
}

// ReloadIfChanged reads the rules if their files have changed.
func (a *Automations) ReloadIfChanged() {
	a.set.mu.Lock()
	same := a.set.read == a.ruleFilesState()
	a.set.mu.Unlock()
	if !same {
		a.LoadRules()
	}
}

// ruleFilesState returns a string that changes with any rule file.
func (a *Automations) ruleFilesState() string {
	files := []string{a.files.paths.Automations()}
	more, _ := filepath.Glob(filepath.Join(filepath.Dir(a.files.paths.ManagedAutomations()), "*.toml"))
	var all []string
	for _, f := range append(files, more...) {
		all = append(all, f+" "+fileState(f))
	}
	return strings.Join(all, "\n")
}

func texts(problems []automation.Problem) []string {
	rows := make([]string, len(problems))
	for i, p := range problems {
		rows[i] = p.File + p.Text(i18n.English)
	}
	return rows
}

// Run starts the scheduler and the watchers, which run until the daemon stops.
func (a *Automations) Run() {
	a.life.Serving.Go(func() { a.runs.scheduler.Run(a.life.RunCtx) })
	if a.machine.Triggers != nil {
		a.life.Serving.Go(a.watchTriggers)
	}
	a.life.Serving.Go(a.followFiles)
	a.life.Serving.Go(a.followWaits)
	a.life.Serving.Go(a.arrangeWake)
	a.ShowOnDesktop()
}

// rule returns a rule by name.
func (a *Automations) rule(name string) (automation.ScheduledRule, bool) {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	i := slices.IndexFunc(a.set.rules, func(p automation.ScheduledRule) bool { return p.Name == name })
	if i < 0 {
		return automation.ScheduledRule{}, false
	}
	return a.set.rules[i], true
}

// named returns the rule that a person means by a name, in any language.
func (a *Automations) named(typed string) (automation.ScheduledRule, bool) {
	if p, known := a.rule(typed); known {
		return p, true
	}
	for _, p := range a.All() {
		if i18n.IsRuleName(p.Name, typed) {
			return p, true
		}
	}
	return automation.ScheduledRule{}, false
}

func (a *Automations) All() []automation.ScheduledRule {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	return slices.Clone(a.set.rules)
}

// langOf returns the language of a rule's messages.
func (a *Automations) langOf(r automation.Rule) i18n.Lang {
	return r.Lang(a.settings.Lang())
}

// holdForDue keeps the daemon running if a run is due soon. If nothing can start the daemon, it does so for every run
// that is due before the idle limit.
func (a *Automations) holdForDue(next time.Time, ok bool) {
	within := dueSoon
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	if !a.set.canWake {
		within = max(within, a.life.Idle.Limit())
	}
	if a.set.deliveryTimer != nil && !a.set.deliveryAt.After(a.machine.Now()) { // the timer does not advance during suspend
		a.set.deliveryTimer.Reset(0)
	}
	soon := ok && next.Sub(a.machine.Now()) < within
	switch {
	case soon && a.set.releaseSoon == nil:
		a.set.releaseSoon = a.life.Idle.Begin(activityAutomation)
	case !soon && a.set.releaseSoon != nil:
		a.set.releaseSoon()
		a.set.releaseSoon = nil
	}
}

// arrangeWake sets the times at which the service manager starts the daemon.
func (a *Automations) arrangeWake() { a.arrangeWakeWithin(a.wake.ctx) }

func (a *Automations) arrangeWakeWithin(given context.Context) {
	defer a.wake.setKnown()
	if a.machine.Wake == nil {
		return
	}
	a.wake.mu.Lock()
	defer a.wake.mu.Unlock()
	ctx, cancel := context.WithTimeout(given, 3*time.Second)
	defer cancel()
	at, files, keep := a.wakeTargets()
	if keep {
		return
	}
	active, err := a.machine.Wake(ctx, at, files)
	if err != nil && given.Err() == nil { // an interrupted call is repeated on shutdown
		a.log.Warn().Err(err).Msg("cannot set wake timer")
	}
	a.set.mu.Lock()
	a.set.canWake = active && err == nil
	a.set.mu.Unlock()
}

// wakeTimes returns the next times at which a run is due or a message becomes deliverable.
func (a *Automations) wakeTimes() []time.Time {
	at := a.runs.scheduler.WakeTimes(maxWakes)
	for _, t := range a.post.Outbox.Waiting("") {
		if t.NotBefore.After(a.machine.Now()) {
			at = append(at, t.NotBefore)
		}
	}
	for _, p := range a.All() {
		if p.Enabled && slices.ContainsFunc(p.On, needsPolling) {
			at = append(at, a.machine.Now().Add(pollInterval))
			break
		}
	}
	sorting.By(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	return at[:min(len(at), maxWakes)]
}

// PrepareExit arranges the next start of the daemon.
func (a *Automations) PrepareExit() {
	a.runs.scheduler.Close()
	a.notifier.removeAllButtons()
	a.wake.stop()
	a.arrangeWakeWithin(context.Background())
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	if a.set.deliveryTimer != nil {
		a.set.deliveryTimer.Stop()
	}
}

// Close closes the ledger.
func (a *Automations) Close() { a.runs.ledger.Close() }

// ScheduleDelivery schedules the delivery of messages that become deliverable at a time.
func (a *Automations) ScheduleDelivery(at time.Time) {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	if a.set.deliveryTimer != nil {
		if !at.Before(a.set.deliveryAt) {
			return // deliverDue reschedules for this one too
		}
		a.set.deliveryTimer.Stop()
	}
	a.set.deliveryAt, a.set.deliveryTimer = at, time.AfterFunc(at.Sub(a.machine.Now()), a.deliverDue)
}

// deliverDue delivers the messages that have become deliverable.
func (a *Automations) deliverDue() {
	a.set.mu.Lock()
	if a.set.deliveryTimer != nil {
		a.set.deliveryTimer.Stop()
	}
	since := a.set.deliveryAt
	a.set.deliveryTimer = nil
	a.set.mu.Unlock()
	next := time.Time{}
	for _, t := range a.post.Outbox.Waiting("") {
		switch {
		case t.NotBefore.IsZero():
		case !t.NotBefore.After(a.machine.Now()):
			if !t.NotBefore.Before(since) {
				a.post.Events.Publish(post.TopicNotifications, post.NoticeOf(t))
				a.post.WakeBridge(t.Channel)
			}
		case next.IsZero() || t.NotBefore.Before(next):
			next = t.NotBefore
		}
	}
	a.ShowOnDesktop()
	if !next.IsZero() {
		a.ScheduleDelivery(next)
	}
}

// ResumeRuns resumes the runs of earlier daemons. Runs whose tasks are active end with them.
func (a *Automations) ResumeRuns() {
	for _, p := range a.All() {
		last, ran := a.runs.ledger.Latest(p.Name)
		m, err := automation.ParseMoment(p.At)
		if ran && err == nil && last.State != "" && last.Event == "" && last.Due.Equal(m.In(a.machine.Zone())) {
			a.removeOver(p.Rule) // the earlier daemon died before it did
		}
	}
	for _, r := range a.runs.left {
		t, err := a.turns.Task(taskOf(r))
		switch {
		case err != nil:
			if err := a.runs.scheduler.Retry(r); err != nil && !errors.Is(err, automation.ErrUnknownRun) {
				a.log.Warn().Err(err).Str("automation", r.Rule).Msg("cannot resume automation run")
			}
		case t.State.Ended():
			a.EndTaskRun(t, turns.OutcomeOf(t))
		default:
			a.runs.scheduler.Adopt(r)
		}
	}
}

// followFiles reads the rules again when their files change, and starts the rules that watch changed files, until
// the daemon stops.
func (a *Automations) followFiles() {
	for {
		files := a.watchedFiles()
		watcher, err := watch.New(func(err error) { a.warnOfFiles(err) }, a.watchDirs(files)...)
		if err != nil {
			a.warnOfFiles(err)
			return
		}
		a.checkFiles() // changes before the watch began
		same := true
		for same {
			select {
			case <-a.life.RunCtx.Done():
				watcher.Close()
				return
			case <-watcher.Changes():
				if !a.waitQuiet(watcher.Changes()) {
					watcher.Close()
					return
				}
				a.reloadRules()
				a.checkFiles()
				a.lookAtWaits()
				same = slices.Equal(files, a.watchedFiles())
			}
		}
		watcher.Close()
	}
}

func (a *Automations) warnOfFiles(err error) {
	a.log.Warn().Err(err).Msg("cannot watch automation files; reload with: systemctl --user reload blunux-ai-agent")
}

// waitQuiet waits until nothing has changed for a moment. It returns false if the daemon stops first.
func (a *Automations) waitQuiet(changes <-chan struct{}) bool {
	timer := time.NewTimer(life.QuietTime)
	defer timer.Stop()
	for {
		select {
		case <-a.life.RunCtx.Done():
			return false
		case <-changes:
			timer.Reset(life.QuietTime)
		case <-timer.C:
			return true
		}
	}
}

// watchDirs returns the directories of the rule files and of the files that rules watch.
func (a *Automations) watchDirs(files []string) []watch.Dir {
	main, managed := a.files.paths.Automations(), a.files.paths.ManagedAutomations()
	dirs := []watch.Dir{
		{Path: filepath.Dir(main), Match: func(name string) bool { return name == filepath.Base(main) }},
		{Path: filepath.Dir(managed), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
	}
	for _, f := range files {
		dirs = append(dirs, watch.Dir{Path: filepath.Dir(f), Match: func(name string) bool { return name == filepath.Base(f) }})
	}
	for _, w := range a.waits() {
		if w.Kind == automation.EventDownload {
			dirs = append(dirs, watch.Dir{Path: w.Path, Match: isUnfinishedName})
		}
	}
	return dirs
}

// reloadRules reads the rules again and updates the service manager's timer.
func (a *Automations) reloadRules() {
	a.LoadRules()
	a.arrangeWake()
}
