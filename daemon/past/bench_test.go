package past

import (
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkCompare compares /etc with itself: what an hour costs in which nothing changed.
func BenchmarkCompare(b *testing.B) {
	w := Watched{Trees: []string{"/etc"}, Path: filepath.Join(b.TempDir(), "files")}
	if err := w.Compare(time.Now()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := w.Compare(time.Now()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(w.scan())), "files")
}
