package daemon

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
	"github.com/nidoit/blunux-ai/desktop"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// automationChannel is the channel of what a rule wants. What is told there goes
	// to the channels that the rule names.
	automationChannel = "automation"
	// holdAutomation keeps the daemon while a rule is at work or due in a moment.
	holdAutomation = "automation"
	// dueSoon is how long before something is due the daemon does not leave.
	dueSoon = 10 * time.Second
	// alone is how long a daemon stays that was started because something was due,
	// when nobody connects.
	alone = 20 * time.Second
	// lookAround is how often the daemon is started for rules whose events nothing
	// tells of while it is away.
	lookAround = 15 * time.Minute
	// wakes is how many due times are handed to what starts the daemon.
	wakes = 16
)

// AutomationOptions are what automations need of their surroundings.
type AutomationOptions struct {
	Paths config.Paths
	Now   func() time.Time      // the wall clock; nil is time.Now
	Zone  func() *time.Location // the person's; nil is time.Local
	// Wake has the daemon started at these times, and when these files change, while
	// it is not running, and reports whether that can be; nil for nothing.
	Wake func(ctx context.Context, at []time.Time, files []string) (bool, error)
	// Timetable is what the tools of automations are about; nil for none.
	Timetable *Timetable
	// Desktop makes what shows notifications on the desktop, which calls back when a
	// button is pressed and when one is closed; nil for none.
	Desktop func(pressed func(key, action string), closed func(key string, why desktop.Reason)) Desktop
	// Occasions tells of what rules may begin with, and of a clock that jumped, until
	// ctx ends; nil for nothing. Rules are those that wait for something.
	Occasions Occasions
}

// automations are what happens by itself.
type automations struct {
	*Daemon
	o         AutomationOptions
	ledger    *automation.Ledger
	scheduler *automation.Scheduler
	signed    automation.Signatures
	managed   automation.Managed
	screen    *screen

	rulesChanged chan struct{} // the rules were read
	reading      sync.Mutex
	arranging    sync.Mutex      // one at a time
	patience     context.Context // ends when the daemon leaves: arranging waits for nothing any more
	hurry        func()
	known        <-chan struct{} // closed when it is known whether something wakes the daemon
	arranged     func()
	watching     sync.Mutex // what is known of conditions is read and written by one
	mu           sync.Mutex
	rules        []automation.Planned
	open         []automation.Run // that a former daemon left
	problems     []automation.Problem
	laterAt      time.Time // when later fires
	filesState   string    // when they were read
	wakes        bool      // something starts the daemon when a rule is due
	soon         func()    // lets go of the daemon, which is held for something due soon
	later        *time.Timer
}

// newAutomations reads the rules and what became of them. Nothing begins yet.
func newAutomations(d *Daemon, o AutomationOptions) *automations {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = func() *time.Location { return time.Local }
	}
	state := o.Paths.AutomationState()
	a := &automations{
		Daemon: d, o: o, ledger: automation.NewLedger(joinHome(state, "ledger.jsonl")),
		signed:       NewSignatures(o.Paths),
		rulesChanged: make(chan struct{}, 1), managed: automation.Managed{Files: AutomationFiles(o.Paths)},
	}
	known := make(chan struct{})
	a.known, a.arranged = known, sync.OnceFunc(func() { close(known) })
	a.patience, a.hurry = context.WithCancel(context.Background())
	if o.Wake == nil {
		a.arranged()
	}
	a.screen = newScreen(a)
	if o.Timetable != nil {
		o.Timetable.a.Store(a)
	}
	lost, err := a.ledger.Load()
	d.noteDamage(lost, err)
	a.open = a.ledger.Open()
	a.scheduler = automation.NewScheduler(automation.SchedulerOptions{
		Ledger: a.ledger, Now: o.Now, Zone: o.Zone, Begin: a.begin, Looked: a.looked,
		Warn: func(err error) { d.o.Log.Error().Err(err).Msg("automations do nothing until this ends") },
	})
	return a
}

// AutomationFiles are where rules are read from.
func AutomationFiles(paths config.Paths) automation.Files {
	return automation.Files{
		Path: paths.Automations(), Managed: paths.ManagedAutomations(), State: paths.AutomationState(),
		Checks: func(name string) bool { _, known := check.Lookup(name); return known }, Accepts: accepts,
	}
}

// NewSignatures returns what a person has signed.
func NewSignatures(paths config.Paths) automation.Signatures {
	return automation.Signatures{Path: joinHome(paths.AutomationState(), "signed.json")}
}

// accepts returns what of a rule its condition cannot be held to, and why.
func accepts(r automation.Rule) (key string, why func(i18n.Lang) string) {
	c, _ := check.Lookup(r.Check)
	var bad *check.ParamError
	if errors.As(c.Validate(check.Params{Over: r.Over, Within: r.Within, Paths: r.Paths}), &bad) {
		return bad.Field, bad.Text
	}
	return "", nil
}

// read reads the rules. What cannot be used of them is told by those who ask.
func (a *automations) read() {
	a.reading.Lock() // a slower one must not put older rules over newer
	defer a.reading.Unlock()
	rt := a.runtime.Load()
	if rt != nil && !rt.Automations {
		a.mu.Lock()
		a.rules, a.problems = nil, nil
		a.mu.Unlock()
		a.scheduler.Set(nil)
		return
	}
	if rt == nil { // nothing could be done: it is due once the configuration is read
		a.readRules()
		return
	}
	if _, err := automation.EnsureDefaults(a.o.Paths.Automations(), a.o.Paths.AutomationState(), a.lang()); err != nil {
		a.Daemon.o.Log.Warn().Err(err).Msg("the first automations are not written")
	}
	a.scheduler.Set(a.readRules())
	select {
	case a.rulesChanged <- struct{}{}:
	default:
	}
}

// readRules reads the files of rules, logs what is newly wrong with them and returns
// the rules that can be used.
func (a *automations) readRules() []automation.Planned {
	state := a.stateOfFiles() // before: what is written meanwhile is read again
	set, problems := automation.Load(a.managed.Files)
	planned := make([]automation.Planned, 0, len(set.Rules))
	for _, r := range set.Rules {
		p := automation.Planned{Rule: r}
		if s, err := automation.ParseSchedule(r.Schedule); r.Schedule != "" && err == nil {
			p.Times = s
		}
		planned = append(planned, p)
	}
	a.mu.Lock()
	told := !slices.Equal(texts(a.problems), texts(problems))
	a.rules, a.problems, a.filesState = planned, problems, state
	a.mu.Unlock()
	if told {
		for _, p := range problems {
			a.Daemon.o.Log.Error().Str("file", p.File).Int("line", p.Line).Str("rule", p.Rule).Msg("automations: " + ipc.VisibleLine(p.Text(i18n.English)))
		}
	}
	return planned
}

// readAgain reads the rules where their files are not what they were.
func (a *automations) readAgain() {
	a.mu.Lock()
	same := a.filesState == a.stateOfFiles()
	a.mu.Unlock()
	if !same {
		a.read()
	}
}

// stateOfFiles names a state of all files of rules.
func (a *automations) stateOfFiles() string {
	files := []string{a.o.Paths.Automations()}
	more, _ := filepath.Glob(filepath.Join(filepath.Dir(a.o.Paths.ManagedAutomations()), "*.toml"))
	var all []string
	for _, f := range append(files, more...) {
		all = append(all, f+" "+stateOf(f))
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

// run looks at the clock and at what happens until the daemon stops.
func (a *automations) run() {
	a.serving.Go(func() { a.scheduler.Run(a.living) })
	if a.o.Occasions != nil {
		a.serving.Go(a.watchOccasions)
	}
	a.serving.Go(a.followFiles)
	a.serving.Go(a.arrange)
	a.showOnDesktop()
}

// rule returns a rule by its name.
func (a *automations) rule(name string) (automation.Planned, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.rules, func(p automation.Planned) bool { return p.Name == name })
	if i < 0 {
		return automation.Planned{}, false
	}
	return a.rules[i], true
}

func (a *automations) all() []automation.Planned {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.rules)
}

// langOf is the language that a rule tells things in.
func (a *automations) langOf(r automation.Rule) i18n.Lang {
	return r.Lang(a.Daemon.lang())
}

// looked keeps the daemon for what is due in a moment; where nothing starts it
// when something is due, for what is due before it would leave.
func (a *automations) looked(next time.Time, ok bool) {
	within := dueSoon
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wakes {
		within = max(within, a.idle.limit())
	}
	if a.later != nil && !a.laterAt.After(a.o.Now()) { // a timer that slept with the machine
		a.later.Reset(0)
	}
	soon := ok && next.Sub(a.o.Now()) < within
	switch {
	case soon && a.soon == nil:
		a.soon = a.idle.enter(holdAutomation)
	case !soon && a.soon != nil:
		a.soon()
		a.soon = nil
	}
}

// arrange has the daemon started for what is due while it is not running.
func (a *automations) arrange() { a.arrangeWithin(a.patience) }

func (a *automations) arrangeWithin(given context.Context) {
	defer a.arranged()
	if a.o.Wake == nil {
		return
	}
	a.arranging.Lock()
	defer a.arranging.Unlock()
	ctx, cancel := context.WithTimeout(given, 3*time.Second)
	defer cancel()
	at, files, keep := a.wanted()
	if keep {
		return
	}
	active, err := a.o.Wake(ctx, at, files)
	if err != nil && given.Err() == nil { // what leaving cut short, leaving does
		a.Daemon.o.Log.Warn().Err(err).Msg("nothing starts the daemon when an automation is due")
	}
	a.mu.Lock()
	a.wakes = active && err == nil
	a.mu.Unlock()
}

// wakeTimes are when something is to begin or to be told.
func (a *automations) wakeTimes() []time.Time {
	at := a.scheduler.Wakes(wakes)
	for _, t := range a.outbox.Waiting("") {
		if t.NotBefore.After(a.o.Now()) {
			at = append(at, t.NotBefore)
		}
	}
	for _, p := range a.all() {
		if p.Enabled && slices.ContainsFunc(p.On, unheard) {
			at = append(at, a.o.Now().Add(lookAround))
			break
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	return at[:min(len(at), wakes)]
}

// leaving has the next daemon started in time.
func (a *automations) leaving() {
	a.scheduler.Close()
	a.screen.leave()
	a.hurry()
	a.arrangeWithin(context.Background())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.later != nil {
		a.later.Stop()
	}
}

// tellAt has told what waits for a better hour when that comes.
func (d *Daemon) tellAt(at time.Time) {
	a := d.automations
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.later != nil {
		if !at.Before(a.laterAt) {
			return // which finds this one too
		}
		a.later.Stop()
	}
	a.laterAt, a.later = at, time.AfterFunc(at.Sub(a.o.Now()), a.tellDue)
}

// tellDue tells what has waited for a better hour until now.
func (a *automations) tellDue() {
	a.mu.Lock()
	if a.later != nil {
		a.later.Stop()
	}
	since := a.laterAt
	a.later = nil
	a.mu.Unlock()
	next := time.Time{}
	for _, t := range a.outbox.Waiting("") {
		switch {
		case t.NotBefore.IsZero():
		case !t.NotBefore.After(a.o.Now()):
			if !t.NotBefore.Before(since) {
				a.events.tell(topicNotifications, noticeOf(t))
			}
		case next.IsZero() || t.NotBefore.Before(next):
			next = t.NotBefore
		}
	}
	a.showOnDesktop()
	if !next.IsZero() {
		a.tellAt(next)
	}
}

// takeUp goes on with what a former daemon was at: tasks that live end their runs
// themselves.
func (a *automations) takeUp() {
	for _, r := range a.open {
		t, err := a.tasks.Get(taskOf(r))
		switch {
		case err != nil:
			if err := a.scheduler.Again(r); err != nil && !errors.Is(err, automation.ErrUnknownRun) {
				a.Daemon.o.Log.Warn().Err(err).Str("automation", r.Rule).Msg("a former daemon's run is not taken up")
			}
		case t.State.Ended():
			a.ended(t, outcomeOf(t))
		default:
			a.scheduler.Adopt(r)
		}
	}
}
