package intent

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkUnderstand(b *testing.B) {
	shared()
	rows := readCorpus(b, "intents-dev.tsv")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Understand(rows[i%len(rows)].utterance, Context{})
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		loadLexicon(nil)
	}
}

// BenchmarkLoadedSize reports the heap that the loaded word lists keep.
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
