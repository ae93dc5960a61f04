package automation

import (
	"container/heap"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
)

// Benchmarks with 10,000 rules. Each is paired with a floor in the same run that does only the basic work:
// robfig/cron computes the next time of each rule, package heap sorts as many times, the same lines are written
// to a file. The ledger is in memory if /dev/shm exists, because the cost of syncs depends on the disk.

const many = 10_000

// crowd is a scheduler with many rules and a clock that the benchmark sets.
type crowd struct {
	*Scheduler
	file  string
	now   time.Time
	rules []ScheduledRule
	ended int
}

// newCrowd creates many rules with the schedules of spec, which can depend on the rule's number. Their runs end
// immediately.
func newCrowd(b *testing.B, spec func(i int) string) *crowd {
	b.Helper()
	c := &crowd{now: time.Date(2026, 3, 4, 0, 0, 30, 0, time.UTC)}
	for i := range many {
		s, err := ParseSchedule(spec(i))
		require.NoError(b, err)
		c.rules = append(c.rules, ScheduledRule{Rule{Name: fmt.Sprintf("rule %d", i), Schedule: s.String(), Enabled: true, CatchUp: CatchLatest}, s})
	}
	c.afresh(b)
	return c
}

// afresh resets the crowd's ledger.
func (c *crowd) afresh(b *testing.B) {
	c.file = filepath.Join(fastDir(b), "ledger.jsonl")
	ledger := NewLedger(c.file)
	_, err := ledger.Load()
	require.NoError(b, err)
	b.Cleanup(ledger.Close)
	c.ended = 0
	c.Scheduler = NewScheduler(SchedulerOptions{
		Ledger: ledger, Now: func() time.Time { return c.now }, Zone: func() *time.Location { return time.UTC },
		Begin: func(r Run, _ Rule) {
			c.ended++
			if err := c.End(r.ID, Outcome{}); err != nil {
				b.Error(err)
			}
		},
	})
}

// spread distributes the rules over a day, except for its first nine hours.
func spread(i int) string { return fmt.Sprintf("%d %d * * mon-fri", i%60, 9+i/60%12) }

// cronSchedules returns the same schedules of robfig/cron.
func cronSchedules(b *testing.B, rules []ScheduledRule) (schedules []cron.Schedule) {
	b.Helper()
	for _, p := range rules {
		s, err := cron.ParseStandard(p.Schedule)
		require.NoError(b, err)
		schedules = append(schedules, s)
	}
	return schedules
}

// instants is a heap of times.
type instants []time.Time

func (h instants) Len() int           { return len(h) }
func (h instants) Less(i, j int) bool { return h[i].Before(h[j]) }
func (h instants) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *instants) Push(x any)        { *h = append(*h, x.(time.Time)) } //nolint:forcetypeassert // only times are pushed
func (h *instants) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// firstDue is the floor for finding the next due time of all rules.
func firstDue(schedules []cron.Schedule, now time.Time) time.Time {
	var h instants
	for _, s := range schedules {
		heap.Push(&h, s.Next(now))
	}
	return h[0]
}

// pairedBench runs a function and its floor in turn. It reports the medians in milliseconds, and the median of the
// pairwise ratios, which is robust against changes of the machine's speed. prepare is not measured.
func pairedBench(b *testing.B, prepare, ours, floor func()) {
	b.Helper()
	var took, least, ratio []float64
	for b.Loop() {
		prepare()
		start := time.Now()
		ours()
		middle := time.Now()
		floor()
		o, f := float64(middle.Sub(start)), float64(time.Since(middle))
		took, least, ratio = append(took, o), append(least, f), append(ratio, o/f)
	}
	for _, row := range []struct {
		of   []float64
		by   float64
		unit string
	}{{took, 1e6, "ours-ms"}, {least, 1e6, "floor-ms"}, {ratio, 1, "x-floor"}} {
		slices.Sort(row.of)
		b.ReportMetric(row.of[len(row.of)/2]/row.by, row.unit)
	}
	b.ReportMetric(0, "ns/op")
}

func nothing() {}

// BenchmarkTick10000 measures a thousand looks at the clock with nothing due. The floor is as many readings of
// the clock.
func BenchmarkTick10000(b *testing.B) {
	c := newCrowd(b, spread)
	c.Set(c.rules)
	c.Tick()
	pairedBench(b, nothing, func() {
		for range 1000 {
			c.Tick()
		}
	}, func() {
		for range 1000 {
			_ = time.Now().Round(0)
		}
	})
	require.Zero(b, c.ended)
}

// BenchmarkSet10000 measures setting the rules: new ones, which are written to the ledger, and the same ones
// again.
func BenchmarkSet10000(b *testing.B) {
	for _, seen := range []bool{false, true} {
		b.Run(map[bool]string{false: "new", true: "again"}[seen], func(b *testing.B) {
			c := newCrowd(b, spread)
			c.Set(c.rules)
			schedules := cronSchedules(b, c.rules)
			prepare := func() { c.afresh(b) }
			if seen {
				prepare = nothing
			}
			pairedBench(b, prepare, func() { c.Set(c.rules) }, func() { firstDue(schedules, c.now) })
		})
	}
}

// BenchmarkDueAtOnce10000 measures from the minute at which all are due until each has begun, four at a time, and
// ended. The floor writes the same lines to a file, with as many syncs.
func BenchmarkDueAtOnce10000(b *testing.B) {
	c := newCrowd(b, func(int) string { return "0 9 * * *" })
	begin := c.now
	file, err := os.Create(filepath.Join(fastDir(b), "floor"))
	require.NoError(b, err)
	defer file.Close()
	line, err := json.Marshal(ledgerLine{Run: &Run{ID: runID("rule 1234", c.now, ""), Rule: "rule 1234", Due: c.now, Started: c.now, Attempts: 1}})
	require.NoError(b, err)
	sync := func(lines int) {
		for range lines {
			if _, err := file.Write(append(line, '\n')); err != nil {
				b.Fatal(err)
			}
		}
		if err := file.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	pairedBench(b, func() {
		c.now = begin
		c.afresh(b)
		c.Set(c.rules)
		c.Tick()
		c.now = begin.Add(9 * time.Hour)
	}, func() {
		for c.ended < many {
			c.Tick()
		}
	}, func() {
		require.NoError(b, file.Truncate(0))
		for range many / maxRunning {
			sync(maxRunning) // begun together
			for range maxRunning {
				sync(1) // each ends separately
			}
		}
	})
	require.Empty(b, c.o.Ledger.Open())
}

// BenchmarkWakes10000 measures the list of wake times, which a daemon requests before it exits.
func BenchmarkWakes10000(b *testing.B) {
	c := newCrowd(b, spread)
	c.Set(c.rules)
	schedules := cronSchedules(b, c.rules)
	pairedBench(b, nothing, func() { require.Len(b, c.WakeTimes(16), 16) }, func() { firstDue(schedules, c.now) })
}

// BenchmarkUpcoming10000 measures the list of the next due times.
func BenchmarkUpcoming10000(b *testing.B) {
	c := newCrowd(b, spread)
	c.Set(c.rules)
	schedules := cronSchedules(b, c.rules)
	pairedBench(b, nothing, func() { require.Len(b, c.Upcoming(10), 10) }, func() { firstDue(schedules, c.now) })
}

// BenchmarkHistory measures the latest runs of all rules in a full ledger. The floor visits each run.
func BenchmarkHistory(b *testing.B) {
	l := NewLedger(filepath.Join(fastDir(b), "ledger.jsonl"))
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	for i := range maxRuns {
		due := now.Add(time.Duration(i) * time.Minute)
		l.applyRun(Run{ID: fmt.Sprint(i), Rule: fmt.Sprintf("rule %d", i%many), Due: due, Ended: due, State: Ran})
	}
	pairedBench(b, nothing, func() { require.Len(b, l.History("", 20), 20) }, func() {
		latest := now
		for _, book := range l.rules {
			for _, r := range book.ended {
				if r.lastDue().After(latest) {
					latest = r.lastDue()
				}
			}
		}
	})
}
