package automation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestAMomentIsRead(t *testing.T) {
	seoul, err := time.LoadLocation("Asia/Seoul")
	require.NoError(t, err)
	want := time.Date(2026, 11, 27, 18, 0, 0, 0, seoul)
	for _, text := range []string{
		"2026-11-27T18:00:00+09:00", "2026-11-27T18:00+09:00", "2026-11-27 18:00:00+09:00", "2026-11-27 18:00", "2026-11-27T18:00:00", "2026-11-27T09:00:00Z",
	} {
		m, err := ParseMoment(text)
		require.NoError(t, err, text)
		require.True(t, want.Equal(m.In(seoul)), text)
		require.Equal(t, text, m.String())
	}
	for text, code := range map[string]string{
		"2026-02-31 10:00": "date", "2026-13-01 10:00": "date", "2026-11-27 25:00": "date", "tomorrow": "moment", "": "moment", "2026-11-27": "moment",
	} {
		_, err := ParseMoment(text)
		var why *ScheduleError
		require.ErrorAs(t, err, &why, text)
		require.Equal(t, code, why.Code, text)
		for _, lang := range i18n.Languages {
			require.NotEmpty(t, why.Text(lang))
		}
	}
}

func TestAMomentIsResolvedFromNow(t *testing.T) {
	seoul, err := time.LoadLocation("Asia/Seoul")
	require.NoError(t, err)
	now := time.Date(2026, 11, 27, 12, 30, 15, 500, seoul)
	for text, want := range map[string]string{
		"30m": "2026-11-27T13:00:15+09:00", "18:00": "2026-11-27T18:00:00+09:00", "12:30": "2026-11-28T12:30:00+09:00", "2026-12-01 09:00": "2026-12-01T09:00:00+09:00",
	} {
		got, err := ResolveMoment(text, now, seoul)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for text, code := range map[string]string{"2026-11-27 12:30": "past", "24:00": "moment", "0s": "moment", "9999d": "moment"} {
		_, err := ResolveMoment(text, now, seoul)
		var why *ScheduleError
		require.ErrorAs(t, err, &why, text)
		require.Equal(t, code, why.Code, text)
	}
}

func reminder(at string) ScheduledRule {
	m, err := ParseMoment(at)
	if err != nil {
		panic(err)
	}
	return ScheduledRule{Rule{Name: "tea", At: at, Say: "drink tea", Notify: []string{"cli"}, Enabled: true, CatchUp: CatchLatest}, m}
}

func TestAReminderIsDueOnce(t *testing.T) {
	w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
	w.pass(59*time.Minute, defaultLook)
	require.Empty(t, w.begun)
	require.Equal(t, []time.Time{time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)}, w.s.WakeTimes(5), "the service manager wakes for it")
	w.pass(2*time.Minute, defaultLook)
	require.Len(t, w.working, 1)
	require.Equal(t, "drink tea", w.working[0].Say)
	w.finish()
	w.pass(48*time.Hour, time.Hour)
	require.Equal(t, []string{"01 01:00 RAN "}, w.states("tea"))
	require.Empty(t, w.s.WakeTimes(5))
}

func TestAReminderIsNotLostWhileNothingRuns(t *testing.T) {
	for _, seen := range []bool{true, false} { // false: the daemon died before it ever saw the rule
		w := newWorld(t)
		if seen {
			w.rules = []ScheduledRule{reminder("2026-03-01T01:00:00Z")}
			w.s.Set(w.rules)
		}
		w.die()
		w.now = w.now.Add(3 * 24 * time.Hour)
		w.rules = []ScheduledRule{reminder("2026-03-01T01:00:00Z")}
		w.start()
		w.finish()
		w.pass(time.Hour, defaultLook)
		require.Equal(t, []string{"01 01:00 LATE off"}, w.states("tea"), seen)
	}
}

func TestAReminderIsDueWhenTheMachineWakes(t *testing.T) {
	w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
	w.now = w.now.Add(5 * time.Hour) // asleep: no looks
	w.s.Tick()
	w.finish()
	require.Equal(t, []string{"01 01:00 LATE off"}, w.states("tea"))
}

func TestAClockThatIsSetBackRemindsOfNothingTwice(t *testing.T) {
	for _, back := range []time.Duration{30 * time.Minute, 3 * time.Hour, 40 * 24 * time.Hour} {
		w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
		w.pass(61*time.Minute, defaultLook)
		w.finish()
		w.now = w.now.Add(-back)
		w.s.Tick()
		w.s.Set(w.rules)
		w.pass(2*back, time.Hour)
		require.Equal(t, []string{"01 01:00 RAN "}, w.states("tea"), back)
	}
}

func TestAClockThatIsSetBackBeforeItIsDueKeepsIt(t *testing.T) {
	w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
	w.pass(30*time.Minute, defaultLook)
	w.now = w.now.Add(-26 * time.Hour)
	w.s.Tick()
	w.pass(27*time.Hour, time.Minute)
	w.finish()
	require.Equal(t, []string{"01 01:00 RAN "}, w.states("tea"))
}

// TestAReminderIsRepeatedUntilItIsSent kills the daemon three times while the run is open: the outbox accepts its message
// once, so it may always be begun again.
func TestAReminderIsRepeatedUntilItIsSent(t *testing.T) {
	w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
	w.pass(61*time.Minute, defaultLook)
	for range 3 {
		w.die()
		w.start()
		require.Len(t, w.working, 1)
	}
	w.rules = nil // it was sent, its rule removed, and then the daemon died
	w.die()
	w.start()
	require.Equal(t, []string{"01 01:00 RAN "}, w.states("tea"))
}

func TestANewTimeOfAReminderIsDueAgain(t *testing.T) {
	w := newWorld(t, reminder("2026-03-01T01:00:00Z"))
	w.pass(61*time.Minute, defaultLook)
	w.finish()
	w.rules = []ScheduledRule{reminder("2026-03-01T01:10:00Z")}
	w.s.Set(w.rules)
	w.pass(20*time.Minute, defaultLook)
	w.finish()
	require.Equal(t, []string{"01 01:00 RAN ", "01 01:10 RAN "}, w.states("tea"))
}

func TestReminderKeysAreChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "automations.toml")
	load := func(keys string) ([]Rule, []string) {
		require.NoError(t, os.WriteFile(file, []byte("[[automation]]\nname = \"x\"\n"+keys), 0o600))
		set, problems := Load(Files{Path: file})
		var codes []string
		for _, p := range problems {
			codes = append(codes, p.Code)
		}
		return set.Rules, codes
	}
	for _, at := range []string{`"2026-11-27 18:00"`, "2026-11-27T18:00:00", "2026-11-27T18:00:00+09:00", "2026-11-27 18:00:00"} {
		rules, codes := load("at = " + at + "\nsay = \"tea\"\n")
		require.Empty(t, codes, at)
		times, err := rules[0].Timetable()
		require.NoError(t, err)
		require.IsType(t, Moment{}, times)
	}
	for keys, want := range map[string]string{
		"at = \"2026-02-31 10:00\"\nsay = \"x\"":                                 "schedule",
		"at = \"2026-11-27 10:00\"\nschedule = \"09:00\"\nsay = \"x\"":           "pair",
		"at = \"2026-11-27 10:00\"\nsay = \"x\"\naction = \"y\"":                 "pair",
		"at = \"2026-11-27 10:00\"":                                              "no_deed",
		"say = \"x\"":                                                            "no_begin",
		"at = \"2026-11-27 10:00\"\nsay = \"\"":                                  "text",
		"at = \"2026-11-27 10:00\"\nsay = \"" + strings.Repeat("x", 1025) + "\"": "text",
		"at = 7\nsay = \"x\"":                                                    "type",
		"schedule = \"09:00\"\nsay = \"x\"\nonce = true":                         "once",
	} {
		_, codes := load(keys + "\n")
		require.Contains(t, codes, want, keys)
	}
}
