package automation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSpansAreReadAsPeopleSayThem(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1d": day, "90m": 90 * time.Minute, "1d12h": 36 * time.Hour, "2w": 14 * day, "1.5h": 90 * time.Minute,
		"2 hours": 2 * time.Hour, "an hour": time.Hour, "half an hour": 30 * time.Minute, "a day": day, "1 hour and 30 minutes": 90 * time.Minute,
		"for 3 days": 3 * day, "One Week": week, "20 mins": 20 * time.Minute,
		"1일": day, "하루": day, "이틀": 2 * day, "2시간": 2 * time.Hour, "한 시간": time.Hour, "두 시간 반": 150 * time.Minute, "1시간 30분": 90 * time.Minute,
		"30분": 30 * time.Minute, "일주일": week, "1주": week, "2시간 동안": 2 * time.Hour, "3일간": 3 * day, "10분만": 10 * time.Minute,
		"1天": day, "一天": day, "半小时": 30 * time.Minute, "两小时": 2 * time.Hour, "2个小时": 2 * time.Hour, "30分钟": 30 * time.Minute, "一周": week, "３０分": 30 * time.Minute,
		"366d": MaxSpan, "1m": time.Minute,
	} {
		got, err := ParseSpan(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " ", "tomorrow", "1", "h", "1 month", "1x", "-1d", "1d!", "..h", "내일", "1h2"} {
		_, err := ParseSpan(text)
		require.ErrorIs(t, err, ErrSpan, text)
	}
	for _, text := range []string{"0h", "0.5m", "367d", "53w", "999999d", "999999d999999d"} {
		_, err := ParseSpan(text)
		require.ErrorIs(t, err, ErrSpanBounds, text)
	}
}

func TestDurationsAreReadWithDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"14d": 14 * day, "36h": 36 * time.Hour, "1d12h": 36 * time.Hour, "2w1d": 15 * day, "1h30m": 90 * time.Minute, "500ms": 500 * time.Millisecond, "0s": 0, " 5M ": 5 * time.Minute,
	} {
		got, err := ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "14", "d", "1h2d", "-1h", "1y", "999999d", "99999w", "99999999999h", "1d 2h", "１d"} {
		_, err := ParseDuration(text)
		require.Error(t, err, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(1000*day/time.Millisecond)).Draw(t, "ms")) * time.Millisecond
		got, err := ParseDuration(FormatDuration(d))
		require.NoError(t, err)
		require.Equal(t, d, got)
	})
}

func FuzzParseSpan(f *testing.F) {
	for _, text := range []string{"1d12h", "두 시간 반", "半个小时", "half an hour", "1..h", "a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := ParseSpan(text); err == nil {
			require.True(t, d >= MinSpan && d <= MaxSpan)
		}
	})
}

func TestQuietIsAPartOfTheDay(t *testing.T) {
	for text, want := range map[string]Quiet{
		"23:00-07:00": {1380, 420}, "22-7": {1320, 420}, "12:30 – 13:00": {750, 780}, "0:00~6:00": {0, 360}, "20:00-24:00": {1200, 0},
	} {
		q, err := ParseQuiet(text)
		require.NoError(t, err, text)
		require.Equal(t, want, q, text)
		again, err := ParseQuiet(q.String())
		require.NoError(t, err)
		require.Equal(t, q, again)
	}
	for _, text := range []string{"", "23:00", "25:00-7:00", "7:00-7:00", "0:00-24:00", "a-b", "23:60-7", "1-2-3"} {
		_, err := ParseQuiet(text)
		require.Error(t, err, text)
	}
	require.Empty(t, Quiet{}.String())
	require.False(t, Quiet{}.Contains(time.Now()))
}

func TestQuietEndsByTheClock(t *testing.T) {
	for _, c := range []struct{ quiet, zone, from, want string }{
		{"23:00-07:00", "Asia/Seoul", "2026-03-04 23:30", "2026-03-05T07:00:00+09:00"},
		{"23:00-07:00", "Asia/Seoul", "2026-03-04 06:59", "2026-03-04T07:00:00+09:00"},
		{"23:00-07:00", "Asia/Seoul", "2026-03-04 07:00", "2026-03-04T07:00:00+09:00"},
		{"23:00-02:30", "America/New_York", "2024-03-10 01:00", "2024-03-10T03:00:00-04:00"},
		{"23:00-01:30", "America/New_York", "2024-11-03T01:10:00-05:00", "2024-11-03T01:30:00-05:00"},
		{"23:00-07:00", "America/New_York", "2024-11-02 23:30", "2024-11-03T07:00:00-05:00"},
	} {
		q, err := ParseQuiet(c.quiet)
		require.NoError(t, err)
		require.Equal(t, c.want, q.Ends(at(t, c.zone, c.from)).Format(time.RFC3339), c.from)
	}
}

func TestQuietEndsWhenItIsNotQuietAndNotBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Quiet{rapid.IntRange(0, dayMinutes-1).Draw(t, "from"), rapid.IntRange(0, dayMinutes-1).Draw(t, "to")}
		place := rapid.SampledFrom(clockChanges).Draw(t, "place")
		zone, err := time.LoadLocation(place.zone)
		require.NoError(t, err)
		from, err := time.ParseInLocation("2006-01-02", rapid.SampledFrom(place.days).Draw(t, "day"), zone)
		require.NoError(t, err)
		from = from.Add(time.Duration(rapid.IntRange(0, 48*60).Draw(t, "minutes")) * time.Minute)
		want := from
		for q.Contains(want) {
			want = want.Add(time.Minute)
		}
		require.True(t, want.Equal(q.Ends(from)), "%s from %s: want %s, got %s", q, from, want, q.Ends(from))
	})
}

func TestAnOffsetIsTheSameEachTimeAndWithinTheJitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rule{Name: rapid.String().Draw(t, "name"), Jitter: time.Duration(rapid.Int64Range(0, int64(12*time.Hour)).Draw(t, "jitter"))}
		due := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "due"), 0)
		got := r.Offset(due)
		require.Equal(t, got, r.Offset(due.UTC()))
		require.True(t, got >= 0 && (got < r.Jitter || got == 0))
	})
	a, b := Rule{Name: "a", Jitter: time.Hour}, Rule{Name: "b", Jitter: time.Hour}
	require.NotEqual(t, a.Offset(time.Unix(0, 0)), b.Offset(time.Unix(0, 0)))
}
