package automation

import (
	"slices"
	"strconv"
	"strings"
)

// cronField is the range of one of the five fields, with the names of its values.
type cronField struct {
	min, max int
	names    []string // of the values from min
}

// cronFields are the fields in order (crontab(5)).
var cronFields = [5]cronField{
	{min: 0, max: 59},
	{min: 0, max: 23},
	{min: 1, max: 31},
	{min: 1, max: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{min: 0, max: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// checkFields validates the fields and rewrites them for robfig/cron, which accepts "1,,2" and "*-5" and does not
// know 7 for Sunday.
func checkFields(fields []string) ([]string, error) {
	plain := make([]string, len(fields))
	for i, field := range fields {
		f := cronFields[i]
		var parts []string
		for part := range strings.SplitSeq(field, ",") {
			text, code := f.part(part)
			if code != "" {
				return nil, &ScheduleError{Code: code, Part: part}
			}
			parts = append(parts, text)
		}
		plain[i] = strings.Join(parts, ",")
	}
	return plain, nil
}

// part parses "*", "?", a value or a range, with or without a step. It returns the part in numbers, or an error
// code.
func (f cronField) part(part string) (text, code string) {
	span, stepText, stepped := strings.Cut(part, "/")
	step := 1
	if stepped {
		n, ok := figure(stepText)
		if !ok {
			return "", "field"
		}
		if n < 1 || n > f.max {
			return "", "step"
		}
		step = n
	}
	if span == "*" || span == "?" {
		return part, ""
	}
	from, to, code := f.span(span, stepped)
	if code != "" {
		return "", code
	}
	return f.list(from, to, step), ""
}

// span parses a value or a range. A value with a step extends to the last value.
func (f cronField) span(span string, stepped bool) (from, to int, code string) {
	first, last, ranged := strings.Cut(span, "-")
	from, ok := f.value(first)
	if !ok {
		return 0, 0, "field"
	}
	to = from
	if ranged {
		if to, ok = f.value(last); !ok {
			return 0, 0, "field"
		}
		if f.max == 7 && to == 0 && from > 0 { // fri-sun
			to = 7
		}
	} else if stepped {
		to = max(from, f.last())
	}
	if from < f.min || to > f.max || from > to {
		return 0, 0, "range"
	}
	return from, to, ""
}

// last returns the greatest value. For the day of the week it is 6, because 7 repeats 0.
func (f cronField) last() int {
	if f.max == 7 {
		return 6
	}
	return f.max
}

// list returns all values of a range.
func (f cronField) list(from, to, step int) string {
	var values []string
	for v := from; v <= to; v += step {
		if f.max == 7 {
			values = append(values, strconv.Itoa(v%7))
			continue
		}
		values = append(values, strconv.Itoa(v))
	}
	return strings.Join(values, ",")
}

func (f cronField) value(text string) (int, bool) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.min + i, true
	}
	return figure(text)
}

// figure parses a number of at most three digits.
func figure(text string) (int, bool) {
	if len(text) == 0 || len(text) > 3 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
