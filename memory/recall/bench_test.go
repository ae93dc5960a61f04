package recall_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// manyNotes writes n notes in files of 500: those of the benchmark, and variants with changed words and numbers.
func manyNotes(b *testing.B, n int) (dir string, texts []string) {
	dir, _ = notebook(b)
	var lines []string
	for row := range names.Rows(notesTable) {
		lines = append(lines, row[3])
	}
	r := rand.New(rand.NewPCG(1, 2))
	var file strings.Builder
	for i := range n {
		words := strings.Fields(lines[r.IntN(len(lines))])
		for range 2 {
			other := strings.Fields(lines[r.IntN(len(lines))])
			words[r.IntN(len(words))] = other[r.IntN(len(other))]
		}
		text := strings.TrimLeft(strings.Join(words, " "), "- ") + " " + strconv.Itoa(r.IntN(10_000))
		texts = append(texts, text)
		file.WriteString("- " + text + "\n")
		if i%500 == 499 || i == n-1 {
			write(b, filepath.Join(dir, fmt.Sprintf("part%d.md", i/500)), file.String())
			file.Reset()
		}
	}
	return dir, texts
}

// BenchmarkQuery runs every query of the benchmark on many notes. The floor compares words in the same texts in
// memory.
func BenchmarkQuery(b *testing.B) {
	for name, n := range map[string]int{"20k": 20_000, "200k": 200_000} {
		b.Run(name, func(b *testing.B) {
			dir, texts := manyNotes(b, n)
			file := filepath.Join(b.TempDir(), "recall.db")
			x := openAt(b, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
			start := time.Now()
			require.NoError(b, x.Sync(context.Background()))
			built := time.Since(start)
			asked := queries(b)
			b.Run("index", func(b *testing.B) {
				var took []time.Duration
				i := 0
				for b.Loop() {
					start := time.Now()
					_, err := x.Recall(context.Background(), memory.Query{Words: asked[i%len(asked)].words})
					require.NoError(b, err)
					took = append(took, time.Since(start))
					i++
				}
				report(b, took)
				b.ReportMetric(built.Seconds(), "rebuild-s")
				b.ReportMetric(float64(sizeOf(b, file))/(1<<20), "index-MiB")
				b.ReportMetric(float64(sizeOf(b, dir))/(1<<20), "notes-MiB")
			})
			b.Run("floor", func(b *testing.B) {
				var took []time.Duration
				i := 0
				for b.Loop() {
					start := time.Now()
					scan(texts, asked[i%len(asked)].words)
					took = append(took, time.Since(start))
					i++
				}
				report(b, took)
			})
		})
	}
}

// scan counts the texts that contain all words of a query.
func scan(texts []string, query string) (n int) {
	words := strings.Fields(strings.ToLower(norm.NFC.String(query)))
	for _, t := range texts {
		t = strings.ToLower(norm.NFC.String(t))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(t, w) }) {
			n++
		}
	}
	return n
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
}

func sizeOf(b *testing.B, root string) (n int64) {
	require.NoError(b, filepath.Walk(root, func(_ string, fi os.FileInfo, err error) error {
		if err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return err
	}))
	return n
}

// BenchmarkSyncOneChangedFile edits one of 40 files with 500 notes each and searches for it.
func BenchmarkSyncOneChangedFile(b *testing.B) {
	dir, _ := manyNotes(b, 20_000)
	x := open(b, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
	require.NoError(b, x.Sync(context.Background()))
	file := filepath.Join(dir, "part7.md")
	text, err := os.ReadFile(file)
	require.NoError(b, err)
	b.Run("index", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			write(b, file, string(text)+fmt.Sprintf("- one more %d\n", i))
			require.NoError(b, x.Sync(context.Background()))
		}
	})
	b.Run("floor", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			write(b, file, string(text)+fmt.Sprintf("- one more %d\n", i))
			text, err := os.ReadFile(file)
			require.NoError(b, err)
			memory.Split("part7.md", string(text), time.Now())
		}
	})
}

// BenchmarkResident reports the resident memory of the process with the index open and closed.
func BenchmarkResident(b *testing.B) {
	dir, _ := manyNotes(b, 20_000)
	file := filepath.Join(b.TempDir(), "recall.db")
	o := recall.Options{Sources: []recall.Source{recall.Markdown(dir)}}
	first := openAt(b, file, o)
	require.NoError(b, first.Sync(context.Background()))
	require.NoError(b, first.Close())
	asked := queries(b)
	for b.Loop() {
		closed := resident(b)
		x := openAt(b, file, o)
		for _, q := range asked {
			_, err := x.Recall(context.Background(), memory.Query{Words: q.words})
			require.NoError(b, err)
		}
		opened := resident(b)
		require.NoError(b, x.Close())
		b.ReportMetric(closed, "before-MiB")
		b.ReportMetric(opened, "open-MiB")
		b.ReportMetric(resident(b), "closed-MiB")
	}
}

func resident(b *testing.B) float64 {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(b, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(b, err)
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// BenchmarkUpdateAfterATurn follows one of a thousand conversations, by its name and by a walk.
func BenchmarkUpdateAfterATurn(b *testing.B) {
	for _, how := range []string{"named", "walk"} {
		b.Run(how, func(b *testing.B) {
			notes, talks, _, say := home(b)
			x := open(b, recall.Options{Sources: []recall.Source{notes, talks}})
			require.NoError(b, x.SyncFiles(b.Context(), nil))
			changed := map[string][]string{recall.ConversationSource: {session.FileName("a:cli:7")}}
			for b.Loop() {
				say("a:cli:7", "hello again")
				if how == "walk" {
					require.NoError(b, x.SyncText(b.Context()))
				} else {
					require.NoError(b, x.SyncFiles(b.Context(), changed))
				}
			}
		})
	}
}
