package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Section is the text of one file with its heading in the prompt.
type Section struct{ Title, Text string }

// ContextQuery describes the prompt that notes are wanted for.
type ContextQuery struct {
	Words  string // the person's request, for which notes are recalled
	Tokens int    // budget for all sections together; 0 means 6,000
}

const defaultTokens = 6000

// Context returns the notes for a prompt within a budget of tokens: system, user and long-term memory, notes
// recalled for ask.Words, and today's note. A file that does not fit is cut to its newest part, and matching
// notes from the rest are recalled. Missing and empty files are left out.
//
// The error lists the files that had to be left out, with a command that helps. The sections are valid even with
// an error.
func (m *Memory) Context(ctx context.Context, ask ContextQuery) ([]Section, error) {
	if ask.Tokens <= 0 {
		ask.Tokens = defaultTokens
	}
	now := m.o.Now()
	today := excerpt{title: "Today's Session (" + now.Format(time.DateOnly) + ")", name: DayFile(now)}
	// Today's share is small because the conversation itself contains the latest messages.
	left := ask.Tokens - m.fillExcerpt(&today, ask.Tokens/8)
	all := []*excerpt{{title: "System Information", name: systemFile}, {title: "User Preferences", name: userFile}, {title: "Long-term Memory", name: memoryFile}}
	shares := []int{left * 2 / 5, left * 3 / 5, left}
	used := 0
	for i, e := range all {
		used += m.fillExcerpt(e, min(shares[i], left-used))
	}
	all[0].text = strings.TrimPrefix(all[0].text, systemHead)
	recalled := m.recallExcerpt(ctx, ask, now, all, left-used)
	return joinExcerpts(append(all, recalled, &today))
}

// excerpt is the part of one file that goes into a prompt.
type excerpt struct {
	title, name, text string
	cut               bool
	err               error
}

// fillExcerpt fills an excerpt with at most that many tokens of its file and returns how many it used. If the
// file does not fit, it leaves a fifth for recalled notes.
func (m *Memory) fillExcerpt(e *excerpt, tokens int) int {
	e.text, e.cut, e.err = m.readTail(e.name, int64(4*tokens)) // no token is more than 4 bytes
	if errors.Is(e.err, fs.ErrNotExist) {
		e.err = nil
	}
	e.text = strings.TrimSpace(strings.TrimPrefix(e.text, "\ufeff"))
	if cost := Tokens(e.text); !e.cut && cost <= tokens {
		return cost
	}
	e.cut = true
	e.text = strings.TrimSpace(lastTokens(e.text, tokens*4/5))
	return Tokens(e.text)
}

// lastTokens returns the end of a text, at most that many tokens, beginning at the start of a line if possible.
func lastTokens(text string, tokens int) string {
	thirds, start := 0, len(text)
	for i := len(text); i > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if thirds += weight(r, n); thirds > 3*tokens {
			break
		}
		i -= n
		start = i
	}
	if start == 0 {
		return text
	}
	return string(fromLineStart([]byte(text[start:])))
}

// joinExcerpts returns the sections that are not empty, and the errors of the files that were left out.
func joinExcerpts(all []*excerpt) ([]Section, error) {
	var (
		sections []Section
		faults   []error
	)
	for _, e := range all {
		if e.text != "" {
			sections = append(sections, Section{e.title, e.text})
		}
		if e.err != nil {
			faults = append(faults, fmt.Errorf("%s is left out: %w", e.title, e.err))
		}
	}
	return sections, errors.Join(faults...)
}

// Tokens estimates how many tokens a text costs a model: one per Chinese, Japanese or Korean character, one per three
// bytes of anything else. The vocabularies of today's models need about 4 bytes of English a token and 0.7 to 1.5
// tokens a Korean or Chinese character. The estimate errs on the high side, because a prompt that is too long fails.
func Tokens(text string) int {
	thirds := 0
	for _, r := range text {
		thirds += weight(r, utf8.RuneLen(r))
	}
	return (thirds + 2) / 3
}

// weight is the cost of a character of n bytes, in thirds of a token.
func weight(r rune, n int) int {
	if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		return 3
	}
	return n
}

// Bounds of the notes recalled for a prompt.
const (
	recallTime  = 300 * time.Millisecond // longest delay of a turn
	recallHits  = 20                     // hits to consider
	recallDays  = 5                      // notes of other days
	recallScore = 0.25                   // minimum score of a note of another day
	recallBytes = 400                    // length of one note
)

// recallExcerpt returns the notes that answer the request and are not in the prompt yet. A failed search returns
// none; it never fails the turn.
func (m *Memory) recallExcerpt(ctx context.Context, ask ContextQuery, now time.Time, shown []*excerpt, tokens int) *excerpt {
	e := &excerpt{title: "Recalled notes"}
	if strings.TrimSpace(ask.Words) == "" || tokens <= 0 {
		return e
	}
	files := map[string]*excerpt{DayFile(now): {}}
	for _, s := range shown {
		files[s.name] = s
	}
	if !m.hasMore(files) {
		return e
	}
	days, lines := 0, []string{}
	for _, h := range m.recallInTime(ctx, Query{Words: ask.Words, Limit: recallHits}) {
		if !isNews(h, files[h.Source]) {
			continue
		}
		if h.Category == Daily {
			if days++; days > recallDays || h.Score < recallScore {
				continue
			}
		}
		line := recalledLine(h.Note)
		if tokens -= Tokens(line) + 1; tokens < 0 {
			break
		}
		lines = append(lines, line)
	}
	e.text = strings.Join(lines, "\n")
	return e
}

// hasMore reports whether there may be notes that the prompt does not show: in other files, or in a shown one that was
// cut. Without any, nothing is searched. The index holds every *.md of both directories.
func (m *Memory) hasMore(shown map[string]*excerpt) bool {
	for _, e := range shown {
		if e.cut {
			return true
		}
	}
	for _, dir := range []string{"", dailyDir} {
		entries, err := os.ReadDir(m.path(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
		for _, f := range entries {
			if _, ok := shown[path.Join(dir, f.Name())]; !ok && f.Type().IsRegular() && path.Ext(f.Name()) == ".md" {
				return true
			}
		}
	}
	return false
}

// isNews reports whether the prompt does not show a hit yet as part of its file.
func isNews(h Hit, file *excerpt) bool {
	return file == nil || file.cut && !strings.Contains(file.text, truncate(firstLine(h.Text), 200))
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// recalledLine formats a note for a prompt.
func recalledLine(n Note) string {
	text := strings.Join(strings.Fields(n.Text), " ")
	if len(text) > recallBytes {
		text = truncate(text, recallBytes) + "…"
	}
	if n.Heading != "" && n.Category != Daily {
		text = truncate(n.Heading, recallBytes/4) + ": " + text
	}
	return fmt.Sprintf("[%s] %s (%s)", n.Created.Format(time.DateOnly), text, n.Source)
}

// recallInTime searches notes within recallTime.
func (m *Memory) recallInTime(ctx context.Context, q Query) []Hit {
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	found := make(chan []Hit, 1)
	go func() {
		hits, _ := m.Recall(ctx, q)
		found <- hits
	}()
	select {
	case hits := <-found:
		return hits
	case <-ctx.Done():
		return nil
	}
}
