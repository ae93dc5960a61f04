package usage

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a line of a table.
type Row struct {
	Name string // a day, a provider, …; "" where that is not known any more
	Sum
}

// ErrSince reports a beginning that makes no sense.
var ErrSince = errors.New(`it must be "today", a number of days such as "7d", a day such as "2026-11-01", or "all"`)

// Since returns the first day of a time: "today", "7d" (the last seven days,
// today among them), a day as 2026-11-01, and "" for "all".
func (l *Ledger) Since(text string) (day string, err error) {
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

// Rows returns the sums from a day on ("" for all), of one channel or of all
// (""), and their total. Days stand in their order, everything else with what
// cost most, then what took most tokens, first.
func (l *Ledger) Rows(since string, by By, channel string) (rows []Row, total Sum) {
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
			name := by.of(date, k)
			sums[name] = sums[name].Plus(s)
			total = total.Plus(s)
		}
	}
	rows = []Row{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, Row{name, sums[name]})
	}
	if by != ByDay {
		slices.SortStableFunc(rows, func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(b.Requests, a.Requests))
		})
	}
	return rows, total
}

// Today is the person's local day, and what its requests took, by whom.
func (l *Ledger) Today() (date string, total Sum) {
	date = l.now().Local().Format(time.DateOnly)
	l.eachToday(date, func(_ Key, s Sum) { total = total.Plus(s) })
	return date, total
}

// eachToday visits the sums of a day that is today. A day that seems to lie
// ahead is one of a clock that was right, or wrong, before somebody set it
// back: its requests were made today too, unless the clock has since shown a
// day before today, and so a midnight has passed.
func (l *Ledger) eachToday(today string, visit func(Key, Sum)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	before := int64(0) // the latest line of a day before today
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
