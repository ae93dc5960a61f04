package automation

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// defaultLook is the maximum interval between looks at the clock: timers stop while the machine sleeps and ignore
	// changes of the clock.
	defaultLook = 30 * time.Second
	// lateAfter is the delay after which a run counts as late.
	lateAfter = time.Minute
	// maxCaughtUp is how many missed due times of a rule run late.
	maxCaughtUp = 24
	// maxCounted is how many missed due times are counted.
	maxCounted = 5000
	// maxClockStep is how far the clock must be set back to make earlier decisions void: the clock must have been
	// wrong before.
	maxClockStep = 24 * time.Hour
	// maxRunning is the maximum number of concurrent runs.
	maxRunning = 4
	// eventPause is how long after a run an event does not begin its rule again. The rule itself can cause the
	// event.
	eventPause = time.Minute
	// seenMark is the mark's key for an event that a rule has been waiting for.
	seenMark = "\x01known"
	// maxAttempts is how often a run is begun: a second time only if its daemon died.
	maxAttempts = 2
)

// Timetable determines due times. A [Schedule] is one.
type Timetable interface {
	// Next returns the first due time after another, in a person's zone.
	Next(after time.Time, zone *time.Location) (due time.Time, ok bool)
}

// ScheduledRule is a rule with its timetable, which is nil for a rule with events only.
type ScheduledRule struct {
	Rule
	Times Timetable
}

// fingerprint returns the properties that a rule's due times depend on. When they change, earlier due times are void.
func (p ScheduledRule) fingerprint() string {
	if !p.Enabled {
		return "off"
	}
	if p.At != "" {
		return p.At + "\x00" + p.Jitter.String()
	}
	return p.Schedule + "\x00" + p.Jitter.String()
}

// since returns the time from which a rule that is new or changed is due. A single due time is never skipped: one that
// is over already is due late.
func (p ScheduledRule) since(now time.Time, zone *time.Location) time.Time {
	if m, ok := p.Times.(Moment); ok {
		if due := m.In(zone); !due.After(now) {
			return due.Add(-time.Nanosecond)
		}
	}
	return now
}

// Outcome is the end of a run.
type Outcome struct {
	State  State  // Skipped or Failed; "" if it ran
	Reason string // see [State]
	Text   string // text of its message
	Fired  bool
}

// SchedulerOptions configures a [Scheduler].
type SchedulerOptions struct {
	Ledger *Ledger
	// Now returns the wall clock time, Zone the person's time zone.
	Now  func() time.Time
	Zone func() *time.Location
	// Look is the maximum interval between looks at the clock. 0 means 30 seconds.
	Look time.Duration
	// Begin begins a run that is already in the ledger. It must not block. [Scheduler.End] ends the run.
	Begin func(Run, Rule)
	// Looked is called after each look at the clock, with the next due time. It may be nil.
	Looked func(next time.Time, ok bool)
	// Warn is called when the ledger cannot be written, in which case no run begins. It may be nil.
	Warn func(error)
}

// Scheduler begins and skips due times. It is safe for concurrent use.
type Scheduler struct {
	o    SchedulerOptions
	wake chan struct{}

	mu        sync.Mutex
	rules     map[string]ScheduledRule
	entries   map[string]*entry // of rules with due times
	queue     queue
	zone      string
	newEvents map[string]bool   // events that a rule did not wait for before
	running   map[string]string // running: ids by rule
	waiting   waitQueue         // for other runs to end
	lastLook  time.Time         // time of the last look at the clock
	failing   bool              // the last write of the ledger failed
	closed    bool
}

// candidate is a run that is ready to begin.
type candidate struct {
	run  Run
	rule Rule
	mark *mark // to be written with the run
}

// ErrRunning reports a rule that is still running.
var ErrRunning = errors.New("the rule is already running")

// NewScheduler returns a scheduler without rules.
func NewScheduler(o SchedulerOptions) *Scheduler {
	if o.Look == 0 {
		o.Look = defaultLook
	}
	if o.Looked == nil {
		o.Looked = func(time.Time, bool) {}
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Scheduler{
		o: o, wake: make(chan struct{}, 1), rules: map[string]ScheduledRule{}, entries: map[string]*entry{}, running: map[string]string{},
		newEvents: map[string]bool{},
	}
}

// Set replaces the rules. Rules that are new, changed or were disabled start from now. The others continue.
func (s *Scheduler) Set(rules []ScheduledRule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.entries = map[string]ScheduledRule{}, map[string]*entry{}
	now := s.now()
	var lines []ledgerLine
	for _, p := range rules {
		s.rules[p.Name] = p
		through, as := s.o.Ledger.decidedUntil(p.Name)
		for _, event := range p.On {
			known := &mark{Rule: p.Name, Event: event + "\x00" + seenMark, Key: seenMark}
			if s.o.Ledger.lastOccurrence(p.Name, known.Event) == "" {
				s.newEvents[p.Name+"\x00"+event] = true
				lines = append(lines, ledgerLine{Mark: known})
			}
		}
		if through.IsZero() || as != p.fingerprint() || through.After(now.Add(maxClockStep)) {
			lines = append(lines, ledgerLine{Mark: &mark{Rule: p.Name, As: p.fingerprint(), Through: p.since(now, s.o.Zone())}})
		}
		if p.Enabled && p.Times != nil {
			s.entries[p.Name] = &entry{ScheduledRule: p, index: -1}
		}
	}
	s.keepOccurrences()
	s.write(lines)
	s.replan()
	s.Wake()
}

// keepOccurrences keeps waiting runs that were caused by events. Due times of schedules are found again.
func (s *Scheduler) keepOccurrences() {
	var kept waitQueue
	for _, c := range s.waiting.line {
		if p, known := s.rules[c.run.Rule]; c.mark != nil && known && p.Enabled {
			c.rule = p.Rule
			kept.add(c)
		}
	}
	s.waiting = kept
}

// write writes lines to the ledger and reports success. After a failure, the next look tries again.
func (s *Scheduler) write(lines []ledgerLine) bool {
	if len(lines) == 0 {
		return true
	}
	err := s.o.Ledger.write(lines...)
	if s.failing = err != nil; s.failing {
		s.o.Warn(err)
	}
	return !s.failing
}

// Wake triggers a look at the clock.
func (s *Scheduler) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run looks at the clock whenever something is due, and at least every 30 seconds, until ctx ends. Without due
// times it waits only for Wake.
func (s *Scheduler) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.wake:
		}
		timer.Stop()
		if next, ok := s.Tick(); ok {
			timer.Reset(min(s.o.Look, max(next.Sub(s.now()), time.Millisecond)))
		}
	}
}

// now returns the wall clock time without a monotonic reading.
func (s *Scheduler) now() time.Time { return s.o.Now().Round(0) }

// Tick looks at the clock, begins and skips due runs, and returns the next due time.
func (s *Scheduler) Tick() (next time.Time, ok bool) {
	s.mu.Lock()
	begin := s.tick()
	next, ok = s.next()
	if s.failing {
		next, ok = s.lastLook.Add(s.o.Look), true
	}
	s.mu.Unlock()
	for _, c := range begin {
		s.o.Begin(c.run, c.rule)
	}
	s.o.Looked(next, ok)
	return next, ok
}

func (s *Scheduler) tick() []candidate {
	if s.closed {
		return nil
	}
	now := s.now()
	s.checkClock(now)
	var lines []ledgerLine
	var found []candidate
	var decided []*entry
	for e := s.queue.popDue(now); e != nil; e = s.queue.popDue(now) {
		v := s.decide(e, now)
		if v.begin != nil {
			found = append(found, *v.begin)
		}
		lines, decided = append(lines, v.lines...), append(decided, e)
	}
	if s.write(lines) {
		s.waiting.add(found...)
	}
	begin := s.startWaiting(now)
	for _, e := range decided {
		s.plan(e)
	}
	s.lastLook = now
	return begin
}

// checkClock handles a clock that was set back and a changed time zone.
func (s *Scheduler) checkClock(now time.Time) {
	zone := s.o.Zone().String()
	back := s.lastLook.After(now)
	if back {
		var lines []ledgerLine
		for _, p := range s.rules {
			if through, _ := s.o.Ledger.decidedUntil(p.Name); through.After(now.Add(maxClockStep)) {
				lines = append(lines, ledgerLine{Mark: &mark{Rule: p.Name, As: p.fingerprint(), Through: p.since(now, s.o.Zone())}})
			}
		}
		s.write(lines)
	}
	if back || zone != s.zone {
		s.replan()
	}
}

// RunningID returns the id of a rule's current run, or "".
func (s *Scheduler) RunningID(rule string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[rule]
}

// Close stops the scheduler from beginning runs.
func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
