package automation

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func at(t testing.TB, zone, text string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	require.NoError(t, err)
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if when, err := time.ParseInLocation(layout, text, loc); err == nil {
			return when.In(loc)
		}
	}
	require.Fail(t, "no time", text)
	return time.Time{}
}

func TestWhatASchedulesFormsMean(t *testing.T) {
	from := at(t, "Asia/Seoul", "2026-03-04 10:20:30") // a Wednesday
	for spec, want := range map[string]string{
		"0 9 * * *":                          "2026-03-05 09:00",
		"  30 18 * * *  ":                    "2026-03-04 18:30",
		"0\t9  * * *":                        "2026-03-05 09:00",
		"*/15 * * * *":                       "2026-03-04 10:30",
		"25-40/5 10 * * *":                   "2026-03-04 10:25",
		"21,50 10 * * *":                     "2026-03-04 10:21",
		"50/4 * * * *":                       "2026-03-04 10:50",
		"0 9 * * mon":                        "2026-03-09 09:00",
		"0 9 * * MON-Fri":                    "2026-03-05 09:00",
		"0 9 * * 7":                          "2026-03-08 09:00",
		"0 9 * * 0":                          "2026-03-08 09:00",
		"0 9 * * 5-7":                        "2026-03-06 09:00",
		"0 9 * * fri-sun":                    "2026-03-06 09:00",
		"0 9 * * 7-7":                        "2026-03-08 09:00",
		"0 9 * * 1-7/6":                      "2026-03-08 09:00",
		"0 9 * * 5/2":                        "2026-03-06 09:00",
		"0 9 * jan *":                        "2027-01-01 09:00",
		"0 9 1 Jan,JUL ?":                    "2026-07-01 09:00",
		"0 9 ? * fri":                        "2026-03-06 09:00",
		"0 9 15 * fri":                       "2026-03-06 09:00", // day of month or day of week
		"0 9 */2 * fri":                      "2026-03-13 09:00", // both, because the field contains a star
		"0 0 29 2 *":                         "2028-02-29 00:00",
		"0 0 31 2 mon":                       "2027-02-01 00:00", // a Monday in February
		"0 0 30,31 2-4 *":                    "2026-03-30 00:00",
		"@hourly":                            "2026-03-04 11:00",
		"@daily":                             "2026-03-05 00:00",
		"@Midnight":                          "2026-03-05 00:00",
		"@weekly":                            "2026-03-08 00:00",
		"@monthly":                           "2026-04-01 00:00",
		"@yearly":                            "2027-01-01 00:00",
		"@annually":                          "2027-01-01 00:00",
		"@every 90m":                         "2026-03-04 10:30",
		"@every 1h 30m":                      "2026-03-04 10:30",
		"@every 1m":                          "2026-03-04 10:21",
		"@every 1d":                          "2026-03-05 09:00", // midnight UTC
		"09:00":                              "2026-03-05 09:00",
		"9:05":                               "2026-03-05 09:05",
		"23:59":                              "2026-03-04 23:59",
		"CRON_TZ=America/New_York 0 9 * * *": "2026-03-04 23:00",
		"TZ=UTC 0 9 * * *":                   "2026-03-04 18:00",
		"TZ=Europe/London 09:00":             "2026-03-04 18:00",
		"CRON_TZ=UTC  @daily":                "2026-03-05 09:00",
	} {
		t.Run(spec, func(t *testing.T) {
			s, err := ParseSchedule(spec)
			require.NoError(t, err)
			due, ok := s.Next(from, from.Location())
			require.True(t, ok)
			require.Equal(t, want, due.In(from.Location()).Format("2006-01-02 15:04"))
			require.Zero(t, due.Second()+due.Nanosecond())
		})
	}
}

func TestWhatIsNoScheduleIsRefusedWithItsReason(t *testing.T) {
	for spec, want := range map[string]ScheduleError{
		"":                        {"empty", ""},
		"   ":                     {"empty", ""},
		"TZ=UTC":                  {"empty", ""},
		"TZ=0":                    {"zone", "0"},
		"TZ=":                     {"zone", ""},
		"TZ= 0 9 * * *":           {"zone", ""},
		"CRON_TZ=Mars/Base 09:00": {"zone", "Mars/Base"},
		"TZ=../etc 09:00":         {"zone", "../etc"},
		"TZ=Local 09:00":          {"zone", "Local"},
		"0 9 * *":                 {"fields", "4"},
		"0 9 * * * * *":           {"fields", "7"},
		"daily":                   {"fields", "1"},
		"0 0 9 * * *":             {"seconds", "0 9 * * *"},
		"60 9 * * *":              {"range", "60"},
		"0 24 * * *":              {"range", "24"},
		"0 9 0 * *":               {"range", "0"},
		"0 9 32 * *":              {"range", "32"},
		"0 9 * 13 *":              {"range", "13"},
		"0 9 * * 8":               {"range", "8"},
		"0 9 * * sat-mon":         {"range", "sat-mon"},
		"30-10 * * * *":           {"range", "30-10"},
		"1,,2 * * * *":            {"field", ""},
		"*-5 * * * *":             {"field", "*-5"},
		"+5 * * * *":              {"field", "+5"},
		"1-2-3 * * * *":           {"field", "1-2-3"},
		"*/5/5 * * * *":           {"field", "*/5/5"},
		"* * * feb-foo *":         {"field", "feb-foo"},
		"*/x * * * *":             {"field", "*/x"},
		"9999999999 * * * *":      {"field", "9999999999"},
		"*/0 * * * *":             {"step", "*/0"},
		"*/90 * * * *":            {"step", "*/90"},
		"0 0 31 2 *":              {"never", "31 2"},
		"0 0 30 2 ?":              {"never", "30 2"},
		"0 0 31 feb,apr,jun *":    {"never", "31 feb,apr,jun"},
		"24:00":                   {"clock", "24:00"},
		"9:60":                    {"clock", "9:60"},
		"9:5":                     {"clock", "9:5"},
		"@reboot":                 {"reboot", ""},
		"@fortnightly":            {"macro", "@fortnightly"},
		"@daily 9":                {"macro", "@daily 9"},
		"@every":                  {"every", ""},
		"@every soon":             {"every", "soon"},
		"@every -5m":              {"every", "-5m"},
		"@every 90.5s":            {"every", "90.5s"},
		"@every 59s":              {"too_often", "59s"},
		"@every 400d":             {"too_rarely", "400d"},
	} {
		t.Run(spec, func(t *testing.T) {
			_, err := ParseSchedule(spec)
			var e *ScheduleError
			require.True(t, errors.As(err, &e), "%v", err)
			require.Equal(t, want, *e)
			for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
				require.NotContains(t, e.Text(lang), "%!")
				require.Greater(t, len(e.Text(lang)), 24, "no text for %s", want.Code)
			}
		})
	}
}

func TestASchedulesDueTimesWhereClocksChange(t *testing.T) {
	for name, c := range map[string]struct {
		spec, zone, from string
		want             []string
	}{
		"a time leapt over is due as soon as it is": {"30 2 * * *", "America/New_York", "2024-03-09 12:00", []string{"2024-03-10T03:00:00-04:00", "2024-03-11T02:30:00-04:00"}},
		"several leapt over are due once":           {"*/10 2 * * *", "America/New_York", "2024-03-10 00:00", []string{"2024-03-10T03:00:00-04:00", "2024-03-11T02:00:00-04:00"}},
		"and once with the one at the end":          {"0,30 2,3 * * *", "America/New_York", "2024-03-10 00:00", []string{"2024-03-10T03:00:00-04:00", "2024-03-10T03:30:00-04:00"}},
		"a time shown twice is due the first time":  {"30 1 * * *", "America/New_York", "2024-11-03 00:00", []string{"2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"}},
		"also when asked in between":                {"30 1 * * *", "America/New_York", "2024-11-03T01:10:00-05:00", []string{"2024-11-04T01:30:00-05:00"}},
		"what passes counts for every half hour":    {"*/30 * * * *", "America/New_York", "2024-11-03T00:45:00-04:00", []string{"2024-11-03T01:00:00-04:00", "2024-11-03T01:30:00-04:00", "2024-11-03T01:00:00-05:00", "2024-11-03T01:30:00-05:00", "2024-11-03T02:00:00-05:00"}},
		"nothing is due in a gap then":              {"*/30 * * * *", "America/New_York", "2024-03-10 01:30", []string{"2024-03-10T03:00:00-04:00"}},
		"every two hours, the gap's is left out":    {"0 */2 * * *", "America/New_York", "2024-03-10 00:30", []string{"2024-03-10T04:00:00-04:00"}},
		"half an hour of summer time":               {"15 2 * * *", "Australia/Lord_Howe", "2024-10-06 00:00", []string{"2024-10-06T02:30:00+11:00", "2024-10-07T02:15:00+11:00"}},
		"a day that never was":                      {"0 9 30 12 *", "Pacific/Apia", "2011-12-29 12:00", []string{"2011-12-31T00:00:00+14:00", "2012-12-30T09:00:00+14:00"}},
		"a midnight that never was":                 {"@daily", "America/Sao_Paulo", "2018-11-03 12:00", []string{"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"}},
		"Ramadan in Morocco":                        {"30 2 * * *", "Africa/Casablanca", "2024-04-13 12:00", []string{"2024-04-14T03:00:00+01:00", "2024-04-15T02:30:00+01:00"}},
		"the leap year that is none":                {"0 0 29 2 *", "UTC", "2096-03-01 00:00", []string{"2104-02-29T00:00:00Z"}},
		"a day of the year on a day of the week":    {"0 0 */31 1 sun", "UTC", "2096-01-02 00:00", []string{"2102-01-01T00:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSchedule(c.spec)
			require.NoError(t, err)
			due, zone := at(t, c.zone, c.from), at(t, c.zone, c.from).Location()
			for _, want := range c.want {
				var ok bool
				due, ok = s.Next(due, zone)
				require.True(t, ok)
				require.Equal(t, want, due.Format(time.RFC3339))
			}
		})
	}
}

func TestNextGivesUpWhereThereAreNoYears(t *testing.T) {
	s, err := ParseSchedule("0 9 * * *")
	require.NoError(t, err)
	for _, from := range []time.Time{time.Unix(1<<60, 0), time.Unix(-1<<60, 0), time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		_, ok := s.Next(from, time.UTC)
		require.False(t, ok)
	}
	_, ok := Schedule{}.Next(time.Now(), time.UTC)
	require.False(t, ok)
}

func TestEveryIsCountedFromTheEpoch(t *testing.T) {
	s, err := ParseSchedule("@every 7m")
	require.NoError(t, err)
	due, ok := s.Next(time.Unix(0, 0), time.UTC)
	require.True(t, ok)
	require.Equal(t, int64(420), due.Unix())
	due, _ = s.Next(time.Unix(-1, 0), time.UTC)
	require.Equal(t, int64(0), due.Unix())
}

func BenchmarkNext(b *testing.B) {
	zone, err := time.LoadLocation("Europe/London")
	require.NoError(b, err)
	for _, spec := range []string{"0 9 * * *", "*/30 * * * *", "0 9 * * mon", "0 0 1 * *", "0 0 1 1 *", "@every 90m", "CRON_TZ=Asia/Seoul 30 18 * * 1-5", "0 0 29 2 *"} {
		b.Run(spec, func(b *testing.B) {
			s, err := ParseSchedule(spec)
			require.NoError(b, err)
			from := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
			b.ReportAllocs()
			for b.Loop() {
				s.Next(from, zone)
			}
		})
	}
}
