package automation

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// errDuration reports any invalid duration. Callers explain the format themselves.
var errDuration = errors.New("not a duration; write it as 90m, 36h, 14d or 1d12h")

const (
	day  = 24 * time.Hour
	week = 7 * day
)

var durationText = lazyregexp.New(`^(?:(\d{1,5})w)?(?:(\d{1,6})d)?((?:\d+(?:\.\d+)?(?:h|m|s|ms))*)$`)

// ParseDuration parses a duration in a file of rules: numbers with w, d, h, m, s or ms, the greatest first
// ("14d", "1d12h", "90m"). A day is 24 hours. The result is between 0 and 290 years.
func ParseDuration(text string) (time.Duration, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	m := durationText.FindStringSubmatch(text)
	if m == nil || text == "" {
		return 0, errDuration
	}
	weeks, _ := strconv.Atoi("0" + m[1])
	days, _ := strconv.Atoi("0" + m[2])
	rest := time.Duration(0)
	if m[3] != "" {
		var err error
		if rest, err = time.ParseDuration(m[3]); err != nil {
			return 0, errDuration
		}
	}
	days += 7 * weeks
	const most = 105_000 // 287 years
	if days > most || rest > most*day-time.Duration(days)*day {
		return 0, errDuration
	}
	return time.Duration(days)*day + rest, nil
}

// FormatDuration formats a duration for [ParseDuration]: "14d", "1d12h", "1h30m", "0s".
func FormatDuration(d time.Duration) string {
	if d <= 0 {
		return "0s"
	}
	text := ""
	if d >= day {
		text = strconv.FormatInt(int64(d/day), 10) + "d"
		d %= day
	}
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / unit.of; n > 0 {
			text += strconv.FormatInt(int64(n), 10) + unit.name
			d %= unit.of
		}
	}
	if text == "" {
		return "0s"
	}
	return text
}
