package usage

import (
	"errors"
	"fmt"
	"time"
)

// line is a line of the ledger: a request, which has a Time, or a daily sum, which has a Day.
type line struct {
	// Time is the end of the request, with the user's UTC offset. Its first ten characters are the day it
	// counts for.
	Time string `json:"time,omitempty"`
	Day  string `json:"day,omitempty"`
	Key
	Task     string `json:"task,omitempty"`
	Requests int64  `json:"requests,omitempty"`
	Unpriced int64  `json:"unpriced,omitempty"`
	In       int64  `json:"in,omitempty"`
	Out      int64  `json:"out,omitempty"`
	Cached   int64  `json:"cached,omitempty"`
	// USD is the cost, nil for a request whose price is unknown.
	USD *Money `json:"usd,omitempty"`
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// maxTokens bounds the tokens of one request.
const maxTokens = 1e9

// lineOf returns the line of a request.
func lineOf(e Entry) line {
	tokens := func(n int) int64 { return int64(min(max(n, 0), maxTokens)) }
	l := line{
		Time: e.Time.Local().Format(timeLayout), Key: e.Key.truncated(), Task: e.Task,
		In: tokens(e.Usage.InputTokens), Out: tokens(e.Usage.OutputTokens), Cached: tokens(e.Usage.CachedTokens),
	}
	if e.Priced {
		cost := min(max(e.Cost, 0), maxMoney)
		l.USD = &cost
	}
	return l
}

// sumLine returns the line of a daily sum.
func sumLine(day string, k Key, s Sum) line {
	cost := s.Cost
	return line{Day: day, Key: k, Requests: s.Requests, Unpriced: s.Unpriced, In: s.In, Out: s.Out, Cached: s.Cached, USD: &cost}
}

// day returns the day and the sum of a line. It fails if the line is invalid.
func (l line) day() (string, Sum, error) {
	day, s := l.Day, Sum{Requests: l.Requests, Unpriced: l.Unpriced, In: l.In, Out: l.Out, Cached: l.Cached}
	if l.Time != "" && len(l.Time) >= len(time.DateOnly) {
		day, s.Requests, s.Unpriced = l.Time[:len(time.DateOnly)], 1, 0
		if l.USD == nil {
			s.Unpriced = 1
		}
	}
	if l.USD != nil {
		s.Cost = *l.USD
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", s, fmt.Errorf("%q is not a date", day)
	}
	if s.Requests < 0 || s.Unpriced < 0 || s.In < 0 || s.Out < 0 || s.Cached < 0 {
		return "", s, errors.New("negative number")
	}
	return day, s, nil
}
