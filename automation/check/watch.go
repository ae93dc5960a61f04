package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxHeld bounds how many findings a [Memory] has.
const maxHeld = 500

// Memory is what a rule remembers of its findings from look to look: which hold,
// which a person was told of, and until when nothing is to be told. The zero
// value is a rule that never looked. It is JSON between looks.
type Memory struct {
	held   map[string]*held
	snooze time.Time
}

// held is a finding that holds, or was told and is not surely over.
type held struct {
	Finding Finding   `json:"finding"`
	Looks   int       `json:"looks"`          // it has held for so many looks in a row
	Gone    int       `json:"gone,omitempty"` // it has not been found for so many
	Told    time.Time `json:"told,omitzero"`  // when it was last told; zero is never
	As      Severity  `json:"as"`             // and how pressing it was called
}

// Policy is how a rule tells.
type Policy struct {
	// After is how many looks in a row a finding has to hold before it is told, 1
	// when zero. What is critical, and an [Finding.Event], is told at once.
	After int
	// Again is after how long what still holds is told again; 0 is never.
	Again time.Duration
}

// Told is what a person is to be told now, the most pressing first.
type Told struct {
	New, Worse, Still, Recovered []Finding
	// Left is how many findings are neither remembered nor told, because there are
	// too many.
	Left int
	// Silent is true when there is nothing to tell.
	Silent bool
}

// Step takes in a look and returns what to tell of it.
//
// A finding is told when it has held for [Policy.After] looks in a row, again
// when it becomes more severe than it was told as, and again each time
// [Policy.Again] has passed. One that was told and is not found in two looks in a
// row is told as recovered, once; an event is not. What a look does not know of
// ([Result.Unknown]), and what it finds just under its limit ([Result.Near]) and
// was told, stays as it is. A snooze silences all but what becomes critical
// meanwhile; what then goes away is forgotten, and what still holds when it ends
// and was not told is new.
func (m *Memory) Step(now time.Time, p Policy, r Result) Told {
	now = now.Round(0).UTC()
	if m.held == nil {
		m.held = map[string]*held{}
	}
	s := step{m: m, now: now, p: p, r: r, snoozed: now.Before(m.snooze)}
	found := mostSevere(r.Findings)
	for _, f := range found {
		if !s.unknown(f.Key) {
			s.holds(f)
		}
	}
	for key, h := range m.held {
		if _, ok := found[key]; !ok && !s.unknown(key) {
			s.absent(key, h)
		}
	}
	return s.result()
}

// mostSevere has each key's most severe finding.
func mostSevere(all []Finding) map[string]Finding {
	found := map[string]Finding{}
	for _, f := range all {
		if other, ok := found[f.Key]; !ok || f.Severity > other.Severity {
			found[f.Key] = f
		}
	}
	return found
}

// step is one look being taken in.
type step struct {
	m       *Memory
	now     time.Time
	p       Policy
	r       Result
	snoozed bool
	told    Told
}

func (s *step) unknown(key string) bool {
	return slices.ContainsFunc(s.r.Unknown, func(u Unknown) bool { return u.Covers(key) })
}

func (s *step) holds(f Finding) {
	h := s.m.held[f.Key]
	if h == nil {
		if h = s.m.room(f); h == nil {
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
		s.tell(&s.told.New, h)
	case h.Told.IsZero():
	case f.Severity > h.As && heard:
		s.tell(&s.told.Worse, h)
	case s.p.Again > 0 && !f.Event && !s.snoozed && s.now.Sub(h.Told) >= s.p.Again:
		s.tell(&s.told.Still, h)
	}
}

func (s *step) due(h *held) bool {
	return h.Finding.Event || h.Finding.Severity == Critical || h.Looks >= s.p.After
}

func (s *step) tell(list *[]Finding, h *held) {
	h.Told, h.As = s.now, h.Finding.Severity
	*list = append(*list, h.Finding)
}

// absent takes in that a finding was looked for and not found.
func (s *step) absent(key string, h *held) {
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

func (s *step) result() Told {
	t := s.told
	for _, list := range []*[]Finding{&t.New, &t.Worse, &t.Still, &t.Recovered} {
		slices.SortFunc(*list, pressing)
	}
	t.Silent = len(t.New)+len(t.Worse)+len(t.Still)+len(t.Recovered)+t.Left == 0
	return t
}

// pressing orders findings for a person.
func pressing(a, b Finding) int {
	return cmp.Or(int(b.Severity-a.Severity), strings.Compare(a.Key, b.Key))
}

// room makes a place for a finding; nil when everything there is was told, and
// so may not be forgotten.
func (m *Memory) room(f Finding) *held {
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
	h := &held{}
	m.held[f.Key] = h
	return h
}

// Snooze keeps the rule silent up to a time, but for what becomes critical; a
// time that has passed ends a snooze.
func (m *Memory) Snooze(until time.Time) { m.snooze = until.Round(0).UTC() }

// Snoozed reports whether the rule is silent, and until when.
func (m *Memory) Snoozed(now time.Time) (until time.Time, ok bool) {
	if !now.Before(m.snooze) {
		return time.Time{}, false
	}
	return m.snooze, true
}

// Firing are the findings that were told and are not over, the most pressing
// first.
func (m *Memory) Firing() []Finding {
	var out []Finding
	for _, h := range m.held {
		if !h.Told.IsZero() && !h.Finding.Event {
			out = append(out, h.Finding)
		}
	}
	slices.SortFunc(out, pressing)
	return out
}

// written is a Memory in JSON.
type written struct {
	Held   map[string]*held `json:"held,omitempty"`
	Snooze time.Time        `json:"snooze,omitzero"`
}

// MarshalJSON writes what [Memory.UnmarshalJSON] reads.
func (m Memory) MarshalJSON() ([]byte, error) { return json.Marshal(written{m.held, m.snooze}) }

// UnmarshalJSON reads a memory; what is beyond its bounds is left out.
func (m *Memory) UnmarshalJSON(text []byte) error {
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*m = Memory{held: map[string]*held{}, snooze: w.Snooze}
	for _, key := range slices.Sorted(maps.Keys(w.Held)) {
		if h := w.Held[key]; h != nil && len(m.held) < maxHeld {
			m.held[key] = h
		}
	}
	return nil
}
