package memory

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Bounds of what is recalled for a prompt.
const (
	recallTime  = 300 * time.Millisecond // a turn does not wait longer for it
	recallHits  = 20                     // where a file is not shown whole
	recallDays  = 5                      // of other days, where all of them are
	recallScore = 0.25                   // that a note of another day needs
	recallBytes = 400                    // of one note
)

// recalled returns the notes that answer the words and are not in a prompt
// already. That it finds none, or fails, never fails a turn.
func (m *Memory) recalled(ctx context.Context, ask Ask, now time.Time, shown []*excerpt, tokens int) *excerpt {
	e := &excerpt{title: "Recalled notes"}
	if strings.TrimSpace(ask.Words) == "" || tokens <= 0 {
		return e
	}
	files := map[string]*excerpt{dayFile(now): {}}
	for _, s := range shown {
		files[s.name] = s
	}
	days, lines := 0, []string{}
	for _, h := range m.inTime(ctx, Query{Words: ask.Words, Limit: recallHits}) {
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

// isNews tells a note that a prompt does not show already with its file.
func isNews(h Hit, file *excerpt) bool {
	return file == nil || file.cut && !strings.Contains(file.text, cut(firstLine(h.Text), 200))
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// recalledLine is a note as a prompt shows it.
func recalledLine(n Note) string {
	text := strings.Join(strings.Fields(n.Text), " ")
	if len(text) > recallBytes {
		text = cut(text, recallBytes) + "…"
	}
	if n.Heading != "" && n.Category != Daily {
		text = cut(n.Heading, recallBytes/4) + ": " + text
	}
	return fmt.Sprintf("[%s] %s (%s)", n.Created.Format(time.DateOnly), text, n.Source)
}

// inTime asks for notes and waits no longer than a turn can.
func (m *Memory) inTime(ctx context.Context, q Query) []Hit {
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
