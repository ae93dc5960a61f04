package automation

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// crontab is a simple and slow implementation of crontab(5), the reference for [Schedule]. They share no code.
type crontab struct {
	fields [5]map[int]bool
	text   [5]string
}

func readCrontab(spec string) crontab {
	var c crontab
	lows, highs := [5]int{0, 0, 1, 1, 0}, [5]int{59, 23, 31, 12, 7}
	for i, field := range strings.Fields(spec) {
		c.text[i], c.fields[i] = field, map[int]bool{}
		for _, part := range strings.Split(field, ",") {
			low, high, step := lows[i], highs[i], 1
			if slash := strings.Index(part, "/"); slash >= 0 {
				step, _ = strconv.Atoi(part[slash+1:])
				part = part[:slash]
			}
			if part != "*" {
				ends := strings.Split(part, "-")
				low, _ = strconv.Atoi(ends[0])
				high, _ = strconv.Atoi(ends[len(ends)-1])
			}
			for v := low; v <= high; v += step {
				c.fields[i][v] = true
			}
		}
	}
	if c.fields[4][7] && c.text[4] != "*" {
		c.fields[4][0] = true
	}
	return c
}

// due reports whether the schedule matches a civil minute.
func (c crontab) due(t time.Time) bool {
	if !c.fields[0][t.Minute()] || !c.fields[1][t.Hour()] || !c.fields[3][int(t.Month())] {
		return false
	}
	date, weekday := c.fields[2][t.Day()], c.fields[4][int(t.Weekday())]
	if strings.Contains(c.text[2], "*") || strings.Contains(c.text[4], "*") {
		return date && weekday
	}
	return date || weekday
}

// walk visits every minute from one instant up to another and returns the due ones, with the documented behaviour
// at clock changes.
func (c crontab) walk(from, to time.Time, zone *time.Location) []time.Time {
	follows := c.text[1] == "*" || strings.HasPrefix(c.text[1], "*/") && !strings.Contains(c.text[1], ",")
	face := func(t time.Time) time.Time { // the time on the clock, as if in UTC
		t = t.In(zone)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	var due []time.Time
	shown := face(from.Add(-72 * time.Hour)) // latest time that the clock has shown
	for t := from.Add(-72 * time.Hour); t.Before(to); t = t.Add(time.Minute) {
		is := false
		if follows {
			is = c.due(face(t))
		}
		for now := face(t); shown.Before(now); {
			shown = shown.Add(time.Minute)
			is = is || !follows && c.due(shown)
		}
		if is && t.After(from) {
			due = append(due, t)
		}
	}
	return due
}

// clockChanges are zones and days on which their clocks change.
var clockChanges = []struct {
	zone string
	days []string
}{
	{"America/New_York", []string{"2024-03-10", "2024-11-03", "2030-03-10", "2061-11-06", "2040-12-30"}},
	{"Europe/London", []string{"2025-03-30", "2025-10-26", "2024-02-28"}},
	{"Asia/Seoul", []string{"1988-05-08", "1988-10-09", "2025-12-31"}},
	{"Australia/Lord_Howe", []string{"2024-04-07", "2024-10-06", "2040-04-01"}},
	{"Africa/Casablanca", []string{"2024-03-10", "2024-04-14", "2025-02-23", "2025-04-06"}},
	{"Pacific/Apia", []string{"2011-12-29", "2011-12-30", "2011-04-02", "2012-04-01"}},
	{"America/Sao_Paulo", []string{"2018-11-04", "2018-02-18"}},
	{"Pacific/Kwajalein", []string{"1993-08-20", "1993-08-21", "1969-09-30"}},
	{"Asia/Manila", []string{"1990-05-21", "1990-07-29"}},
	{"UTC", []string{"2024-02-28", "2100-02-28"}},
}

func TestAStretchHoldsItsInstantAndOneOffset(t *testing.T) {
	for _, place := range clockChanges {
		zone, err := time.LoadLocation(place.zone)
		require.NoError(t, err)
		for instant := int64(-2e9); instant < 5e9; {
			s := offsetPeriodAt(instant, zone)
			require.LessOrEqual(t, s.start, instant, "%s %d", zone, instant)
			require.Greater(t, s.end, instant, "%s %d", zone, instant)
			last := min(s.end, 5e9) - 1
			require.Equal(t, s.offset, offsetPeriodAt(last, zone).offset, "%s %d", zone, instant)
			require.Equal(t, s.offset, offsetPeriodAt(instant+(last-instant)/2, zone).offset, "%s %d", zone, instant)
			instant = last + 1
		}
	}
}

func drawField(low, high int) *rapid.Generator[string] {
	part := rapid.Custom(func(t *rapid.T) string {
		a := rapid.IntRange(low, high).Draw(t, "from")
		switch rapid.IntRange(0, 4).Draw(t, "shape") {
		case 0:
			return "*/" + strconv.Itoa(rapid.IntRange(1, max(1, high)).Draw(t, "step"))
		case 1:
			return fmt.Sprintf("%d-%d", a, rapid.IntRange(a, high).Draw(t, "to"))
		case 2:
			return fmt.Sprintf("%d-%d/%d", a, rapid.IntRange(a, high).Draw(t, "to"), rapid.IntRange(1, max(1, high)).Draw(t, "step"))
		}
		return strconv.Itoa(a)
	})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 2).Draw(t, "star") == 0 {
			return "*"
		}
		return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), ",")
	})
}

func drawSpec(t *rapid.T) string {
	return strings.Join([]string{
		drawField(0, 59).Draw(t, "minute"), drawField(0, 23).Draw(t, "hour"), drawField(1, 31).Draw(t, "day"),
		drawField(1, 12).Draw(t, "month"), drawField(0, 7).Draw(t, "weekday"),
	}, " ")
}

func TestNextIsWhatCrontabSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		s, err := ParseSchedule(spec)
		if err != nil {
			require.Equal(t, "never", err.(*ScheduleError).Code, spec)
			return
		}
		place := rapid.SampledFrom(clockChanges).Draw(t, "place")
		zone, err := time.LoadLocation(place.zone)
		require.NoError(t, err)
		from, err := time.ParseInLocation("2006-01-02", rapid.SampledFrom(place.days).Draw(t, "day"), zone)
		require.NoError(t, err)
		from = from.Add(time.Duration(rapid.IntRange(-36*60, 30*60).Draw(t, "minutes")) * time.Minute).Truncate(time.Minute)
		to := from.Add(48 * time.Hour)
		var got []time.Time
		for at, ok := s.Next(from, zone); ok && at.Before(to); at, ok = s.Next(at, zone) {
			got = append(got, at)
		}
		want := readCrontab(spec).walk(from, to, zone)
		require.Equal(t, len(want), len(got), "%s in %s from %s\nwant %v\ngot  %v", spec, zone, from, want, got)
		for i := range want {
			require.True(t, want[i].Equal(got[i]), "%s in %s from %s: want %s, got %s", spec, zone, from, want[i], got[i])
		}
	})
}

func TestNextAskedBetweenMinutesIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := ParseSchedule(drawSpec(t))
		if err != nil {
			return
		}
		place := rapid.SampledFrom(clockChanges).Draw(t, "place")
		zone, err := time.LoadLocation(place.zone)
		require.NoError(t, err)
		from := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "from"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		due, ok := s.Next(from, zone)
		if !ok {
			return
		}
		require.True(t, due.After(from))
		// Next returns it from any instant before it.
		between := from.Add(time.Duration(rapid.Int64Range(0, int64(due.Sub(from))-1).Draw(t, "between")))
		again, ok := s.Next(between, zone)
		require.True(t, ok)
		require.True(t, due.Equal(again), "%s after %s is %s, after %s it is %s", s, from, due, between, again)
	})
}

func FuzzParseSchedule(f *testing.F) {
	for _, spec := range []string{
		"0 9 * * *", "*/15 9-17 * * mon-fri", "TZ=0", "TZ=", "CRON_TZ=Asia/Seoul 0 9 * * 7", "@every 90m", "@reboot", "30 2 29 2 *", "0 0 31 2 *",
		"09:00", "* * * * * *", "? ? ? ? ?", "5-7 5-7 5-7 5-7 5-7", ",,, , , , ,", "TZ=\x00 * * * * *", "@every 1h1s", "*/0 * * * *", "CRON_TZ=../../etc 0 0 * * *",
	} {
		f.Add(spec, int64(1_700_000_000))
	}
	zone, err := time.LoadLocation("Australia/Lord_Howe")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, spec string, from int64) {
		s, err := ParseSchedule(spec)
		if err != nil {
			require.IsType(t, &ScheduleError{}, err)
			require.NotEmpty(t, err.Error())
			return
		}
		at := time.Unix(from, 0)
		for range 8 {
			next, ok := s.Next(at, zone)
			if !ok {
				break
			}
			require.True(t, next.After(at), "%q: %s does not follow %s", spec, next, at)
			at = next
		}
		again, err := ParseSchedule(s.String())
		require.NoError(t, err)
		require.Equal(t, s.cronBits, again.cronBits)
	})
}
