package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

// BenchmarkSearch searches 40 days of 25 notes: the first search, which starts the program, and the ones after it.
// INDEX_PROGRAM measures a built program instead of this test binary.
func BenchmarkSearch(b *testing.B) {
	paths := config.Paths{Home: b.TempDir()}
	require.NoError(b, os.MkdirAll(filepath.Join(paths.Memory(), "daily"), 0o700))
	for day := range 40 {
		var lines strings.Builder
		for line := range 25 {
			fmt.Fprintf(&lines, "- 09:%02d · question %d about the penguin · df -h · answer %d\n", line, day*line, day)
		}
		file := fmt.Sprintf("daily/2026-%02d-%02d.md", 1+day/28, 1+day%28)
		require.NoError(b, os.WriteFile(filepath.Join(paths.Memory(), file), []byte(lines.String()), 0o600))
	}
	self, err := os.Executable()
	require.NoError(b, err)
	program := []string{self, "serve"}
	if built := os.Getenv("INDEX_PROGRAM"); built != "" {
		program = []string{built}
	}
	open := func() *notes.Notes {
		f := notes.NewFinder(notes.FinderOptions{Paths: paths, Getenv: func(string) string { return "" }, Program: program})
		return notes.New(paths, config.Memory{}, f, secret.NewRedactor(nil))
	}
	search := func(n *notes.Notes) {
		hits, err := n.Finder.Recall(b.Context(), memory.Query{Words: "where is the penguin"})
		require.NoError(b, err)
		require.NotEmpty(b, hits)
	}
	n := open()
	search(n) // makes the index
	require.NoError(b, n.Finder.Close())
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			n := open()
			search(n)
			b.StopTimer()
			require.NoError(b, n.Finder.Close())
			b.StartTimer()
		}
	})
	b.Run("next", func(b *testing.B) {
		n := open()
		defer n.Finder.Close()
		search(n)
		for b.Loop() {
			search(n)
		}
		b.ReportMetric(childMemory(b, "VmRSS"), "RSS-MB")
		b.ReportMetric(childMemory(b, "RssAnon"), "anon-MB")
	})
}

// childMemory returns a memory figure of the only child process, in MB.
func childMemory(b *testing.B, field string) float64 {
	for _, pid := range children(b) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(b, err)
		for line := range strings.Lines(string(text)) {
			var kb float64
			if _, err := fmt.Sscanf(line, field+": %f kB", &kb); err == nil {
				return kb / 1000
			}
		}
	}
	return 0
}
