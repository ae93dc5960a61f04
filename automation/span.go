package automation

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a span.
const (
	MinSpan = time.Minute
	MaxSpan = 366 * day
)

// Errors of [ParseSpan].
var (
	ErrSpan       = errors.New("not a span of time; write it as 30m, 2h or 1d")
	ErrSpanBounds = errors.New("a span must be from a minute to 366 days")
)

// spanUnits are the names of units, longer ones before their prefixes.
var spanUnits = []struct {
	word string
	of   time.Duration
}{
	{"minutes", time.Minute},
	{"minute", time.Minute},
	{"mins", time.Minute},
	{"min", time.Minute},
	{"hours", time.Hour},
	{"hour", time.Hour},
	{"hrs", time.Hour},
	{"hr", time.Hour},
	{"days", day},
	{"day", day},
	{"weeks", week},
	{"week", week},
	{"m", time.Minute},
	{"h", time.Hour},
	{"d", day},
	{"w", week},
	{"시간", time.Hour},
	{"분", time.Minute},
	{"일", day},
	{"주일", week},
	{"주", week},
	{"个小时", time.Hour},
	{"小时", time.Hour},
	{"个钟头", time.Hour},
	{"分钟", time.Minute},
	{"分", time.Minute},
	{"天", day},
	{"日", day},
	{"个星期", week},
	{"星期", week},
	{"个礼拜", week},
	{"周", week},
}

// spanWords are words for whole spans.
var spanWords = []struct {
	word string
	of   time.Duration
}{
	{"halfanhour", 30 * time.Minute},
	{"halfhour", 30 * time.Minute},
	{"halfaday", 12 * time.Hour},
	{"하루", day},
	{"이틀", 2 * day},
	{"사흘", 3 * day},
	{"나흘", 4 * day},
	{"닷새", 5 * day},
	{"열흘", 10 * day},
	{"보름", 15 * day},
	{"일주일", week},
	{"반나절", 6 * time.Hour},
	{"반시간", 30 * time.Minute},
	{"半个小时", 30 * time.Minute},
	{"半小时", 30 * time.Minute},
	{"半个钟头", 30 * time.Minute},
	{"半天", 12 * time.Hour},
}

// spanNumbers are number words that precede units.
var spanNumbers = []struct {
	word string
	n    float64
}{
	{"one", 1},
	{"two", 2},
	{"three", 3},
	{"four", 4},
	{"five", 5},
	{"six", 6},
	{"an", 1},
	{"a", 1},
	{"한", 1},
	{"두", 2},
	{"세", 3},
	{"네", 4},
	{"다섯", 5},
	{"여섯", 6},
	{"일", 1},
	{"이", 2},
	{"삼", 3},
	{"一", 1},
	{"两", 2},
	{"二", 2},
	{"三", 3},
	{"四", 4},
	{"五", 5},
	{"六", 6},
	{"七", 7},
	{"八", 8},
	{"九", 9},
	{"十", 10},
}

// ParseSpan parses a delay in a person's words: "1d", "90m", "1d12h", "2 hours", "하루", "1시간 30분", "半小时". It fails
// with [ErrSpan], or with [ErrSpanBounds] for one shorter than [MinSpan] or longer than [MaxSpan].
func ParseSpan(text string) (time.Duration, error) {
	if len(text) > 100 {
		return 0, ErrSpan
	}
	rest := plainSpan(text)
	if rest == "" {
		return 0, ErrSpan
	}
	var sum time.Duration
	for rest != "" {
		part, after, ok := cutSpan(rest)
		if !ok {
			return 0, ErrSpan
		}
		sum, rest = min(sum+part, 2*MaxSpan), after
	}
	if sum < MinSpan || sum > MaxSpan {
		return 0, ErrSpanBounds
	}
	return sum, nil
}

// plainSpan removes meaningless parts: spaces, "for", "동안".
func plainSpan(text string) string {
	text = strings.ToLower(strings.TrimSpace(norm.NFKC.String(text)))
	text = strings.TrimPrefix(text, "for ")
	text = strings.ReplaceAll(text, " and ", " ")
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == ',' {
			return -1
		}
		return r
	}, text)
	for _, ending := range []string{"동안", "만", "간"} {
		if cut := strings.TrimSuffix(text, ending); cut != text && !strings.HasSuffix(text, "시간") {
			text = cut
		}
	}
	return text
}

// cutSpan removes one number with its unit from the start of a text.
func cutSpan(text string) (time.Duration, string, bool) {
	for _, w := range spanWords {
		if rest, ok := strings.CutPrefix(text, w.word); ok {
			return w.of, rest, true
		}
	}
	n, rest, ok := cutNumber(text)
	if !ok {
		return 0, "", false
	}
	for _, u := range spanUnits {
		after, ok := strings.CutPrefix(rest, u.word)
		if !ok || isInsideWord(u.word, after) {
			continue
		}
		if half, ok := strings.CutPrefix(after, "반"); ok { // 한 시간 반
			n, after = n+0.5, half
		}
		return time.Duration(n * float64(u.of)), after, true
	}
	return 0, "", false
}

// isInsideWord reports whether a Latin unit is only the start of a longer word: the "m" of "month".
func isInsideWord(unit, after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return unit[0] < utf8.RuneSelf && r >= 'a' && r <= 'z'
}

func cutNumber(text string) (float64, string, bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end > 0 {
		n, err := strconv.ParseFloat(text[:end], 64)
		return n, text[end:], err == nil && n <= 1e6
	}
	for _, w := range spanNumbers {
		if rest, ok := strings.CutPrefix(text, w.word); ok {
			return w.n, rest, true
		}
	}
	return 0, "", false
}
