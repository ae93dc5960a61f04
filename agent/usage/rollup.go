package usage

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
)

// The limits of the ledger over years.
const (
	// maxFile is the size in bytes at which the file's lines are replaced with daily sums, provided that it has
	// doubled since the last time.
	maxFile = 1 << 20
	// sessionDays is the number of days for which sums distinguish conversations.
	sessionDays = 62
	// maxSums bounds the number of sums. Above it, keys lose details.
	maxSums = 10_000
	// maxDaySums bounds the sums of one day, which are in memory. Further conversations of the day are summed together.
	maxDaySums = 256
)

// boundKey returns the key under which a day counts a request of key k.
func (d *day) boundKey(k Key) Key {
	if _, known := d.sums[k]; !known && len(d.sums) >= maxDaySums {
		return k.withoutSession()
	}
	return k
}

// rollup is a ledger reduced to daily sums.
type rollup struct {
	days map[string]*day
	keys int
}

func (r *rollup) add(date string, k Key, s Sum) {
	d := r.days[date]
	if d == nil {
		d = &day{sums: map[Key]Sum{}}
		r.days[date] = d
	}
	k = d.boundKey(k)
	if _, known := d.sums[k]; !known {
		r.keys++
	}
	d.sums[k] = d.sums[k].Add(s)
}

// coarsen merges sums whose keys are equal after keep removed details.
func (r rollup) coarsen(keep func(Key) Key) rollup {
	c := rollup{days: map[string]*day{}}
	for date, d := range r.days {
		for k, s := range d.sums {
			c.add(date, keep(k), s)
		}
		c.days[date].last = d.last
	}
	return c
}

// dates returns the days ordered by their latest lines. This order shows whether the clock was set back.
func (r rollup) dates() []string {
	return slices.SortedFunc(maps.Keys(r.days), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.days[a].last, r.days[b].last), cmp.Compare(a, b))
	})
}

// lines returns the sums as lines of the file.
func (r rollup) lines() []line {
	var all []line
	for _, date := range r.dates() {
		sums := r.days[date].sums
		for _, k := range slices.SortedFunc(maps.Keys(sums), compareKeys) {
			all = append(all, sumLine(date, k, sums[k]))
		}
	}
	return all
}

func compareKeys(a, b Key) int {
	flag := func(x, y bool) int {
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Session, b.Session),
		cmp.Compare(a.Automation, b.Automation), flag(a.Summary, b.Summary), flag(a.Free, b.Free),
	)
}

// shorten replaces a long file with daily sums. It does not replace a file that could not be read completely,
// because its content is unknown.
func (l *Ledger) shorten() error {
	size := l.journal.Size()
	if !l.loaded || size < crash.Scaled(maxFile) || size < 2*l.size {
		return nil
	}
	sums := l.rollUp()
	lines := sums.lines()
	records := make([]any, len(lines))
	for i := range lines {
		records[i] = lines[i]
	}
	if err := l.journal.Rewrite(records); err != nil {
		l.size = size // retry only after it has doubled again
		return err
	}
	l.size = l.journal.Size()
	l.days, l.keys = sums.days, sums.keys
	l.damage = nil // the journal has saved a copy
	return nil
}

// rollUp returns the sums to keep: without the conversations of old days, and with coarser keys if there are
// too many.
func (l *Ledger) rollUp() rollup {
	all := rollup{days: l.days, keys: l.keys}
	from := l.now().Local().AddDate(0, 0, -sessionDays).Format(time.DateOnly)
	all = all.dropOldSessions(from)
	for _, keep := range []func(Key) Key{Key.withoutSession, Key.modelOnly} {
		if all.keys > maxSums {
			all = all.coarsen(keep)
		}
	}
	return all
}

// dropOldSessions merges the conversations of days before from.
func (r rollup) dropOldSessions(from string) rollup {
	c := rollup{days: map[string]*day{}}
	for date, d := range r.days {
		for k, s := range d.sums {
			if date < from {
				k = k.withoutSession()
			}
			c.add(date, k, s)
		}
		c.days[date].last = d.last
	}
	return c
}
