package recall

import (
	"math"
	"sync"
)

// frequencies caches the approximate number of notes for frequent expressions. A few more or fewer notes change
// little.
type frequencies struct {
	mu   sync.Mutex
	seen map[freqKey]int
}

type freqKey struct {
	span  span
	match string
}

// span is the range of ids from ≤ id < to.
type span struct{ from, to int64 }

const (
	maxFew  = 96   // notes; rarer expressions are not cached
	maxSeen = 4096 // cached expressions
)

func (f *frequencies) known(s span, match string) (df int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	df, ok = f.seen[freqKey{s, match}]
	return df, ok
}

func (f *frequencies) remember(s span, match string, df int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil || len(f.seen) >= maxSeen {
		f.seen = map[freqKey]int{}
	}
	f.seen[freqKey{s, match}] = df
}

// forget empties the cache, because the index may have changed.
func (f *frequencies) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

// idf returns the inverse document frequency of a term found in df of n notes. It is never 0: even a word in
// every note is part of the question.
func idf(df, n int) float64 {
	return max(math.Log((float64(n)+1)/(float64(df)+0.5)), 0.1)
}
