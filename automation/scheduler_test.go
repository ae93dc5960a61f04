package automation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// every is due at each multiple of that many minutes of Unix time.
type every time.Duration

func (e every) Next(after time.Time, _ *time.Location) (time.Time, bool) {
	return after.Truncate(time.Duration(e)).Add(time.Duration(e)), true
}

// world is a machine whose clock, sleep and daemon are controlled by a test.
type world struct {
	t interface {
		require.TestingT
		Helper()
	}
	file    string
	now     time.Time
	zone    *time.Location
	rules   []ScheduledRule
	ledger  *Ledger
	s       *Scheduler
	working []Run
	begun   []Run
	warned  []error
}

func newWorld(t *testing.T, rules ...ScheduledRule) *world {
	w := &world{t: t, file: filepath.Join(fastDir(t), "ledger.jsonl"), now: time.Date(2026, 3, 1, 0, 0, 30, 0, time.UTC), zone: time.UTC, rules: rules}
	w.start()
	return w
}

// fastDir returns a directory in memory if possible: a year of syncs is slow.
func fastDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "automation")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start starts a daemon with the state of the previous one.
func (w *world) start() {
	w.ledger = NewLedger(w.file)
	w.ledger.keep = 1 << 20
	damage, err := w.ledger.Load()
	require.NoError(w.t, err)
	require.Empty(w.t, damage)
	w.s = NewScheduler(SchedulerOptions{
		Ledger: w.ledger, Now: func() time.Time { return w.now }, Zone: func() *time.Location { return w.zone },
		Begin: func(r Run, _ Rule) { w.working, w.begun = append(w.working, r), append(w.begun, r) },
		Warn:  func(err error) { w.warned = append(w.warned, err) },
	})
	w.working = nil
	w.s.Set(w.rules)
	for _, r := range w.ledger.Open() {
		require.NoError(w.t, w.s.Retry(r))
	}
	w.s.Tick()
}

// die ends the daemon like a power failure.
func (w *world) die() { w.ledger.Close() }

// pass advances the time, with a look at the clock at each interval.
func (w *world) pass(d, look time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.now = w.now.Add(min(look, end.Sub(w.now)))
		w.s.Tick()
	}
}

// finish ends the current runs.
func (w *world) finish() {
	for _, r := range w.working {
		require.NoError(w.t, w.s.End(r.ID, Outcome{}))
	}
	w.working = nil
	w.s.Tick()
}

// states returns a rule's due times with their outcomes.
func (w *world) states(rule string) []string {
	var rows []string
	for _, r := range slices.Backward(w.ledger.History(rule, 0)) {
		row := r.Due.Format("02 15:04") + " " + string(r.State) + " " + r.Reason
		if r.Count > 0 {
			row += fmt.Sprintf(" ×%d", r.Count)
		}
		rows = append(rows, row)
	}
	return rows
}

func hourly(name string, catchUp CatchUp) ScheduledRule {
	return ScheduledRule{Rule{Name: name, Schedule: "hourly", Enabled: true, CatchUp: catchUp}, every(time.Hour)}
}

func TestATimeThatIsDueRunsOnce(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	w.pass(61*time.Minute, defaultLook)
	require.Len(t, w.working, 1)
	w.finish()
	w.pass(30*time.Minute, defaultLook)
	require.Equal(t, []string{"01 01:00 RAN "}, w.states("a"))
}

func TestWhatWasMissedWhileAsleep(t *testing.T) {
	for _, tt := range []struct {
		catchUp CatchUp
		want    []string
	}{
		{CatchNone, []string{"01 01:00 SKIPPED missed ×4"}},
		{CatchLatest, []string{"01 01:00 SKIPPED superseded ×3", "01 04:00 LATE off"}},
		{CatchAll, []string{"01 01:00 LATE off", "01 02:00 LATE busy", "01 03:00 LATE busy", "01 04:00 LATE busy"}},
	} {
		t.Run(string(tt.catchUp), func(t *testing.T) {
			w := newWorld(t, hourly("a", tt.catchUp))
			w.now = w.now.Add(4*time.Hour + 10*time.Minute)
			w.s.Tick()
			for range 5 {
				w.finish()
			}
			require.Equal(t, tt.want, w.states("a"))
		})
	}
}

func TestOnTheMinuteAfterASleepTheLastOneIsNotLate(t *testing.T) {
	w := newWorld(t, hourly("a", CatchNone))
	w.now = time.Date(2026, 3, 1, 3, 0, 20, 0, time.UTC)
	w.s.Tick()
	w.finish()
	require.Equal(t, []string{"01 01:00 SKIPPED missed ×2", "01 03:00 RAN "}, w.states("a"))
}

func TestARunThatOutlastsItsPeriodDoesNotPileUp(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	w.pass(3*time.Hour+time.Minute, defaultLook)
	require.Len(t, w.begun, 1)
	w.finish()
	w.pass(time.Hour, defaultLook)
	w.finish()
	require.Equal(t, []string{"01 01:00 RAN ", "01 02:00 SKIPPED overlap", "01 03:00 SKIPPED overlap", "01 04:00 RAN "}, w.states("a"))
}

func TestARuleThatIsNewOrChangedOwesNothing(t *testing.T) {
	w := newWorld(t, hourly("a", CatchAll))
	w.pass(30*time.Minute, defaultLook)
	w.s.Close()
	w.now = w.now.Add(5 * time.Hour)
	w.rules = []ScheduledRule{{Rule{Name: "a", Schedule: "other", Enabled: true, CatchUp: CatchAll}, every(time.Hour)}}
	w.start()
	require.Empty(t, w.working)
	w.pass(time.Hour, defaultLook)
	require.Len(t, w.working, 1)
}

func TestARuleThatIsOffIsNotDue(t *testing.T) {
	w := newWorld(t, hourly("a", CatchAll))
	w.rules[0].Enabled = false
	w.s.Set(w.rules)
	w.pass(3*time.Hour, defaultLook)
	w.rules[0].Enabled = true
	w.s.Set(w.rules)
	w.pass(time.Hour, defaultLook)
	w.finish()
	require.Equal(t, []string{"01 04:00 RAN "}, w.states("a"))
}

func TestAClockSetBackRunsNothingTwice(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	w.pass(3*time.Hour, defaultLook)
	w.finish()
	w.now = w.now.Add(-2 * time.Hour)
	w.pass(2*time.Hour, defaultLook)
	w.finish()
	require.Len(t, w.begun, 1+0)
	w.pass(time.Hour, defaultLook)
	w.finish()
	require.Equal(t, "01 04:00 RAN ", w.states("a")[len(w.states("a"))-1])
}

func TestAClockThatWasYearsAheadIsRecoveredFrom(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	right := w.now
	w.now = w.now.AddDate(3, 0, 0)
	w.s.Tick()
	w.finish()
	w.now = right.Add(time.Minute)
	w.pass(2*time.Hour, defaultLook)
	w.finish()
	require.Contains(t, w.states("a"), "01 01:00 RAN ")
}

func TestWhatADaemonDiedAtIsBegunOnceMore(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	w.pass(time.Hour, defaultLook)
	require.Len(t, w.working, 1)
	w.die()
	w.start()
	require.Len(t, w.working, 1)
	require.Equal(t, 2, w.working[0].Attempts)
	w.die()
	w.start()
	require.Empty(t, w.working)
	require.Equal(t, []string{"01 01:00 FAILED interrupted"}, w.states("a"))
}

func TestOnlySoManyAreAtWorkAndTheOthersWait(t *testing.T) {
	var rules []ScheduledRule
	for i := range 10 {
		rules = append(rules, hourly(fmt.Sprint("r", i), CatchLatest))
	}
	w := newWorld(t, rules...)
	w.pass(time.Hour, defaultLook)
	require.Len(t, w.working, maxRunning)
	w.pass(5*time.Minute, defaultLook)
	require.Len(t, w.begun, maxRunning)
	for range 5 {
		w.finish()
	}
	require.Len(t, w.begun, 10)
	late := 0
	for _, r := range w.ledger.History("", 0) {
		if r.State == Late {
			require.Equal(t, ReasonBusy, r.Reason)
			late++
		}
	}
	require.Equal(t, 6, late)
}

func TestNothingBeginsThatCannotBeWrittenDown(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	w.ledger.journal = nil
	w.ledger = NewLedger(filepath.Join(t.TempDir(), "no", "\x00"))
	w.s.o.Ledger = w.ledger
	w.s.Set(w.rules)
	next, ok := w.s.Tick()
	require.NotEmpty(t, w.warned)
	require.Empty(t, w.begun)
	require.True(t, ok)
	require.Equal(t, w.now.Add(defaultLook), next, "it is tried again, not at once")
}

func TestAnEventIsHeardOfOnce(t *testing.T) {
	p := ScheduledRule{Rule: Rule{Name: "a", On: []string{"boot"}, Enabled: true, CatchUp: CatchLatest}}
	w := newWorld(t, p)
	boot := func(id string) { w.s.HandleEvent(Occurrence{Rule: "a", Event: "boot", Key: id}) }
	boot("first")
	w.s.Tick()
	require.Empty(t, w.begun, "it was there before the rule")
	w.die()
	w.start()
	for range 3 {
		boot("second")
		w.s.Tick()
	}
	require.Len(t, w.begun, 1)
	w.finish()
	w.die()
	w.start()
	boot("second")
	w.s.Tick()
	require.Len(t, w.begun, 1)
}

func TestAPersonBeginsARunBesideItsTimes(t *testing.T) {
	w := newWorld(t, hourly("a", CatchLatest))
	r, err := w.s.Begin("a")
	require.NoError(t, err)
	require.Equal(t, Manual, r.Event)
	_, err = w.s.Begin("a")
	require.ErrorIs(t, err, ErrRunning)
	_, err = w.s.Begin("b")
	require.ErrorIs(t, err, ErrUnknownRule)
	w.finish()
	w.pass(time.Hour, defaultLook)
	w.finish()
	require.Len(t, w.begun, 2)
}

// Random events: the machine runs, sleeps, its clock is set, its daemon is killed during runs.
func TestEachDueTimeEndsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rules := []ScheduledRule{
			{Rule{Name: "none", Schedule: "1", Enabled: true, CatchUp: CatchNone}, every(7 * time.Minute)},
			{Rule{Name: "latest", Schedule: "2", Enabled: true, CatchUp: CatchLatest}, every(time.Hour)},
			{Rule{Name: "all", Schedule: "3", Enabled: true, CatchUp: CatchAll}, every(3 * time.Hour)},
		}
		w := newWorld(t, rules...)
		begun := w.now
		farthest := w.now
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 6).Draw(rt, "what") {
			case 0, 1:
				w.pass(time.Duration(rapid.IntRange(1, 200).Draw(rt, "minutes"))*time.Minute, defaultLook)
			case 2: // asleep
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(rt, "hours")) * time.Hour)
				w.s.Tick()
			case 3:
				back := time.Duration(rapid.IntRange(1, 20*60).Draw(rt, "back")) * time.Minute
				if farthest.Sub(w.now)+back < maxClockStep {
					w.now = w.now.Add(-back)
					w.s.Tick()
				}
			case 4:
				w.die()
				w.start()
			default:
				w.finish()
			}
			if w.now.After(farthest) {
				farthest = w.now
			}
		}
		for w.now.Before(farthest) {
			w.pass(time.Hour, defaultLook)
		}
		for range 100 {
			w.finish()
		}
		for _, p := range rules {
			requireOnce(rt, w, p, begun, farthest)
		}
	})
}

// requireOnce compares a rule's ledger with its due times.
func requireOnce(t require.TestingT, w *world, p ScheduledRule, from, to time.Time) {
	runs := w.ledger.History(p.Name, 0)
	for due, ok := p.Times.Next(from, time.UTC); ok && !due.After(to); due, ok = p.Times.Next(due, time.UTC) {
		n := 0
		for _, r := range runs {
			if r.isScheduled() && !due.Before(r.Due) && !due.After(r.lastDue()) {
				require.NotEmpty(t, r.State)
				n++
			}
		}
		require.Equal(t, 1, n, "%s is due at %s", p.Name, due)
	}
}

func TestWhatIsDueAtOnceIsInOrderOfName(t *testing.T) {
	w := newWorld(t, hourly("c", CatchLatest), hourly("a", CatchLatest), hourly("b", CatchLatest))
	var next []string
	for _, d := range w.s.Upcoming(3) {
		next = append(next, d.Rule)
	}
	require.Equal(t, []string{"a", "b", "c"}, next)
	w.pass(time.Hour, defaultLook)
	for i, r := range w.begun {
		require.Equal(t, next[i], r.Rule)
	}
}

func TestAnEventDoesNotBeginItsRuleOverAndOver(t *testing.T) {
	w := newWorld(t, ScheduledRule{Rule: Rule{Name: "a", On: []string{"file:/x"}, Enabled: true}})
	for i := range 5 { // the run itself changes the file
		w.s.HandleEvent(Occurrence{Rule: "a", Event: "file:/x", Key: fmt.Sprint(i), Live: true})
		w.s.Tick()
		w.finish()
		w.now = w.now.Add(time.Second)
	}
	require.Len(t, w.begun, 1)
	require.Contains(t, w.states("a")[len(w.states("a"))-1], "SKIPPED too_often")
	w.now = w.now.Add(eventPause)
	w.s.HandleEvent(Occurrence{Rule: "a", Event: "file:/x", Key: "later", Live: true})
	w.s.Tick()
	require.Len(t, w.begun, 2)
}

func TestAnEventThatARuleComesToWaitForIsOnlyNoted(t *testing.T) {
	p := hourly("a", CatchLatest)
	w := newWorld(t, p)
	w.die()
	p.On = []string{"boot"}
	w.rules = []ScheduledRule{p}
	w.start()
	w.s.HandleEvent(Occurrence{Rule: "a", Event: "boot", Key: "this"})
	w.s.Tick()
	require.Empty(t, w.begun, "this boot was before it waited for one")
	w.die()
	w.start()
	w.s.HandleEvent(Occurrence{Rule: "a", Event: "boot", Key: "this"})
	w.s.Tick()
	require.Empty(t, w.begun)
	w.s.HandleEvent(Occurrence{Rule: "a", Event: "boot", Key: "next"})
	w.s.Tick()
	require.Len(t, w.begun, 1)
}

func TestAnEventThatWaitsItsTurnOutlastsNewRules(t *testing.T) {
	var rules []ScheduledRule
	for i := range maxRunning + 1 {
		rules = append(rules, ScheduledRule{Rule: Rule{Name: fmt.Sprint("r", i), On: []string{"resume"}, Enabled: true}})
	}
	w := newWorld(t, rules...)
	for _, p := range rules {
		w.s.HandleEvent(Occurrence{Rule: p.Name, Event: "resume", Key: "1", Live: true})
	}
	w.s.Tick()
	require.Len(t, w.begun, maxRunning)
	w.s.Set(rules)
	w.finish()
	require.Len(t, w.begun, maxRunning+1)
}
