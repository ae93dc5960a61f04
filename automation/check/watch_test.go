package check_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/automation/check"
)

func finding(key string, s check.Severity) check.Finding {
	return check.Finding{Key: key, Severity: s, Code: "disk_full", Args: check.Args{Name: key}}
}

func saw(all ...check.Finding) check.Result { return check.Result{Findings: all} }

// minutes steps a memory through looks a minute apart. It returns the report of each, with a letter for each
// finding: N(ew), W(orse), S(till), R(ecovered).
func minutes(m *check.Memory, p check.Policy, looks ...check.Result) []string {
	var out []string
	for i, r := range looks {
		t := m.Step(now.Add(time.Duration(i)*time.Minute), p, r)
		s := ""
		for letter, list := range map[string][]check.Finding{"N": t.New, "W": t.Worse, "S": t.Still, "R": t.Recovered} {
			for range list {
				s += letter
			}
		}
		out = append(out, s)
	}
	return out
}

func TestWhatIsToldFromLookToLook(t *testing.T) {
	warn, crit := saw(finding("disk:/", check.Warning)), saw(finding("disk:/", check.Critical))
	fine, near := saw(), check.Result{Near: []string{"disk:/"}}
	blind := check.Result{Unknown: []check.Unknown{{Subject: "disk", Reason: check.ReasonFailed}}}
	event := saw(check.Finding{Key: "journal_errors:new:1", Code: "journal_new", Event: true})
	for name, c := range map[string]struct {
		p     check.Policy
		looks []check.Result
		want  []string
	}{
		"once":                       {check.Policy{}, []check.Result{warn, warn, warn}, []string{"N", "", ""}},
		"after three in a row":       {check.Policy{After: 3}, []check.Result{warn, warn, fine, warn, warn, warn}, []string{"", "", "", "", "", "N"}},
		"critical at once":           {check.Policy{After: 3}, []check.Result{crit}, []string{"N"}},
		"worse":                      {check.Policy{}, []check.Result{warn, crit, warn, crit}, []string{"N", "W", "", ""}},
		"again":                      {check.Policy{Again: 2 * time.Minute}, []check.Result{warn, warn, warn, warn, warn}, []string{"N", "", "S", "", "S"}},
		"over for two looks":         {check.Policy{}, []check.Result{warn, fine, fine, fine}, []string{"N", "", "R", ""}},
		"flapping":                   {check.Policy{}, []check.Result{warn, fine, warn, fine, warn, fine, fine}, []string{"N", "", "", "", "", "", "R"}},
		"hovering about the limit":   {check.Policy{}, []check.Result{near, warn, near, fine, near, fine, fine}, []string{"", "N", "", "", "", "", "R"}},
		"never told, never over":     {check.Policy{After: 2}, []check.Result{warn, fine, fine}, []string{"", "", ""}},
		"not looked at":              {check.Policy{}, []check.Result{warn, blind, blind, blind, fine, blind, fine}, []string{"N", "", "", "", "", "", "R"}},
		"blind first":                {check.Policy{}, []check.Result{blind, warn}, []string{"", "N"}},
		"an event does not recover":  {check.Policy{After: 5}, []check.Result{event, fine, fine, fine, event}, []string{"N", "", "", "", "N"}},
		"an event is told once only": {check.Policy{Again: time.Minute}, []check.Result{event, event, event}, []string{"N", "", ""}},
	} {
		var m check.Memory
		require.Equal(t, c.want, minutes(&m, c.p, c.looks...), name)
	}
}

func TestASnoozeSilencesAllButWhatBecomesCritical(t *testing.T) {
	warn, crit, fine := saw(finding("a", check.Warning)), saw(finding("a", check.Critical)), saw()
	end := now.Add(3*time.Minute - time.Second)
	for name, c := range map[string]struct {
		looks []check.Result
		want  []string
	}{
		"what still holds is told when it ends": {[]check.Result{warn, warn, warn, warn}, []string{"", "", "", "N"}},
		"critical":                              {[]check.Result{warn, crit, crit}, []string{"", "N", ""}},
		"what came and went":                    {[]check.Result{warn, fine, fine, fine}, []string{"", "", "", ""}},
		"what was told critical and went":       {[]check.Result{crit, fine, fine, fine}, []string{"N", "", "", ""}},
	} {
		var m check.Memory
		m.Snooze(end)
		require.Equal(t, c.want, minutes(&m, check.Policy{Again: time.Minute}, c.looks...), name)
	}
	var m check.Memory
	m.Step(now.Add(-time.Minute), check.Policy{}, warn)
	m.Snooze(end)
	until, on := m.Snoozed(now)
	require.True(t, on)
	require.True(t, until.Equal(end))
	_, on = m.Snoozed(end)
	require.False(t, on)
	require.Equal(t, []string{"W", "", "", "S"}, minutes(&m, check.Policy{Again: time.Minute}, crit, crit, crit, crit))
	require.Len(t, m.Firing(), 1)
}

func TestAMemoryIsBounded(t *testing.T) {
	var m check.Memory
	var many []check.Finding
	for i := range 700 {
		many = append(many, finding(fmt.Sprintf("k:%03d", i), check.Warning))
	}
	told := m.Step(now, check.Policy{}, saw(many...))
	require.Len(t, told.New, 500)
	require.Equal(t, 200, told.Left)
	require.Len(t, m.Firing(), 500)

	var young check.Memory
	young.Step(now, check.Policy{After: 9}, saw(many...))
	told = young.Step(now, check.Policy{After: 9}, saw(append(many, finding("z", check.Critical))...))
	require.Len(t, told.New, 1, "what presses takes the place of what was not told")
}

// world draws looks at five subjects, each of which is fine, near, bad or unknown.
func world(t *rapid.T) check.Result {
	var r check.Result
	for i := range 5 {
		key := fmt.Sprintf("s%d", i)
		switch rapid.IntRange(0, 5).Draw(t, key) {
		case 0:
			r.Near = append(r.Near, key)
		case 1:
			r.Unknown = append(r.Unknown, check.Unknown{Subject: key})
		case 2, 3:
			s := check.Severity(rapid.IntRange(0, 2).Draw(t, "severity"))
			r.Findings = append(r.Findings, check.Finding{Key: key, Severity: s, Code: "hot", Event: i == 4})
		}
	}
	return r
}

// roundTrip encodes and decodes a memory.
func roundTrip(t require.TestingT, m *check.Memory) *check.Memory {
	text, err := json.Marshal(m)
	require.NoError(t, err)
	var back check.Memory
	require.NoError(t, json.Unmarshal(text, &back))
	return &back
}

func TestThePromisesOfAMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := check.Policy{After: rapid.IntRange(0, 3).Draw(t, "after"), Again: time.Duration(rapid.IntRange(0, 4).Draw(t, "again")) * time.Hour}
		m, twin, at := new(check.Memory), new(check.Memory), now
		type state struct {
			told time.Time
			as   check.Severity
			gone int
		}
		open := map[string]*state{} // reported and not ended
		for range rapid.IntRange(1, 30).Draw(t, "looks") {
			at = at.Add(time.Duration(rapid.IntRange(1, 180).Draw(t, "minutes")) * time.Minute)
			if rapid.IntRange(0, 9).Draw(t, "snooze") == 0 {
				until := at.Add(time.Duration(rapid.IntRange(-60, 300).Draw(t, "until")) * time.Minute)
				m.Snooze(until)
				twin.Snooze(until)
			}
			r := world(t)
			_, snoozed := m.Snoozed(at)
			told := m.Step(at, p, r)
			twin = roundTrip(t, twin)
			require.Equal(t, told, twin.Step(at, p, r), "writing it down changes nothing")

			unknown := map[string]bool{}
			for _, u := range r.Unknown {
				unknown[u.Subject] = true
			}
			for _, f := range told.New {
				require.Nil(t, open[f.Key], "told as new twice")
				require.False(t, unknown[f.Key])
				require.True(t, !snoozed || f.Severity == check.Critical)
				open[f.Key] = &state{told: at, as: f.Severity}
			}
			for _, f := range told.Worse {
				require.Greater(t, f.Severity, open[f.Key].as)
				require.True(t, !snoozed || f.Severity == check.Critical)
				*open[f.Key] = state{told: at, as: f.Severity}
			}
			for _, f := range told.Still {
				require.False(t, snoozed || f.Event)
				require.Positive(t, p.Again)
				require.GreaterOrEqual(t, at.Sub(open[f.Key].told), p.Again)
				*open[f.Key] = state{told: at, as: f.Severity}
			}
			// A reported finding that two looks in a row did not find has ended, and is reported as recovered
			// once and at no other time.
			over := map[string]bool{}
			for _, f := range told.Recovered {
				require.False(t, f.Event || snoozed)
				over[f.Key] = true
			}
			for key, s := range open {
				switch {
				case unknown[key]:
				case holds(r, key):
					s.gone = 0
				default:
					s.gone++
				}
				if s.gone == 2 {
					require.Equal(t, !snoozed && key != "s4", over[key], key)
					delete(open, key)
					delete(over, key)
				}
			}
			require.Empty(t, over)
			require.Equal(t, len(told.New)+len(told.Worse)+len(told.Still)+len(told.Recovered) == 0, told.Silent)
		}
		firing := 0
		for key := range open {
			if key != "s4" {
				firing++
			}
		}
		require.Len(t, m.Firing(), firing)
	})
}

func holds(r check.Result, key string) bool {
	for _, f := range r.Findings {
		if f.Key == key {
			return true
		}
	}
	for _, near := range r.Near {
		if near == key {
			return true
		}
	}
	return false
}
