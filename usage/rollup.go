package usage

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/crash"
)

// The bounds of the ledger over years.
const (
	// maxFile is how long the file gets, in bytes, before its lines become daily
	// sums, if it has doubled since that was done last.
	maxFile = 1 << 20
	// keepSessions is how many days sums tell conversations apart.
	keepSessions = 62
	// maxSums is how many sums are kept: when there are more, they tell apart
	// less.
	maxSums = 10_000
)

// rolled is a ledger as daily sums.
type rolled struct {
	days map[string]*day
	keys int
}

func (r *rolled) add(date string, k Key, s Sum) {
	d := r.days[date]
	if d == nil {
		d = &day{sums: map[Key]Sum{}}
		r.days[date] = d
	}
	if _, known := d.sums[k]; !known {
		r.keys++
	}
	d.sums[k] = d.sums[k].Plus(s)
}

// coarser returns the sums by what of a key is kept.
func (r rolled) coarser(keep func(Key) Key) rolled {
	c := rolled{days: map[string]*day{}}
	for date, d := range r.days {
		for k, s := range d.sums {
			c.add(date, keep(k), s)
		}
		c.days[date].last = d.last
	}
	return c
}

// dates are the days in the order of their latest lines, which is what tells
// that a clock was set back.
func (r rolled) dates() []string {
	return slices.SortedFunc(maps.Keys(r.days), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.days[a].last, r.days[b].last), cmp.Compare(a, b))
	})
}

// lines are the sums as the file has them.
func (r rolled) lines() []line {
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

// shorten replaces the file by daily sums when it has become long. A file that
// could not be read whole is not replaced: what it holds is not known.
func (l *Ledger) shorten() error {
	size := l.journal.Size()
	if !l.read || size < crash.Scaled(maxFile) || size < 2*l.size {
		return nil
	}
	sums := l.rolled()
	lines := sums.lines()
	records := make([]any, len(lines))
	for i := range lines {
		records[i] = lines[i]
	}
	if err := l.journal.Rewrite(records); err != nil {
		l.size = size // not at once again
		return err
	}
	l.size = l.journal.Size()
	l.days, l.keys = sums.days, sums.keys
	l.damage = nil // copied aside by the journal
	return nil
}

// rolled are the sums that are kept: without the conversations of old days,
// and telling apart less when there are too many.
func (l *Ledger) rolled() rolled {
	all := rolled{days: l.days, keys: l.keys}
	from := l.now().Local().AddDate(0, 0, -keepSessions).Format(time.DateOnly)
	all = all.older(from)
	for _, keep := range []func(Key) Key{Key.withoutSession, Key.plain} {
		if all.keys > maxSums {
			all = all.coarser(keep)
		}
	}
	return all
}

// older returns the sums, those of days before from without conversations.
func (r rolled) older(from string) rolled {
	c := rolled{days: map[string]*day{}}
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
