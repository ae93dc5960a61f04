package automation

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// machine is a computer whose clock differs from the elapsed time by its sleep and clock changes.
type machine struct {
	mu   sync.Mutex
	off  time.Duration
	zone *time.Location
}

func (m *machine) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.off)
}

func (m *machine) jump(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off += d
}

// daemonLife is one lifetime of the daemon.
type daemonLife struct {
	s      *Scheduler
	ledger *Ledger
	cancel context.CancelFunc
	over   sync.WaitGroup
}

// startLife starts a daemon whose runs take some time.
func startLife(t *testing.T, m *machine, file string, rules []ScheduledRule, r *rand.Rand) *daemonLife {
	l := &daemonLife{ledger: NewLedger(file)}
	l.ledger.keep = 1 << 20
	_, err := l.ledger.Load()
	require.NoError(t, err)
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(context.Background())
	var mu sync.Mutex
	r = rand.New(rand.NewPCG(r.Uint64(), 0)) // a separate generator, because the run uses it concurrently
	l.s = NewScheduler(SchedulerOptions{
		Ledger: l.ledger, Look: 5 * time.Minute, Now: m.now, Zone: func() *time.Location { return m.zone },
		Begin: func(run Run, _ Rule) {
			mu.Lock()
			takes := time.Duration(r.IntN(100)) * time.Second
			mu.Unlock()
			l.over.Go(func() {
				select {
				case <-ctx.Done(): // the daemon dies during the run
				case <-time.After(takes):
					_ = l.s.End(run.ID, Outcome{})
				}
			})
		},
		Warn: func(err error) { t.Error(err) },
	})
	l.s.Set(rules)
	for _, run := range l.ledger.Open() {
		require.NoError(t, l.s.Retry(run))
	}
	l.over.Go(func() { l.s.Run(ctx) })
	return l
}

func (l *daemonLife) die() {
	l.s.Close()
	l.cancel()
	l.over.Wait()
	l.ledger.Close()
}

// A year with daylight saving time, sleep, clock changes and a daemon that dies at any time. Each due time of
// cron ends exactly once.
func TestAYearOnAMachine(t *testing.T) {
	months, places := 12, []string{"America/New_York", "Europe/London", "Australia/Lord_Howe"}
	if raceDetector { // it makes a year slow
		months, places = 4, places[:1]
	}
	for seed, place := range places {
		t.Run(filepath.Base(place), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(fastDir(t), "ledger.jsonl")
			synctest.Test(t, func(t *testing.T) { year(t, place, file, months, uint64(seed)) })
		})
	}
}

func year(t *testing.T, place, file string, months int, seed uint64) {
	zone, err := time.LoadLocation(place)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(seed, 8))
	m := &machine{zone: zone}
	specs := map[string]string{"gap": "30 2 * * *", "fold": "15 1 * * *", "hourly": "5 * * * *", "monthly": "0 0 1 * *", "weekly": "45 23 * * sun"}
	policies := map[string]CatchUp{"gap": CatchLatest, "fold": CatchAll, "hourly": CatchNone, "monthly": CatchLatest, "weekly": CatchAll}
	var rules []ScheduledRule
	for name, spec := range specs {
		s, err := ParseSchedule(spec)
		require.NoError(t, err)
		rules = append(rules, ScheduledRule{Rule{Name: name, Schedule: spec, Enabled: true, CatchUp: policies[name]}, s})
	}
	begun := m.now()
	daemon := startLife(t, m, file, rules, r)
	farthest := begun
	for end := begun.AddDate(0, months, 0); m.now().Before(end); {
		time.Sleep(time.Duration(r.IntN(40*3600)) * time.Second)
		if now := m.now(); now.After(farthest) {
			farthest = now
		}
		switch r.IntN(5) {
		case 0: // sleeps for up to five days
			m.jump(time.Duration(r.IntN(5*24*3600)) * time.Second)
		case 1:
			m.jump(time.Duration(r.IntN(7200)-3600) * time.Second)
		case 2:
			daemon.die()
			m.jump(time.Duration(r.IntN(3600)) * time.Second)
			daemon = startLife(t, m, file, rules, r)
		}
	}
	for m.now().Before(farthest.Add(26 * time.Hour)) { // until all late runs have ended
		time.Sleep(time.Hour)
	}
	last := m.now()
	time.Sleep(30 * time.Minute)
	daemon.die()
	for name, spec := range specs {
		requireEach(t, daemon.ledger.History(name, 0), readCrontab(spec).walk(begun, last, zone), name)
	}
}

// requireEach requires that the ledger contains each due time once, and no others.
func requireEach(t *testing.T, runs []Run, due []time.Time, name string) {
	t.Helper()
	require.NotEmpty(t, due)
	stood := 0
	for _, at := range due {
		n := 0
		for _, run := range runs {
			if !at.Before(run.Due) && !at.After(run.lastDue()) {
				require.NotEmpty(t, run.State, "%s at %s", name, at)
				n++
			}
		}
		require.Equal(t, 1, n, "%s is due at %s", name, at)
		stood++
	}
	counted := 0
	for _, run := range runs {
		if !run.Due.After(due[len(due)-1]) {
			counted += max(run.Count, 1)
		}
	}
	require.Equal(t, stood, counted, name)
}
