package memory

import (
	"context"
	"fmt"
	"strings"
	"time"
)

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
	files := map[string]*excerpt{dayFile(now): {}}
	for _, s := range shown {
		files[s.name] = s
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
