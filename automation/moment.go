package automation

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

// Moment is a single due time: that of a reminder or of a task that runs once.
type Moment struct {
	text  string
	civil time.Time // in UTC as a stand-in for the person's zone, if local
	local bool
}

// Layouts of a moment: with an offset (RFC 3339, seconds may be missing), and in the person's zone.
var (
	offsetLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"}
	localLayouts  = []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"}
)

// ParseMoment parses a date with a time of day: "2026-11-27T18:00:00+09:00", or "2026-11-27 18:00" in the person's
// zone. It fails with a [*ScheduleError]: moment for any other text, date for a day that does not exist.
func ParseMoment(text string) (Moment, error) {
	text = strings.TrimSpace(text)
	code := "moment"
	for i, layout := range slices.Concat(offsetLayouts, localLayouts) {
		at, err := time.Parse(layout, text)
		var why *time.ParseError
		switch {
		case err == nil && at.Year() >= firstYear && at.Year() <= lastYear:
			return Moment{text: text, civil: at, local: i >= len(offsetLayouts)}, nil
		case errors.As(err, &why) && strings.Contains(why.Message, "out of range"):
			code = "date"
		}
	}
	return Moment{}, &ScheduleError{Code: code, Part: text}
}

// In returns the moment in a zone, nil for the machine's. A civil time that the clocks skip is the one after the gap.
func (m Moment) In(zone *time.Location) time.Time {
	if zone == nil {
		zone = time.Local
	}
	if !m.local {
		return m.civil.In(zone)
	}
	c := m.civil
	return time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), c.Second(), 0, zone)
}

// Next returns the moment if it is after another time.
func (m Moment) Next(after time.Time, zone *time.Location) (due time.Time, ok bool) {
	due = m.In(zone)
	return due, due.After(after)
}

// String returns the moment as written.
func (m Moment) String() string { return m.text }

// Words describes the moment in a language and zone, without reference to the present: "2026-11-27 오후 6시".
func (m Moment) Words(lang i18n.Lang, zone *time.Location) string {
	at := m.In(zone)
	return at.Format(time.DateOnly) + " " + i18n.Clock(lang, at.Hour(), at.Minute())
}

// ResolveMoment returns a moment in the form that a file of rules has. Besides what [ParseMoment] accepts, text is a
// span from now ("30m", "1h30m") or the next time of a day ("18:00"). It fails with a [*ScheduleError], past for a
// moment that is over.
func ResolveMoment(text string, now time.Time, zone *time.Location) (string, error) {
	text = strings.TrimSpace(text)
	if zone == nil {
		zone = time.Local
	}
	due := now.In(zone)
	minutes, isClock := parseClock(text)
	span, err := ParseDuration(text)
	switch {
	case err == nil && span >= time.Second && span <= maxEvery:
		due = due.Add(span).Truncate(time.Second)
	case isClock && minutes < dayMinutes:
		due = time.Date(due.Year(), due.Month(), due.Day(), minutes/60, minutes%60, 0, 0, zone)
		if !due.After(now) {
			due = due.AddDate(0, 0, 1)
		}
	default:
		m, err := ParseMoment(text)
		if err != nil {
			return "", err
		}
		if due = m.In(zone); !due.After(now) {
			return "", &ScheduleError{Code: "past", Part: text}
		}
	}
	return due.Format(time.RFC3339), nil
}
