package automation

import (
	"slices"
	"time"
)

// decision is the decision about the due times of a rule up to now.
type decision struct {
	lines []ledgerLine
	begin *candidate
}

// decide begins one of a rule's due times and skips the others. While the rule is running, it skips all.
func (s *Scheduler) decide(e *entry, now time.Time) decision {
	times, uncounted := s.missed(e, now)
	if len(times) == 0 { // already decided before the clock was set back
		return decision{lines: []ledgerLine{{Mark: &mark{Rule: e.Name, As: e.fingerprint(), Through: e.due}}}}
	}
	if _, busy := s.running[e.Name]; busy {
		return decision{lines: s.skip(e.Name, times, uncounted, ReasonOverlap, now)}
	}
	last := times[len(times)-1]
	late := now.Sub(last.Add(e.offset(last, s.o.Zone()))) >= lateAfter
	why := ""
	if late {
		why = s.lateReason(last)
	}
	switch {
	case e.CatchUp == CatchNone && late:
		return decision{lines: s.skip(e.Name, times, uncounted, ReasonMissed, now)}
	case e.CatchUp == CatchNone:
		return decision{s.skip(e.Name, times[:len(times)-1], uncounted, ReasonMissed, now), e.candidate(last, why)}
	case e.CatchUp == CatchAll:
		first := max(0, len(times)-maxCaughtUp)
		if times[first].Before(last) {
			why = s.lateReason(times[first])
		}
		return decision{s.skip(e.Name, times[:first], uncounted, ReasonTooMany, now), e.candidate(times[first], why)}
	}
	return decision{s.skip(e.Name, times[:len(times)-1], uncounted, ReasonSuperseded, now), e.candidate(last, why)}
}

func (e *entry) candidate(due time.Time, why string) *candidate {
	return &candidate{run: Run{ID: runID(e.Name, due, ""), Due: due, Reason: why}.of(e.Rule), rule: e.Rule}
}

// lateReason returns the reason why a due time is late.
func (s *Scheduler) lateReason(due time.Time) string {
	if s.lastLook.Before(due) {
		return ReasonOff
	}
	return ReasonBusy
}

// missed returns a rule's times that should have begun by now, in order. If there are more than maxCounted, it
// returns the first and the latest ones, and uncounted is true.
func (s *Scheduler) missed(e *entry, now time.Time) (times []time.Time, uncounted bool) {
	zone := s.o.Zone()
	for due, ok := e.due, true; ok && !due.Add(e.offset(due, zone)).After(now); due, ok = e.after(due, zone) {
		if len(times) == maxCounted {
			times, uncounted = append(times[:1], s.latest(e, now)...), true
			break
		}
		times = append(times, due)
	}
	return slices.DeleteFunc(times, func(due time.Time) bool { return s.o.Ledger.hasRun(e.Name, due) }), uncounted
}

// latest returns the last maxCaughtUp times that should have begun by now.
func (s *Scheduler) latest(e *entry, now time.Time) (times []time.Time) {
	zone := s.o.Zone()
	for span := time.Hour; ; span *= 2 {
		times = times[:0]
		for due, ok := e.after(now.Add(-span), zone); ok && !due.Add(e.offset(due, zone)).After(now); due, ok = e.after(due, zone) {
			times = append(times, due)
		}
		if len(times) >= maxCaughtUp {
			return times[len(times)-maxCaughtUp:]
		}
	}
}

// skip records times as one skipped run.
func (s *Scheduler) skip(rule string, times []time.Time, uncounted bool, reason string, now time.Time) []ledgerLine {
	if len(times) == 0 {
		return nil
	}
	first, last := times[0], times[len(times)-1]
	r := Run{ID: runID(rule, first, "skipped"), Rule: rule, Due: first, State: Skipped, Reason: reason, Ended: now}
	if len(times) > 1 {
		r.Through, r.Count = last, len(times)
		if uncounted {
			r.Count = maxCounted // a lower bound
		}
	}
	return []ledgerLine{{Run: &r}}
}
