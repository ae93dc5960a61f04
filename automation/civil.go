package automation

import (
	"math/bits"
	"time"
)

// cronBits are the minutes of a civil clock that a cron expression matches: a bit
// for each value of each field.
type cronBits struct {
	minute, hour, day, month, weekday uint64
	either                            bool // day of month or day of week, not both
}

// searchYears is how far ahead a match is looked for. The rarest there is are 29
// February (8 years apart around 2100) and a day of the year on a day of the week
// (12 years).
const searchYears = 13

// longestMonths are the days of each month in a leap year.
var longestMonths = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// possible reports whether there is a date that matches: 31 February is none.
func (c cronBits) possible() bool {
	if c.either {
		return true
	}
	first := bits.TrailingZeros64(c.day)
	for month := 1; month <= 12; month++ {
		if c.month>>month&1 == 1 && first <= longestMonths[month] {
			return true
		}
	}
	return false
}

func (c cronBits) dayMatches(day int, weekday time.Weekday) bool {
	inMonth, inWeek := c.day>>day&1 == 1, c.weekday>>weekday&1 == 1
	if c.either {
		return inMonth || inWeek
	}
	return inMonth && inWeek
}

// next returns the first match at or after a civil time. Civil times are the
// seconds from 1970-01-01 00:00 on a clock that nobody ever changes.
func (c cronBits) next(civil int64) (int64, bool) {
	civil = -floorDiv(-civil, 60) * 60 // the next whole minute
	days := floorDiv(civil, daySeconds)
	if c.matchesDate(days) {
		if at, ok := c.inDay(int(civil-days*daySeconds) / 60); ok {
			return days*daySeconds + at, true
		}
	}
	days, ok := c.nextDate(days + 1)
	if !ok {
		return 0, false
	}
	at, ok := c.inDay(0)
	return days*daySeconds + at, ok
}

func (c cronBits) matchesDate(days int64) bool {
	t := time.Unix(days*daySeconds, 0).UTC()
	return c.month>>t.Month()&1 == 1 && c.dayMatches(t.Day(), t.Weekday())
}

// nextDate returns the first matching date at or after one, in days from
// 1970-01-01.
func (c cronBits) nextDate(days int64) (int64, bool) {
	t := time.Unix(days*daySeconds, 0).UTC()
	year, month, day := t.Date()
	weekday := t.Weekday()
	for last := year + searchYears; year <= last; {
		length := monthLength(year, month)
		if c.month>>month&1 == 1 {
			for d := day; d <= length; d++ {
				if c.dayMatches(d, (weekday+time.Weekday(d-day))%7) {
					return days + int64(d-day), true
				}
			}
		}
		rest := length - day + 1
		days, weekday, day = days+int64(rest), (weekday+time.Weekday(rest))%7, 1
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return 0, false
}

func monthLength(year int, month time.Month) int {
	if month == time.February && (year%4 != 0 || year%100 == 0 && year%400 != 0) {
		return 28
	}
	return longestMonths[month]
}

// inDay returns the first match of a day at or after a minute of it, in seconds.
func (c cronBits) inDay(minute int) (int64, bool) {
	hour := minute / 60
	if c.hour>>hour&1 == 1 {
		if m := bits.TrailingZeros64(c.minute >> (minute % 60) << (minute % 60)); m < 60 {
			return int64(hour*60+m) * 60, true
		}
	}
	hour = bits.TrailingZeros64(c.hour >> (hour + 1) << (hour + 1))
	if hour > 23 {
		return 0, false
	}
	return int64(hour*60+bits.TrailingZeros64(c.minute)) * 60, true
}

const (
	daySeconds = 24 * 60 * 60
	dayMinutes = 24 * 60
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// stretch is a time in which a zone's clocks are not changed.
type stretch struct {
	zone       *time.Location
	offset     int64 // seconds east of UTC
	start, end int64 // the instants [start, end), in seconds
}

// Bounds of a stretch that has none.
const (
	noStart = -1 << 62
	noEnd   = 1 << 62
)

// stretchAt returns the stretch that an instant is in.
func stretchAt(instant int64, zone *time.Location) stretch {
	t := time.Unix(instant, 0).In(zone)
	_, offset := t.Zone()
	s := stretch{zone: zone, offset: int64(offset), start: noStart, end: noEnd}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		s.start = start.Unix()
	}
	if !end.IsZero() {
		s.end = end.Unix()
	}
	if s.end <= instant {
		// Years whose rules stand in the zone's footer have 365 days in package time
		// (tzset): a leap year's last day ends before it begins. Its offset is right.
		s.end = (floorDiv(instant, daySeconds) + 1) * daySeconds
	}
	return s
}

func (s stretch) next() stretch { return stretchAt(s.end, s.zone) }

// maxOffset is more than any zone is ahead of or behind UTC (Asia/Manila was
// 15:56 behind until 1844).
const maxOffset = 16 * 60 * 60

// nextElapsed looks for a match in each stretch after the other.
func (s Schedule) nextElapsed(after time.Time) (time.Time, bool) {
	from, last := after.Unix()+1, after.Unix()+searchYears*366*daySeconds
	for now := stretchAt(from, after.Location()); from <= last; now = now.next() {
		civil, ok := s.next(from + now.offset)
		if !ok {
			return time.Time{}, false
		}
		if instant := civil - now.offset; instant < now.end {
			return time.Unix(instant, 0).In(after.Location()), true
		}
		from = now.end
	}
	return time.Time{}, false
}

// nextFixed looks for the first match that the clocks have never reached yet, and
// for when they reach it: a time is due as soon as the clocks show it or a later
// one.
func (s Schedule) nextFixed(after time.Time) (time.Time, bool) {
	now := stretchAt(after.Unix(), after.Location())
	civil, ok := s.next(unreached(after.Unix(), now))
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(reached(civil, now), 0).In(after.Location()), true
}

// unreached returns the first civil time that the clocks have not shown up to an
// instant: usually the next second, but a later one where they were put back
// lately.
func unreached(instant int64, now stretch) int64 {
	civil := instant + now.offset + 1
	for before := now; before.start > instant-2*maxOffset; {
		before = stretchAt(before.start-1, before.zone)
		civil = max(civil, before.end+before.offset)
	}
	return civil
}

// reached returns the first instant at which the clocks show a civil time or a
// later one, that is, its first pass, or the end of the gap it is in. guess is a
// stretch it may well be in.
func reached(civil int64, guess stretch) int64 {
	if instant := civil - guess.offset; instant-2*maxOffset > guess.start && instant < guess.end {
		return instant
	}
	now := stretchAt(civil-maxOffset, guess.zone)
	for civil-now.offset >= now.end {
		now = now.next()
	}
	return max(civil-now.offset, now.start)
}
