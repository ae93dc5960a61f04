package usage

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Row is a row of a table.
type Row struct {
	Name string // a day, a provider, …; "" if no longer known
	Sum
}

// ErrSince reports an invalid beginning of a period.
var ErrSince = errors.New(`it must be "today", a number of days such as "7d", a day such as "2026-11-01", or "all"`)

// ParseSince returns the first day of a period: "today", "7d" (the last seven days including today), a day such as
// 2026-11-01, or "" for "all".
func (l *Ledger) ParseSince(text string) (day string, err error) {
	today := l.now().Local()
	if text == "today" {
		return today.Format(time.DateOnly), nil
	}
	if text == "" || text == "all" {
		return "", nil
	}
	if number, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 36500 {
			return "", ErrSince
		}
		return today.AddDate(0, 0, 1-n).Format(time.DateOnly), nil
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", ErrSince
	}
	return text, nil
}

// Rows returns the sums since a day ("" for all) for one channel ("" for all), and their total. Days are sorted
// by date, other rows by cost, then tokens, in descending order.
func (l *Ledger) Rows(since string, by Grouping, channel string) (rows []Row, total Sum) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	sums := map[string]Sum{}
	for date, d := range l.days {
		if date < since {
			continue
		}
		for k, s := range d.sums {
			if channel != "" && k.Channel != channel {
				continue
			}
			name := by.rowName(date, k)
			sums[name] = sums[name].Add(s)
			total = total.Add(s)
		}
	}
	rows = []Row{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, Row{name, sums[name]})
	}
	if by != ByDay {
		sorting.Stably(rows, func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(b.Requests, a.Requests))
		})
	}
	return rows, total
}

// Today returns the current local day and the sum of its requests.
func (l *Ledger) Today() (date string, total Sum) {
	date = l.now().Local().Format(time.DateOnly)
	l.eachToday(date, func(_ Key, s Sum) { total = total.Add(s) })
	return date, total
}

// eachToday calls visit with the sums of today. Requests of a future date were made while the clock was ahead.
// They count for today until a later request has an earlier date than today, which shows that a midnight has
// passed.
func (l *Ledger) eachToday(today string, visit func(Key, Sum)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	before := int64(0) // number of the latest line of an earlier day
	for date, d := range l.days {
		if date < today {
			before = max(before, d.last)
		}
	}
	for date, d := range l.days {
		if date < today || date > today && d.last < before {
			continue
		}
		for k, s := range d.sums {
			visit(k, s)
		}
	}
}
