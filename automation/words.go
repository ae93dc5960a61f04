package automation

import (
	"math/bits"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

// maxWords is how many days or hours are listed individually.
const maxWords = 4

// Words describes the schedule in a language: "매일 오전 9시", "every day at 09:00". A complex schedule is returned as
// the cron expression.
func (s Schedule) Words(lang i18n.Lang) string {
	words := ""
	switch {
	case s.every > 0:
		words = i18n.Every(lang, s.every)
	case s.elapsed:
		words = s.wordsElapsed(lang)
	default:
		words = s.wordsFixed(lang)
	}
	switch {
	case words == "":
		return s.text
	case s.zone != nil && s.every == 0:
		return words + " (" + s.zone.String() + ")"
	}
	return words
}

// everyDay reports whether every date matches.
func (c cronBits) everyDay() bool {
	return full(c.day, 1, 31) && full(c.month, 1, 12) && full(c.weekday, 0, 6)
}

func full(set uint64, from, to int) bool { return bits.OnesCount64(set) == to-from+1 }

// stepOf returns n if a set consists of every n-th value from 0, and n divides the number of values.
func stepOf(set uint64, of int) (int, bool) {
	count := bits.OnesCount64(set)
	if count == 0 || of%count != 0 {
		return 0, false
	}
	n := of / count
	for v := 0; v < of; v += n {
		if set>>v&1 == 0 {
			return 0, false
		}
	}
	return n, true
}

// wordsElapsed describes schedules with due times throughout the day.
func (s Schedule) wordsElapsed(lang i18n.Lang) string {
	hours, ok := stepOf(s.hour, 24)
	if !ok || !s.everyDay() {
		return ""
	}
	if minutes, ok := stepOf(s.minute, 60); ok && minutes < 60 && hours == 1 {
		return i18n.Every(lang, time.Duration(minutes)*time.Minute)
	}
	if bits.OnesCount64(s.minute) != 1 || hours == 24 {
		return ""
	}
	return i18n.EveryHours(lang, hours, bits.TrailingZeros64(s.minute))
}

// wordsFixed describes schedules with due times at certain times of day.
func (s Schedule) wordsFixed(lang i18n.Lang) string {
	if bits.OnesCount64(s.minute) != 1 || bits.OnesCount64(s.hour) > maxWords {
		return ""
	}
	var times []string
	for _, hour := range members(s.hour) {
		times = append(times, i18n.Clock(lang, hour, bits.TrailingZeros64(s.minute)))
	}
	days := s.wordsDays(lang)
	if days == "" {
		return ""
	}
	return i18n.AtTimes(lang, days, times)
}

func (c cronBits) wordsDays(lang i18n.Lang) string {
	everyDate, everyMonth, everyWeekday := full(c.day, 1, 31), full(c.month, 1, 12), full(c.weekday, 0, 6)
	days, months := members(c.day), members(c.month)
	switch {
	case everyDate && everyMonth && everyWeekday:
		return i18n.DaysAll(lang)
	case everyDate && everyMonth:
		return i18n.DaysOfWeek(lang, members(c.weekday))
	case !everyWeekday || len(days) > maxWords:
		return ""
	case everyMonth:
		return i18n.DaysOfMonth(lang, days)
	case len(months) == 1 && len(days) == 1:
		return i18n.DayOfYear(lang, months[0], days[0])
	}
	return ""
}

func members(set uint64) []int {
	var list []int
	for ; set != 0; set &= set - 1 {
		list = append(list, bits.TrailingZeros64(set))
	}
	return list
}

// When describes a due time in a language, relative to now: "3분 뒤", "내일 오전 9시", "on Fri 3 October at 09:00".
func When(lang i18n.Lang, now, due time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.Local
	}
	now, due = now.In(zone), due.In(zone)
	switch left := due.Sub(now); {
	case left <= 0:
		return i18n.WhenNow(lang)
	case left < 59*time.Minute+30*time.Second:
		return i18n.WhenIn(lang, max(1, int(left.Round(time.Minute)/time.Minute)))
	}
	return i18n.WhenAt(lang, daysBetween(now, due), now.Year() == due.Year(), due)
}

// daysBetween returns the number of midnights between two times of a zone.
func daysBetween(from, to time.Time) int {
	date := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(date(to).Sub(date(from)) / day)
}
