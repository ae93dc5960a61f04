package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
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

// AutomationOptions are the external dependencies of automations.
type AutomationOptions struct {
	Paths config.Paths
	Now   func() time.Time      // the wall clock; nil is time.Now
	Zone  func() *time.Location // the person's time zone, nil is time.Local
	// Wake arranges for the daemon to be started at these times and when these files change. It reports whether
	// that is possible. It may be nil.
	Wake func(ctx context.Context, at []time.Time, files []string) (bool, error)
	// Timetable is set to give tools access to the automations. It may be nil.
	Timetable *Timetable
	// Desktop creates the desktop notifier, which calls pressed for a button and closed when a notification
	// closes. It may be nil.
	Desktop func(pressed func(key, action string), closed func(key string, why desktop.Reason)) Desktop
	// Triggers reports the events that rules can start with, and clock jumps. It may be nil.
	Triggers TriggerSource
}

// automations runs rules by schedule, event or command.
type automations struct {
	settings  *settings.Settings
	life      *life.Life
	post      *post.Post
	turns     *Turns
	stored    *Stored
	log       zerolog.Logger
	o         AutomationOptions
	ledger    *automation.Ledger
	scheduler *automation.Scheduler
	signed    automation.Signatures
	managed   automation.Managed
	notifier  *desktopNotifier

	conditionsMu sync.Mutex // guards the condition files
	mu           sync.Mutex
	rules        []automation.ScheduledRule
	wake         ruleWake
	timers       ruleTimers
	read         ruleReading
}

// ruleWake is how the service manager starts the daemon for a due rule.
type ruleWake struct {
	arrangeMu     sync.Mutex      // serializes arrangeWake
	arrangeCtx    context.Context // ends on shutdown, so that arrangeWake stops waiting
	stopArranging func()
	wakeKnown     <-chan struct{} // closed once it is known whether the daemon can be woken
	markWakeKnown func()
	canWake       bool // the daemon is started when a rule is due
}

// ruleTimers are for messages and runs that are due soon.
type ruleTimers struct {
	deliveryAt    time.Time // when deliveryTimer fires
	releaseSoon   func()    // ends the activity for a run that is due soon
	deliveryTimer *time.Timer
}

// ruleReading is the state of the last reading of the rule files.
type ruleReading struct {
	rulesChanged chan struct{} // signals that the rules were read
	readMu       sync.Mutex
	openRuns     []automation.Run // runs of earlier daemons without an end
	problems     []automation.Problem
	filesState   string // when they were read
}

// newAutomations loads the ledger. It starts nothing yet.
func newAutomations(d *Daemon, o AutomationOptions) *automations {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = func() *time.Location { return time.Local }
	}
	state := o.Paths.AutomationState()
	a := &automations{
		settings: d.settings, life: d.life, post: d.post, turns: d.turns, stored: d.stored, log: d.o.Log, o: o, ledger: automation.NewLedger(filepath.Join(state, "ledger.jsonl")),
		signed: NewSignatures(o.Paths),
		read:   ruleReading{rulesChanged: make(chan struct{}, 1)}, managed: automation.Managed{Files: AutomationFiles(o.Paths)},
	}
	known := make(chan struct{})
	a.wake.wakeKnown, a.wake.markWakeKnown = known, sync.OnceFunc(func() { close(known) })
	a.wake.arrangeCtx, a.wake.stopArranging = context.WithCancel(context.Background())
	if o.Wake == nil {
		a.wake.markWakeKnown()
	}
	a.notifier = newDesktopNotifier(a)
	if o.Timetable != nil {
		o.Timetable.a.Store(a)
	}
	lost, err := a.ledger.Load()
	d.recovery.recordDamage(lost, err)
	a.read.openRuns = a.ledger.Open()
	a.scheduler = automation.NewScheduler(automation.SchedulerOptions{
		Ledger: a.ledger, Now: o.Now, Zone: o.Zone, Begin: a.startRun, Looked: a.holdForDue,
		Warn: func(err error) { d.o.Log.Error().Err(err).Msg("automations paused") },
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

// loadRules reads the rules. Queries report the problems in them.
func (a *automations) loadRules() {
	a.read.readMu.Lock() // a slow read must not replace newer rules
	defer a.read.readMu.Unlock()
	rt := a.settings.Current()
	if rt != nil && !rt.Automations {
		a.mu.Lock()
		a.rules, a.read.problems = nil, nil
		a.mu.Unlock()
		a.scheduler.Set(nil)
		return
	}
	if rt == nil { // without a configuration no rule runs: due runs start once it can be read
		a.parseRuleFiles()
		return
	}
	if _, err := automation.EnsureDefaults(a.o.Paths.Automations(), a.o.Paths.AutomationState(), a.settings.Lang()); err != nil {
		a.log.Warn().Err(err).Msg("cannot write default automations")
	}
	a.scheduler.Set(a.parseRuleFiles())
	select {
	case a.read.rulesChanged <- struct{}{}:
	default:
	}
}

// parseRuleFiles reads the rule files, logs new problems and returns the valid rules.
func (a *automations) parseRuleFiles() []automation.ScheduledRule {
	state := a.ruleFilesState() // taken first: changes during the read cause another one
	set, problems := automation.Load(a.managed.Files)
	planned := make([]automation.ScheduledRule, 0, len(set.Rules))
	for _, r := range set.Rules {
		p := automation.ScheduledRule{Rule: r}
		if s, err := automation.ParseSchedule(r.Schedule); r.Schedule != "" && err == nil {
			p.Times = s
		}
		planned = append(planned, p)
	}
	a.mu.Lock()
	told := !slices.Equal(texts(a.read.problems), texts(problems))
	a.rules, a.read.problems, a.read.filesState = planned, problems, state
	a.mu.Unlock()
	if told {
		for _, p := range problems {
			a.log.Error().Str("file", p.File).Int("line", p.Line).Str("rule", p.Rule).Msg("automations: " + ipc.VisibleLine(p.Text(i18n.English)))
		}
	}
	return planned
}

// reloadIfChanged reads the rules if their files have changed.
func (a *automations) reloadIfChanged() {
	a.mu.Lock()
	same := a.read.filesState == a.ruleFilesState()
	a.mu.Unlock()
	if !same {
		a.loadRules()
	}
}

// ruleFilesState returns a string that changes with any rule file.
func (a *automations) ruleFilesState() string {
	files := []string{a.o.Paths.Automations()}
	more, _ := filepath.Glob(filepath.Join(filepath.Dir(a.o.Paths.ManagedAutomations()), "*.toml"))
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

// run starts the scheduler and the watchers, which run until the daemon stops.
func (a *automations) run() {
	a.life.Serving.Go(func() { a.scheduler.Run(a.life.RunCtx) })
	if a.o.Triggers != nil {
		a.life.Serving.Go(a.watchTriggers)
	}
	a.life.Serving.Go(a.followFiles)
	a.life.Serving.Go(a.arrangeWake)
	a.showOnDesktop()
}

// rule returns a rule by name.
func (a *automations) rule(name string) (automation.ScheduledRule, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.rules, func(p automation.ScheduledRule) bool { return p.Name == name })
	if i < 0 {
		return automation.ScheduledRule{}, false
	}
	return a.rules[i], true
}

// named returns the rule that a person means by a name, in any language.
func (a *automations) named(typed string) (automation.ScheduledRule, bool) {
	if p, known := a.rule(typed); known {
		return p, true
	}
	for _, p := range a.all() {
		if i18n.IsRuleName(p.Name, typed) {
			return p, true
		}
	}
	return automation.ScheduledRule{}, false
}

func (a *automations) all() []automation.ScheduledRule {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.rules)
}

// langOf returns the language of a rule's messages.
func (a *automations) langOf(r automation.Rule) i18n.Lang {
	return r.Lang(a.settings.Lang())
}

// holdForDue keeps the daemon running if a run is due soon. If nothing can start the daemon, it does so for every run
// that is due before the idle limit.
func (a *automations) holdForDue(next time.Time, ok bool) {
	within := dueSoon
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wake.canWake {
		within = max(within, a.life.Idle.Limit())
	}
	if a.timers.deliveryTimer != nil && !a.timers.deliveryAt.After(a.o.Now()) { // the timer does not advance during suspend
		a.timers.deliveryTimer.Reset(0)
	}
	soon := ok && next.Sub(a.o.Now()) < within
	switch {
	case soon && a.timers.releaseSoon == nil:
		a.timers.releaseSoon = a.life.Idle.Begin(activityAutomation)
	case !soon && a.timers.releaseSoon != nil:
		a.timers.releaseSoon()
		a.timers.releaseSoon = nil
	}
}

// arrangeWake sets the times at which the service manager starts the daemon.
func (a *automations) arrangeWake() { a.arrangeWakeWithin(a.wake.arrangeCtx) }

func (a *automations) arrangeWakeWithin(given context.Context) {
	defer a.wake.markWakeKnown()
	if a.o.Wake == nil {
		return
	}
	a.wake.arrangeMu.Lock()
	defer a.wake.arrangeMu.Unlock()
	ctx, cancel := context.WithTimeout(given, 3*time.Second)
	defer cancel()
	at, files, keep := a.wakeTargets()
	if keep {
		return
	}
	active, err := a.o.Wake(ctx, at, files)
	if err != nil && given.Err() == nil { // an interrupted call is repeated on shutdown
		a.log.Warn().Err(err).Msg("cannot set wake timer")
	}
	a.mu.Lock()
	a.wake.canWake = active && err == nil
	a.mu.Unlock()
}

// wakeTimes returns the next times at which a run is due or a message becomes deliverable.
func (a *automations) wakeTimes() []time.Time {
	at := a.scheduler.WakeTimes(maxWakes)
	for _, t := range a.post.Outbox.Waiting("") {
		if t.NotBefore.After(a.o.Now()) {
			at = append(at, t.NotBefore)
		}
	}
	for _, p := range a.all() {
		if p.Enabled && slices.ContainsFunc(p.On, needsPolling) {
			at = append(at, a.o.Now().Add(pollInterval))
			break
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	return at[:min(len(at), maxWakes)]
}

// prepareExit arranges the next start of the daemon.
func (a *automations) prepareExit() {
	a.scheduler.Close()
	a.notifier.removeAllButtons()
	a.wake.stopArranging()
	a.arrangeWakeWithin(context.Background())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timers.deliveryTimer != nil {
		a.timers.deliveryTimer.Stop()
	}
}

// scheduleDelivery schedules the delivery of messages that become deliverable at a time.
func (a *automations) scheduleDelivery(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timers.deliveryTimer != nil {
		if !at.Before(a.timers.deliveryAt) {
			return // deliverDue reschedules for this one too
		}
		a.timers.deliveryTimer.Stop()
	}
	a.timers.deliveryAt, a.timers.deliveryTimer = at, time.AfterFunc(at.Sub(a.o.Now()), a.deliverDue)
}

// deliverDue delivers the messages that have become deliverable.
func (a *automations) deliverDue() {
	a.mu.Lock()
	if a.timers.deliveryTimer != nil {
		a.timers.deliveryTimer.Stop()
	}
	since := a.timers.deliveryAt
	a.timers.deliveryTimer = nil
	a.mu.Unlock()
	next := time.Time{}
	for _, t := range a.post.Outbox.Waiting("") {
		switch {
		case t.NotBefore.IsZero():
		case !t.NotBefore.After(a.o.Now()):
			if !t.NotBefore.Before(since) {
				a.post.Events.Publish(post.TopicNotifications, post.NoticeOf(t))
				a.post.WakeBridge(t.Channel)
			}
		case next.IsZero() || t.NotBefore.Before(next):
			next = t.NotBefore
		}
	}
	a.showOnDesktop()
	if !next.IsZero() {
		a.scheduleDelivery(next)
	}
}

// resumeRuns resumes the runs of earlier daemons. Runs whose tasks are active end with them.
func (a *automations) resumeRuns() {
	for _, r := range a.read.openRuns {
		t, err := a.turns.tasks.Get(taskOf(r))
		switch {
		case err != nil:
			if err := a.scheduler.Retry(r); err != nil && !errors.Is(err, automation.ErrUnknownRun) {
				a.log.Warn().Err(err).Str("automation", r.Rule).Msg("cannot resume automation run")
			}
		case t.State.Ended():
			a.endTaskRun(t, outcomeOf(t))
		default:
			a.scheduler.Adopt(r)
		}
	}
}

// followFiles reads the rules again when their files change, and starts the rules that watch changed files, until
// the daemon stops.
func (a *automations) followFiles() {
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
				same = slices.Equal(files, a.watchedFiles())
			}
		}
		watcher.Close()
	}
}

func (a *automations) warnOfFiles(err error) {
	a.log.Warn().Err(err).Msg("cannot watch automation files; reload with: systemctl --user reload blunux-ai-agent")
}

// waitQuiet waits until nothing has changed for a moment. It returns false if the daemon stops first.
func (a *automations) waitQuiet(changes <-chan struct{}) bool {
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
func (a *automations) watchDirs(files []string) []watch.Dir {
	main, managed := a.o.Paths.Automations(), a.o.Paths.ManagedAutomations()
	dirs := []watch.Dir{
		{Path: filepath.Dir(main), Match: func(name string) bool { return name == filepath.Base(main) }},
		{Path: filepath.Dir(managed), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
	}
	for _, f := range files {
		dirs = append(dirs, watch.Dir{Path: filepath.Dir(f), Match: func(name string) bool { return name == filepath.Base(f) }})
	}
	return dirs
}

// reloadRules reads the rules again and updates the service manager's timer.
func (a *automations) reloadRules() {
	a.loadRules()
	a.arrangeWake()
}
