package session

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Search is a search query.
type Search struct {
	Words  string // all of them must occur in an entry
	Prefix string // of the keys to search, "" for all
	Limit  int    // number of hits, 1 to 200; 0 means 20
}

// Hit is a matching entry.
type Hit struct {
	Key       string `json:"key"`
	Type      Type   `json:"type"`
	Timestamp int64  `json:"timestamp"`
	Text      string `json:"text"` // excerpt around the first of the words, on one line
}

// SearchResult has the matches of a search, those of the latest conversation first, and the latest entry of each
// first.
type SearchResult struct {
	Hits []Hit `json:"hits"`
	// More reports that there may be more matches, because a limit was reached.
	More bool `json:"more"`
}

const (
	maxSearched = 256 << 20 // bytes that one search reads
	maxAround   = 60        // bytes before and after the word in an excerpt
)

// Search searches the text of users, models and calls, ignoring case and Unicode composition (NFC). It reads at
// most 256 MiB of the files, the latest first.
func (s *Store) Search(q Search) (SearchResult, error) {
	words := strings.Fields(foldCase(q.Words))
	found := SearchResult{Hits: []Hit{}}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	q.Limit = min(q.Limit, maxPage)
	files, err := s.newestFiles(q.Prefix, maxListed)
	if err != nil {
		return found, fmt.Errorf("cannot search the conversations: %w", err)
	}
	found.More = len(files) == maxListed
	if len(words) == 0 {
		return found, nil
	}
	left := int64(maxSearched)
	for _, at := range files {
		if left -= at.size; left < 0 || len(found.Hits) == q.Limit {
			found.More = true
			break
		}
		// Unreadable files are skipped.
		hits, more, err := s.searchFile(at, words, q.Limit-len(found.Hits))
		found.Hits, found.More = append(found.Hits, hits...), found.More || more || err != nil
	}
	return found, nil
}

// searchFile returns the last n entries of a file that contain all words, the latest first, and whether there
// were more.
func (s *Store) searchFile(at conversationFile, words []string, n int) (hits []Hit, more bool, err error) {
	f, err := s.openFound(at)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	key := at.key
	if strings.HasSuffix(key, "…") {
		key = wholeKey(f, at)
	}
	health, err := walk(io.NewSectionReader(f, 0, at.size), func(e Entry) error {
		if e.Type != TypeUser && e.Type != TypeThought && e.Type != TypeTool {
			return nil
		}
		text, ok := excerptAll(WithoutMarks(e.Content), words)
		if !ok {
			return nil
		}
		if len(hits) == n {
			hits, more = slices.Delete(hits, 0, 1), true
		}
		hits = append(hits, Hit{key, e.Type, e.Timestamp, text})
		return nil
	})
	s.recordDamage(key, health.Damaged)
	slices.Reverse(hits)
	return hits, more, err
}

func foldCase(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// excerptAll returns an excerpt around the first word if all words occur.
func excerptAll(content string, words []string) (string, bool) {
	text := norm.NFC.String(content)
	low := strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(low, w) {
			return "", false
		}
	}
	return excerpt(text, low, words[0]), true
}

// Around returns an excerpt around the first of the words that occurs, on one line, or the beginning if none
// does.
func Around(content, words string) string {
	text := norm.NFC.String(content)
	low := strings.ToLower(text)
	for _, w := range strings.Fields(foldCase(words)) {
		if strings.Contains(low, w) {
			return excerpt(text, low, w)
		}
	}
	return excerpt(text, low, "")
}

// excerpt returns the text around a word of low, which is text in lower case.
func excerpt(text, low, word string) string {
	if len(low) != len(text) { // letters whose cases have different lengths
		text = low
	}
	at := strings.Index(low, word)
	start, end := max(at-maxAround, 0), min(at+len(word)+maxAround, len(text))
	short := strings.Join(strings.Fields(strings.ToValidUTF8(text[start:end], "")), " ")
	if start > 0 {
		short = "…" + short
	}
	if end < len(text) {
		short += "…"
	}
	return short
}
