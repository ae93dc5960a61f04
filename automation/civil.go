package automation

import (
	"math/bits"
	"time"
)

// cronBits is the set of civil minutes that a cron expression matches, with a bit for each value of each field.
type cronBits struct {
	minute, hour, day, month, weekday uint64
	anyDay                            bool // day of month or day of week is enough
}

// searchYears is how far ahead Next searches. The rarest matches are 29 February (8 years apart around 2100) and
// a date on a given weekday (12 years).
const searchYears = 13

// longestMonths are the lengths of the months in a leap year.
var longestMonths = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// canMatch reports whether any date can match. 31 February cannot.
func (c cronBits) canMatch() bool {
	if c.anyDay {
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
	if c.anyDay {
		return inMonth || inWeek
	}
	return inMonth && inWeek
}

// next returns the first match at or after a civil time. A civil time is the number of seconds since 1970-01-01
// 00:00 on a clock that is never changed.
func (c cronBits) next(civil int64) (int64, bool) {
	civil = -floorDiv(-civil, 60) * 60 // round up to a whole minute
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

// nextDate returns the first matching date at or after days. Both are in days since 1970-01-01.
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

// inDay returns the first match of a day at or after a minute, in seconds.
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

// offsetPeriod is a period in which a zone's offset is constant.
type offsetPeriod struct {
	zone       *time.Location
	offset     int64 // seconds east of UTC
	start, end int64 // the instants [start, end), in seconds
}

// Bounds of unlimited periods.
const (
	noStart = -1 << 62
	noEnd   = 1 << 62
)

// offsetPeriodAt returns the period that contains an instant.
func offsetPeriodAt(instant int64, zone *time.Location) offsetPeriod {
	t := time.Unix(instant, 0).In(zone)
	_, offset := t.Zone()
	s := offsetPeriod{zone: zone, offset: int64(offset), start: noStart, end: noEnd}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		s.start = start.Unix()
	}
	if !end.IsZero() {
		s.end = end.Unix()
	}
	if s.end <= instant {
		// For years after the zone's last transition, package time (tzset) assumes 365 days: on a leap year's
		// last day, the end is before the instant. The offset is right.
		s.end = (floorDiv(instant, daySeconds) + 1) * daySeconds
	}
	return s
}

func (s offsetPeriod) following() offsetPeriod { return offsetPeriodAt(s.end, s.zone) }

// maxOffset is larger than any zone's offset from UTC (Asia/Manila was 15:56 behind until 1844).
const maxOffset = 16 * 60 * 60

// nextElapsed searches each period in turn.
func (s Schedule) nextElapsed(after time.Time) (time.Time, bool) {
	from, last := after.Unix()+1, after.Unix()+searchYears*366*daySeconds
	for now := offsetPeriodAt(from, after.Location()); from <= last; now = now.following() {
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

// nextFixed finds the first match that the clocks have not shown yet, and the instant when they show it or a
// later time.
func (s Schedule) nextFixed(after time.Time) (time.Time, bool) {
	now := offsetPeriodAt(after.Unix(), after.Location())
	civil, ok := s.next(firstUnshown(after.Unix(), now))
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(firstShown(civil, now), 0).In(after.Location()), true
}

// firstUnshown returns the first civil time that the clocks have not shown up to an instant: usually the next
// second, a later one after they were put back.
func firstUnshown(instant int64, now offsetPeriod) int64 {
	civil := instant + now.offset + 1
	for before := now; before.start > instant-2*maxOffset; {
		before = offsetPeriodAt(before.start-1, before.zone)
		civil = max(civil, before.end+before.offset)
	}
	return civil
}

// firstShown returns the first instant at which the clocks show a civil time or a later one. A time in a gap is
// reached at the gap's end. guess is a period that probably contains it.
func firstShown(civil int64, guess offsetPeriod) int64 {
	if instant := civil - guess.offset; instant-2*maxOffset > guess.start && instant < guess.end {
		return instant
	}
	now := offsetPeriodAt(civil-maxOffset, guess.zone)
	for civil-now.offset >= now.end {
		now = now.following()
	}
	return max(civil-now.offset, now.start)
}
