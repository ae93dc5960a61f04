package automation

import (
	"time"
)

// startWaiting begins as many waiting runs as the limit allows.
func (s *Scheduler) startWaiting(now time.Time) []candidate {
	var begin []candidate
	var places []int // positions of begin in the queue
	var lines []ledgerLine
	for place, c := range s.waiting.line {
		if len(s.running) >= maxRunning {
			break
		}
		if _, busy := s.running[c.run.Rule]; busy {
			continue
		}
		c.run.Started, c.run.Attempts = now, 1
		if c.run.isScheduled() && c.run.Reason == "" && now.Sub(c.run.Due.Add(c.rule.Offset(c.run.Due))) >= lateAfter {
			c.run.Reason = ReasonBusy
		}
		if c.mark != nil {
			lines = append(lines, ledgerLine{Mark: c.mark})
		}
		run := c.run
		lines, begin, places = append(lines, ledgerLine{Run: &run}), append(begin, c), append(places, place)
		s.running[c.run.Rule] = c.run.ID
	}
	if !s.write(lines) {
		for _, c := range begin {
			delete(s.running, c.run.Rule)
		}
		return nil
	}
	s.waiting.remove(places)
	return begin
}

// End ends a run. If that cannot be written, the next daemon finds the run still open.
func (s *Scheduler) End(id string, o Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.o.Ledger.OpenRun(id)
	if err != nil {
		return err
	}
	r.Ended, r.Fired, r.Text = s.now(), o.Fired, excerpt(o.Text)
	r.State = o.State
	if r.State == "" {
		r.State = Ran
		if r.Reason != "" {
			r.State = Late
		}
	}
	if o.Reason != "" {
		r.Reason = o.Reason
	}
	err = s.o.Ledger.write(ledgerLine{Run: &r})
	if s.running[r.Rule] == id {
		delete(s.running, r.Rule)
	}
	if e := s.entries[r.Rule]; e != nil {
		s.plan(e)
	}
	s.Wake()
	return err
}

// Amend updates an ended run once the outcome of its approval is known. It ignores runs that are no longer in the
// ledger.
func (s *Scheduler) Amend(rule, id string, o Outcome) error {
	r, known := s.o.Ledger.Find(rule, id)
	if !known || r.State == "" {
		return nil
	}
	r.Reason, r.Text = o.Reason, excerpt(o.Text)
	if o.State != "" {
		r.State = o.State
	}
	return s.o.Ledger.write(ledgerLine{Run: &r})
}

// Adopt counts a run that an earlier daemon left as working. The caller continues it.
func (s *Scheduler) Adopt(r Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[r.Rule] = r.ID
}

// Retry restarts a run that an earlier daemon left. It fails the run if it was restarted before or its rule was
// removed. A reminder is sent once however often it is restarted, and the rule of one is only removed when it was sent.
func (s *Scheduler) Retry(r Run) error {
	s.mu.Lock()
	p, known := s.rules[r.Rule]
	s.mu.Unlock()
	switch {
	case !known && r.Say != "":
		return s.End(r.ID, Outcome{Text: r.Say, Fired: true})
	case !known:
		return s.End(r.ID, Outcome{State: Failed, Reason: ReasonRemoved})
	case r.Attempts >= maxAttempts && r.Say == "":
		return s.End(r.ID, Outcome{State: Failed, Reason: ReasonInterrupted})
	}
	r.Attempts++
	s.Adopt(r)
	if err := s.o.Ledger.write(ledgerLine{Run: &r}); err != nil {
		return err
	}
	s.o.Begin(r, p.Rule)
	return nil
}

// Begin begins a run of a rule now, for a person, without regard to the limit on concurrent runs.
func (s *Scheduler) Begin(rule string) (Run, error) {
	s.mu.Lock()
	p, known := s.rules[rule]
	_, busy := s.running[rule]
	now := s.now()
	run := Run{ID: runID(rule, now, Manual+now.String()), Rule: rule, Due: now, Event: Manual, Started: now, Attempts: 1}.of(p.Rule)
	var err error
	switch {
	case !known:
		err = ErrUnknownRule
	case busy:
		err = ErrRunning
	default:
		err = s.o.Ledger.write(ledgerLine{Run: &run})
	}
	if err == nil {
		s.running[rule] = run.ID
	}
	s.mu.Unlock()
	if err == nil {
		s.o.Begin(run, p.Rule)
	}
	return run, err
}

// Occurrence is an event that happened to a rule.
type Occurrence struct {
	Rule    string
	Event   string // as written in the rule
	Subject string // the affected thing, for events that can affect several
	Key     string // identifies the occurrence: a boot's id, a file's state
	// Live reports that it happened just now. Otherwise it is an existing state, which a new rule only records.
	Live bool
}

// HandleEvent begins a rule for a new occurrence.
func (s *Scheduler) HandleEvent(o Occurrence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, known := s.rules[o.Rule]
	m := &mark{Rule: o.Rule, Event: o.Event + "\x00" + o.Subject, Key: o.Key}
	before := s.o.Ledger.lastOccurrence(o.Rule, m.Event)
	if !known || !p.Enabled || before == o.Key || s.waiting.has(*m) {
		return
	}
	if !o.Live && s.newEvents[o.Rule+"\x00"+o.Event] && before == "" {
		s.write([]ledgerLine{{Mark: m}})
		return
	}
	now := s.now()
	run := Run{ID: runID(o.Rule, now, m.Event+"\x00"+o.Key), Due: now, Event: o.Event}.of(p.Rule)
	run.State, run.Ended = Skipped, now
	last, ran := s.o.Ledger.Latest(o.Rule)
	_, busy := s.running[o.Rule]
	switch {
	case busy:
		run.Reason = ReasonOverlap
	case ran && last.Event == o.Event && now.Sub(last.Ended) < eventPause && !now.Before(last.Ended):
		run.Reason = ReasonTooOften
	}
	if run.Reason != "" {
		s.write([]ledgerLine{{Run: &run}, {Mark: m}})
		return
	}
	run.State, run.Ended = "", time.Time{}
	s.waiting.add(candidate{run: run, rule: p.Rule, mark: m})
	s.Wake()
}
