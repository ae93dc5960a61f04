package recall

import (
	"math"
	"sync"
)

// frequencies remembers in about how many notes an expression is found that is in
// many: a few more or less change little.
type frequencies struct {
	mu   sync.Mutex
	seen map[counted]int
}

type counted struct {
	span  span
	match string
}

// span is a range of ids, without its end.
type span struct{ from, to int64 }

const (
	maxFew  = 96   // notes: what is in no more is looked up anew
	maxSeen = 4096 // expressions that are remembered
)

func (f *frequencies) known(s span, match string) (df int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	df, ok = f.seen[counted{s, match}]
	return df, ok
}

func (f *frequencies) remember(s span, match string, df int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil || len(f.seen) >= maxSeen {
		f.seen = map[counted]int{}
	}
	f.seen[counted{s, match}] = df
}

// forget drops everything: other files may be in the index from now on.
func (f *frequencies) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

// idf is how much a term says that is found in df of n notes. It is never
// nothing: a word that is everywhere still is what was asked for.
func idf(df, n int) float64 {
	return max(math.Log((float64(n)+1)/(float64(df)+0.5)), 0.1)
}
