package automation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/nidoit/blunux-ai/i18n"
)

// Schedule is a set of due times: the civil minutes that a cron expression matches, or a fixed interval. The zero
// value is never due.
type Schedule struct {
	text  string
	every time.Duration // interval of @every; 0 for a cron expression
	cronBits
	// elapsed makes clock changes irrelevant: "every 30 minutes" then still means 30 minutes of elapsed time.
	elapsed bool
	zone    *time.Location // nil means the person's
}

// Bounds of schedules.
const (
	minEvery    = time.Minute
	maxEvery    = 366 * 24 * time.Hour
	maxSchedule = 512 // bytes
)

// ScheduleError reports an invalid schedule.
type ScheduleError struct {
	// Code is empty, long, fields, seconds, field, range, step, clock, macro, every,
	// too_often, too_rarely, never, zone, reboot, moment, date or past.
	Code string
	Part string // the invalid part of the text
}

func (e *ScheduleError) Error() string {
	return "cannot read the schedule: " + e.Text(i18n.English)
}

// Text explains the error and its fix in a language.
func (e *ScheduleError) Text(lang i18n.Lang) string {
	return i18n.ScheduleError(lang, e.Code, e.Part)
}

// ParseSchedule parses a cron expression of five fields (crontab(5), with names in any case, 7 for Sunday and "?"
// for "*"), @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually, "@every 90m" (whole seconds, a
// minute to 366 days, counted from 1970-01-01 00:00 UTC), or "HH:MM" for a daily time. Each can be preceded by
// CRON_TZ=Zone or TZ=Zone. It fails with a [*ScheduleError].
//
// Source: crontab(5) of cronie; HH:MM: Moonbot section 8.2.
func ParseSchedule(spec string) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	switch {
	case spec == "":
		return Schedule{}, &ScheduleError{Code: "empty"}
	case len(spec) > maxSchedule:
		return Schedule{}, &ScheduleError{Code: "long", Part: strconv.Itoa(maxSchedule)}
	}
	zone, rest, err := cutZone(spec)
	if err != nil {
		return Schedule{}, err
	}
	s, err := parseTimes(rest)
	s.text, s.zone = spec, zone
	return s, err
}

// cutZone removes the zone from the start of a schedule. It returns a nil zone if there is none.
func cutZone(spec string) (*time.Location, string, error) {
	first, rest, _ := strings.Cut(spec, " ")
	name, ok := strings.CutPrefix(first, "CRON_TZ=")
	if !ok {
		name, ok = strings.CutPrefix(first, "TZ=")
	}
	if !ok {
		return nil, spec, nil
	}
	rest = strings.TrimSpace(rest)
	zone, err := loadZone(name)
	if err != nil {
		return nil, "", err
	}
	if rest == "" {
		return nil, "", &ScheduleError{Code: "empty"}
	}
	return zone, rest, nil
}

func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" { // LoadLocation's names for UTC and the machine's zone
		return nil, &ScheduleError{Code: "zone", Part: name}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &ScheduleError{Code: "zone", Part: name}
	}
	return zone, nil
}

func parseTimes(spec string) (Schedule, error) {
	fields := strings.Fields(spec)
	switch {
	case strings.HasPrefix(spec, "@"):
		return parseMacro(fields)
	case len(fields) == 1 && strings.Contains(spec, ":"):
		return parseClockTime(spec)
	case len(fields) == 6:
		return Schedule{}, &ScheduleError{Code: "seconds", Part: strings.Join(fields[1:], " ")}
	case len(fields) != 5:
		return Schedule{}, &ScheduleError{Code: "fields", Part: strconv.Itoa(len(fields))}
	}
	return parseFields(fields)
}

// macros maps the short forms of crontab(5) to their fields.
var macros = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

func parseMacro(words []string) (Schedule, error) {
	name := strings.ToLower(words[0])
	switch text, known := macros[name]; {
	case name == "@reboot":
		return Schedule{}, &ScheduleError{Code: "reboot"}
	case name == "@every":
		return parseEvery(strings.Join(words[1:], ""))
	case !known || len(words) > 1:
		return Schedule{}, &ScheduleError{Code: "macro", Part: strings.Join(words, " ")}
	default:
		return parseFields(strings.Fields(text))
	}
}

func parseEvery(text string) (Schedule, error) {
	every, err := ParseDuration(text)
	switch {
	case err != nil || every%time.Second != 0:
		return Schedule{}, &ScheduleError{Code: "every", Part: text}
	case every < minEvery:
		return Schedule{}, &ScheduleError{Code: "too_often", Part: text}
	case every > maxEvery:
		return Schedule{}, &ScheduleError{Code: "too_rarely", Part: text}
	}
	return Schedule{every: every}, nil
}

// parseClockTime parses Moonbot's "HH:MM".
func parseClockTime(spec string) (Schedule, error) {
	minutes, ok := parseClock(spec)
	if !ok || minutes == dayMinutes {
		return Schedule{}, &ScheduleError{Code: "clock", Part: spec}
	}
	return parseFields([]string{strconv.Itoa(minutes % 60), strconv.Itoa(minutes / 60), "*", "*", "*"})
}

func parseFields(fields []string) (Schedule, error) {
	plain, err := checkFields(fields)
	if err != nil {
		return Schedule{}, err
	}
	bits, err := cronParse(strings.Join(plain, " "))
	if err != nil {
		return Schedule{}, &ScheduleError{Code: "field", Part: strings.Join(fields, " ")}
	}
	bits.anyDay = !isWildcard(fields[2]) && !isWildcard(fields[4])
	if !bits.canMatch() {
		return Schedule{}, &ScheduleError{Code: "never", Part: fields[2] + " " + fields[3]}
	}
	hour := fields[1]
	return Schedule{cronBits: bits, elapsed: hour == "*" || hour == "?" || strings.HasPrefix(hour, "*/") && !strings.Contains(hour, ",")}, nil
}

// isWildcard reports whether a field does not restrict its day (crontab(5): "restricted (i.e., do not contain the "*"
// character)").
func isWildcard(field string) bool { return strings.ContainsAny(field, "*?") }

// cronParse parses the fields with robfig/cron. That package panics on some texts. checkFields rejects those, but
// recover anyway.
func cronParse(fields string) (bits cronBits, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot read %q: %v", fields, p)
		}
	}()
	parsed, err := cron.ParseStandard(fields)
	if err != nil {
		return cronBits{}, err
	}
	s, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return cronBits{}, fmt.Errorf("cannot read %q: not a cron expression", fields)
	}
	const values = 1<<63 - 1 // without robfig's star bit
	return cronBits{minute: s.Minute & values, hour: s.Hour & values, day: s.Dom & values, month: s.Month & values, weekday: s.Dow & values}, nil
}

// String returns the schedule as written.
func (s Schedule) String() string { return s.text }

// IsZero reports whether the schedule is empty.
func (s Schedule) IsZero() bool { return s.every == 0 && s.minute == 0 }

// Zone returns the schedule's zone: the one it names, else local, else the machine's.
func (s Schedule) Zone(local *time.Location) *time.Location {
	switch {
	case s.zone != nil:
		return s.zone
	case local != nil:
		return local
	}
	return time.Local
}

// Range of years with due times.
const (
	firstYear = 1
	lastYear  = 9900
)

// Next returns the first due time strictly after another, in the schedule's zone. zone is the person's, for a
// schedule that names none. ok is false if there is none in the next 13 years.
//
// A civil time that the clocks skip is due once, immediately after the gap. A civil time that the clocks show
// twice is due the first time. With an hour field of "*" or "*/n", elapsed time counts instead: skipped times are
// not due, and repeated times are due twice.
func (s Schedule) Next(after time.Time, zone *time.Location) (due time.Time, ok bool) {
	after = after.In(s.Zone(zone))
	if y := after.Year(); s.IsZero() || y < firstYear || y > lastYear {
		return time.Time{}, false
	}
	switch {
	case s.every > 0:
		step := int64(s.every / time.Second)
		return time.Unix((floorDiv(after.Unix(), step)+1)*step, 0).In(after.Location()), true
	case s.elapsed:
		return s.nextElapsed(after)
	}
	return s.nextFixed(after)
}
