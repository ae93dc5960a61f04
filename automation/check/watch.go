package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// maxHeld bounds the findings of a [Memory].
const maxHeld = 500

// Memory is what a rule remembers about its findings between looks: which are current, which were reported to a
// person, and until when the rule is snoozed. The zero value is a rule without looks. It is stored as JSON.
type Memory struct {
	held   map[string]*heldFinding
	snooze time.Time
}

// heldFinding is a finding that is current, or was reported and has not ended for certain.
type heldFinding struct {
	Finding Finding   `json:"finding"`
	Looks   int       `json:"looks"`          // number of looks in a row that found it
	Gone    int       `json:"gone,omitempty"` // number of looks in a row that did not find it
	Told    time.Time `json:"told,omitzero"`  // time of the last report; zero means never
	As      Severity  `json:"as"`             // severity in the last report
}

// Policy determines when a rule reports a finding.
type Policy struct {
	// After is how many looks in a row must find a finding before it is reported; 0 means 1. Critical findings
	// and events ([Finding.Event]) are reported immediately.
	After int
	// Again is the interval after which a current finding is reported again. 0 means never.
	Again time.Duration
}

// Notification is the report of a look, the most urgent findings first.
type Notification struct {
	New, Worse, Still, Recovered []Finding
	// Left is the number of findings that were dropped because there are too many.
	Left int
	// Silent means that there is nothing to report.
	Silent bool
}

// Step records a look and returns its report.
//
// A finding is reported after [Policy.After] looks in a row, again if it becomes more severe, and again whenever
// [Policy.Again] has passed. A reported finding that two looks in a row do not find is reported as recovered,
// once; events do not recover. Unknown subjects ([Result.Unknown]) and reported findings just under their limit
// ([Result.Near]) stay unchanged. During a snooze only findings that become critical are reported. Findings that
// end during a snooze are forgotten, and those that are still current and unreported after it are new.
func (m *Memory) Step(now time.Time, p Policy, r Result) Notification {
	now = now.Round(0).UTC()
	if m.held == nil {
		m.held = map[string]*heldFinding{}
	}
	s := step{m: m, now: now, p: p, r: r, snoozed: now.Before(m.snooze)}
	found := mostSevere(r.Findings)
	for _, f := range found {
		if !s.unknown(f.Key) {
			s.present(f)
		}
	}
	for key, h := range m.held {
		if _, ok := found[key]; !ok && !s.unknown(key) {
			s.absent(key, h)
		}
	}
	return s.result()
}

func mostSevere(all []Finding) map[string]Finding {
	found := map[string]Finding{}
	for _, f := range all {
		if other, ok := found[f.Key]; !ok || f.Severity > other.Severity {
			found[f.Key] = f
		}
	}
	return found
}

type step struct {
	m       *Memory
	now     time.Time
	p       Policy
	r       Result
	snoozed bool
	told    Notification
}

func (s *step) unknown(key string) bool {
	return slices.ContainsFunc(s.r.Unknown, func(u Unknown) bool { return u.Covers(key) })
}

func (s *step) present(f Finding) {
	h := s.m.held[f.Key]
	if h == nil {
		if h = s.m.addFinding(f); h == nil {
			s.told.Left++
			return
		}
	}
	h.Finding, h.Gone, h.Looks = f, 0, min(h.Looks+1, 1<<20)
	if h.Told.After(s.now) {
		h.Told = s.now // the clock was set back
	}
	heard := !s.snoozed || f.Severity == Critical
	switch {
	case h.Told.IsZero() && heard && s.due(h):
		s.report(&s.told.New, h)
	case h.Told.IsZero():
	case f.Severity > h.As && heard:
		s.report(&s.told.Worse, h)
	case s.p.Again > 0 && !f.Event && !s.snoozed && s.now.Sub(h.Told) >= s.p.Again:
		s.report(&s.told.Still, h)
	}
}

func (s *step) due(h *heldFinding) bool {
	return h.Finding.Event || h.Finding.Severity == Critical || h.Looks >= s.p.After
}

func (s *step) report(list *[]Finding, h *heldFinding) {
	h.Told, h.As = s.now, h.Finding.Severity
	*list = append(*list, h.Finding)
}

// absent records that a look did not find a finding.
func (s *step) absent(key string, h *heldFinding) {
	if h.Told.IsZero() {
		delete(s.m.held, key)
		return
	}
	h.Looks = 0
	if slices.Contains(s.r.Near, key) {
		h.Gone = 0
		return
	}
	if h.Gone++; h.Gone < 2 {
		return
	}
	delete(s.m.held, key)
	if !h.Finding.Event && !s.snoozed {
		s.told.Recovered = append(s.told.Recovered, h.Finding)
	}
}

func (s *step) result() Notification {
	t := s.told
	for _, list := range []*[]Finding{&t.New, &t.Worse, &t.Still, &t.Recovered} {
		sorting.By(*list, compareUrgency)
	}
	t.Silent = len(t.New)+len(t.Worse)+len(t.Still)+len(t.Recovered)+t.Left == 0
	return t
}

func compareUrgency(a, b Finding) int {
	return cmp.Or(int(b.Severity-a.Severity), strings.Compare(a.Key, b.Key))
}

// addFinding adds a finding. If the memory is full, it drops an unreported finding or a past event, and returns
// nil if there is none.
func (m *Memory) addFinding(f Finding) *heldFinding {
	if len(m.held) >= maxHeld {
		victim := ""
		for key, h := range m.held {
			if h.Told.IsZero() && h.Finding.Severity <= f.Severity || h.Finding.Event && h.Gone > 0 {
				if victim == "" || key > victim {
					victim = key
				}
			}
		}
		if victim == "" {
			return nil
		}
		delete(m.held, victim)
	}
	h := &heldFinding{}
	m.held[f.Key] = h
	return h
}

// Snooze silences the rule until a time, except for findings that become critical. A time in the past ends the snooze.
func (m *Memory) Snooze(until time.Time) { m.snooze = until.Round(0).UTC() }

// Snoozed reports whether the rule is snoozed, and until when.
func (m *Memory) Snoozed(now time.Time) (until time.Time, ok bool) {
	if !now.Before(m.snooze) {
		return time.Time{}, false
	}
	return m.snooze, true
}

// Firing returns the reported findings that have not ended, the most urgent first.
func (m *Memory) Firing() []Finding {
	var out []Finding
	for _, h := range m.held {
		if !h.Told.IsZero() && !h.Finding.Event {
			out = append(out, h.Finding)
		}
	}
	sorting.By(out, compareUrgency)
	return out
}

type memoryJSON struct {
	Held   map[string]*heldFinding `json:"held,omitempty"`
	Snooze time.Time               `json:"snooze,omitzero"`
}

// MarshalJSON encodes the memory for [Memory.UnmarshalJSON].
func (m Memory) MarshalJSON() ([]byte, error) { return json.Marshal(memoryJSON{m.held, m.snooze}) }

// UnmarshalJSON decodes a memory and drops findings beyond its bounds.
func (m *Memory) UnmarshalJSON(text []byte) error {
	var w memoryJSON
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*m = Memory{held: map[string]*heldFinding{}, snooze: w.Snooze}
	for _, key := range slices.Sorted(maps.Keys(w.Held)) {
		if h := w.Held[key]; h != nil && len(m.held) < maxHeld {
			m.held[key] = h
		}
	}
	return nil
}
