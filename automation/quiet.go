package automation

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

var errQuiet = errors.New("not a part of the day; write it as 23:00-07:00")

// ParseQuiet parses a part of the day: "23:00-07:00", "22-7". 24:00 is midnight.
func ParseQuiet(text string) (Quiet, error) {
	from, to, ok := strings.Cut(strings.NewReplacer("–", "-", "~", "-").Replace(text), "-")
	if !ok {
		return Quiet{}, errQuiet
	}
	var q Quiet
	var okFrom, okTo bool
	q.From, okFrom = parseClock(wholeHour(from))
	q.To, okTo = parseClock(wholeHour(to))
	q.From, q.To = q.From%dayMinutes, q.To%dayMinutes
	if !okFrom || !okTo || q.From == q.To {
		return Quiet{}, errQuiet
	}
	return q, nil
}

func wholeHour(text string) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, ":") {
		return text
	}
	return text + ":00"
}

var clockText = lazyregexp.New(`^(\d{1,2}):(\d{2})$`)

// parseClock parses HH:MM up to 24:00. It returns minutes after midnight.
func parseClock(text string) (minutes int, ok bool) {
	m := clockText.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	minutes = hour*60 + minute
	return minutes, minute < 60 && minutes <= dayMinutes
}

// String formats quiet hours for [ParseQuiet]. It is "" if there are none.
func (q Quiet) String() string {
	if q == (Quiet{}) {
		return ""
	}
	return fmt.Sprintf("%02d:%02d-%02d:%02d", q.From/60, q.From%60, q.To/60, q.To%60)
}

// Contains reports whether t is in the quiet hours, by the clock of t's zone.
func (q Quiet) Contains(t time.Time) bool {
	return q.containsMinute(t.Hour()*60 + t.Minute())
}

func (q Quiet) containsMinute(minute int) bool {
	if q.From <= q.To {
		return minute >= q.From && minute < q.To
	}
	return minute >= q.From || minute < q.To
}

// Ends returns the first time at or after t that is not in the quiet hours, by the clock of t's zone.
func (q Quiet) Ends(t time.Time) time.Time {
	if !q.Contains(t) {
		return t
	}
	from := t.Unix()
	for now := offsetPeriodAt(from, t.Location()); ; now = now.following() {
		civil := from + now.offset
		minute := floorDiv(civil, 60) - floorDiv(civil, daySeconds)*dayMinutes
		if !q.containsMinute(int(minute)) {
			return time.Unix(from, 0).In(t.Location())
		}
		end := floorDiv(civil, daySeconds)*daySeconds + int64(q.To)*60
		if end <= civil {
			end += daySeconds
		}
		if end-now.offset < now.end {
			return time.Unix(end-now.offset, 0).In(t.Location())
		}
		from = now.end
	}
}

// Offset returns the delay of a due time: in [0, Jitter), in whole milliseconds, and always the same for the same
// due time.
func (r Rule) Offset(due time.Time) time.Duration {
	width := int64(r.Jitter / time.Millisecond)
	if width <= 0 {
		return 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", due.Unix(), r.Name))
	return time.Duration(binary.BigEndian.Uint64(sum[:8])%uint64(width)) * time.Millisecond
}
