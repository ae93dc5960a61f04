package automation

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// look is how often the clock is looked at, at least: timers stop while the
	// machine sleeps and know nothing of a clock that is set.
	look = 30 * time.Second
	// lateAfter is how long after it was to begin a run counts as late.
	lateAfter = time.Minute
	// maxCaughtUp is how many missed due times a rule catches up with.
	maxCaughtUp = 24
	// maxCounted is how many missed due times are counted.
	maxCounted = 5000
	// farBack is how far the clock must have been set back for times that are over
	// to count no more: something was wrong with the clock before.
	farBack = 24 * time.Hour
	// atWork is how many runs there are at a time.
	atWork = 4
	// between is how long after a run an event does not begin its rule: what a rule
	// does may be what it waits for.
	between = time.Minute
	// heardOf is what is noted of an event that a rule waits for.
	heardOf = "\x01known"
	// maxAttempts is how often a run is begun: once, and once more when its daemon
	// died at it.
	maxAttempts = 2
)

// Timetable tells when something is due; a [Schedule] is one.
type Timetable interface {
	// Next returns the first time due after another, in a person's zone.
	Next(after time.Time, zone *time.Location) (due time.Time, ok bool)
}

// Planned is a rule and when it is due; nil for events only.
type Planned struct {
	Rule
	Times Timetable
}

// as is what the times of a rule depend on: when that changes, they begin anew.
func (p Planned) as() string {
	if !p.Enabled {
		return "off"
	}
	return p.Schedule + "\x00" + p.Jitter.String()
}

// Outcome is how a run ended.
type Outcome struct {
	State  State  // Skipped or Failed; "" where it ran
	Reason string // see [State]
	Text   string // what was told
	Fired  bool
}

// SchedulerOptions makes a [Scheduler].
type SchedulerOptions struct {
	Ledger *Ledger
	// Now is the wall clock, Zone the person's time zone.
	Now  func() time.Time
	Zone func() *time.Location
	// Look is how often the clock is looked at, at least; 0 is every 30 seconds.
	Look time.Duration
	// Begin begins a run, which is in the ledger already, and must not block;
	// [Scheduler.End] ends it.
	Begin func(Run, Rule)
	// Looked is told of each look at the clock and when something is due next; may
	// be nil.
	Looked func(next time.Time, ok bool)
	// Warn is told of a ledger that cannot be written: nothing begins then. It may
	// be nil.
	Warn func(error)
}

// Scheduler decides which due times begin and which are skipped. It is safe for
// concurrent use.
type Scheduler struct {
	o    SchedulerOptions
	wake chan struct{}

	mu      sync.Mutex
	rules   map[string]Planned
	entries map[string]*entry // of the rules that are due at times
	queue   queue
	zone    string
	fresh   map[string]bool   // events of rules that were never waited for before
	working map[string]string // runs at work: ids by rule
	waiting waiting           // for others to end
	looked  time.Time         // at the clock, last
	failing bool              // the ledger could not be written
	closed  bool
}

// candidate is a run that may begin.
type candidate struct {
	run  Run
	rule Rule
	mark *mark // to be written with it
}

// ErrAtWork reports a rule whose run has not ended.
var ErrAtWork = errors.New("it is at work already")

// NewScheduler returns a scheduler without rules.
func NewScheduler(o SchedulerOptions) *Scheduler {
	if o.Look == 0 {
		o.Look = look
	}
	if o.Looked == nil {
		o.Looked = func(time.Time, bool) {}
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Scheduler{
		o: o, wake: make(chan struct{}, 1), rules: map[string]Planned{}, entries: map[string]*entry{}, working: map[string]string{},
		fresh: map[string]bool{},
	}
}

// Set replaces the rules. One that is new, changed or was off is due from now on;
// the others go on where they were.
func (s *Scheduler) Set(rules []Planned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.entries = map[string]Planned{}, map[string]*entry{}
	now := s.now()
	var lines []ledgerLine
	for _, p := range rules {
		s.rules[p.Name] = p
		through, as := s.o.Ledger.settled(p.Name)
		for _, event := range p.On {
			known := &mark{Rule: p.Name, Event: event + "\x00" + heardOf, Key: heardOf}
			if s.o.Ledger.occurred(p.Name, known.Event) == "" {
				s.fresh[p.Name+"\x00"+event] = true
				lines = append(lines, ledgerLine{Mark: known})
			}
		}
		if through.IsZero() || as != p.as() || through.After(now.Add(farBack)) {
			lines = append(lines, ledgerLine{Mark: &mark{Rule: p.Name, As: p.as(), Through: now}})
		}
		if p.Enabled && p.Times != nil {
			s.entries[p.Name] = &entry{Planned: p, index: -1}
		}
	}
	s.keepOccurrences()
	s.write(lines)
	s.replan()
	s.Wake()
}

// keepOccurrences leaves those waiting that nothing would find again: the times of
// schedules are, as far as they are still due.
func (s *Scheduler) keepOccurrences() {
	var kept waiting
	for _, c := range s.waiting.line {
		if p, known := s.rules[c.run.Rule]; c.mark != nil && known && p.Enabled {
			c.rule = p.Rule
			kept.add(c)
		}
	}
	s.waiting = kept
}

// write reports whether lines are in the ledger. Otherwise nothing has happened,
// and the next look finds it all again.
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

// Wake has the clock looked at now.
func (s *Scheduler) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run looks at the clock whenever something is due, and at least every 30
// seconds, until ctx ends. Without a rule that is due at times it only waits to be
// woken.
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

// now is the wall clock, without what Go keeps beside it to measure durations by.
func (s *Scheduler) now() time.Time { return s.o.Now().Round(0) }

// Tick looks at the clock: it begins and skips what is due, and returns when
// something is due next.
func (s *Scheduler) Tick() (next time.Time, ok bool) {
	s.mu.Lock()
	begin := s.tick()
	next, ok = s.next()
	if s.failing {
		next, ok = s.looked.Add(s.o.Look), true
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
	s.mindClock(now)
	var lines []ledgerLine
	var found []candidate
	var decided []*entry
	for e := s.queue.ready(now); e != nil; e = s.queue.ready(now) {
		v := s.decide(e, now)
		if v.begin != nil {
			found = append(found, *v.begin)
		}
		lines, decided = append(lines, v.lines...), append(decided, e)
	}
	if s.write(lines) {
		s.waiting.add(found...)
	}
	begin := s.admit(now)
	for _, e := range decided {
		s.plan(e)
	}
	s.looked = now
	return begin
}

// mindClock takes account of a clock that was set back by far, and of another time
// zone.
func (s *Scheduler) mindClock(now time.Time) {
	zone := s.o.Zone().String()
	back := s.looked.After(now)
	if back {
		var lines []ledgerLine
		for _, p := range s.rules {
			if through, _ := s.o.Ledger.settled(p.Name); through.After(now.Add(farBack)) {
				lines = append(lines, ledgerLine{Mark: &mark{Rule: p.Name, As: p.as(), Through: now}})
			}
		}
		s.write(lines)
	}
	if back || zone != s.zone {
		s.replan()
	}
}

// Working returns the id of a rule's run at work, "" for none.
func (s *Scheduler) Working(rule string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.working[rule]
}

// Close has nothing begin any more.
func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
