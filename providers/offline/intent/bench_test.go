package intent

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkUnderstand plans the requests of the development corpus in turn and reports the median and the 99th
// percentile per request, in nanoseconds.
func BenchmarkUnderstand(b *testing.B) {
	shared()
	rows := readCorpus(b, "intents-dev.tsv")
	b.ReportAllocs()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		shared().Understand(rows[i%len(rows)].utterance, Context{})
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		loadLexicon(nil)
	}
}

// BenchmarkLoadedSize reports the heap size of the loaded word lists.
func BenchmarkLoadedSize(b *testing.B) {
	size := loadedBytes()
	for b.Loop() {
	}
	b.ReportMetric(float64(size), "heap-bytes")
}

func loadedBytes() uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, _ := loadLexicon(nil)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(l)
	return after.HeapAlloc - before.HeapAlloc
}

func TestLoadedDataStaysSmall(t *testing.T) {
	require.Less(t, loadedBytes(), uint64(4<<20))
}
