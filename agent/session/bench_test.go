package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// BenchmarkLoad loads the model's part of a 100 MB conversation, with a summary, as every long conversation
// has, and without.
func BenchmarkLoad(b *testing.B) {
	for _, summed := range []bool{true, false} {
		name := map[bool]string{true: "100MB", false: "100MB-without-a-summary"}[summed]
		b.Run(name, func(b *testing.B) {
			dir, c := b.TempDir(), newClock()
			s := open(dir, c)
			require.NoError(b, keep(s, key, turn(0)...))
			files, err := os.ReadDir(dir)
			require.NoError(b, err)
			var lines strings.Builder
			for _, m := range turn(1) {
				m.Content[0].Content = strings.Repeat("x", 2000)
				e := session.NewEntry(m, nil)
				e.Timestamp = c.at.UnixMilli()
				line, err := json.Marshal(e)
				require.NoError(b, err)
				lines.Write(append(line, '\n'))
			}
			f, err := os.OpenFile(filepath.Join(dir, files[0].Name()), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(b, err)
			for range 100<<20/lines.Len() - 10 {
				_, err := f.WriteString(lines.String())
				require.NoError(b, err)
			}
			require.NoError(b, f.Close())
			if summed {
				x, err := s.Excess(key)
				require.NoError(b, err)
				require.NoError(b, s.Append(key, session.NewSummary("in short", x)))
			}
			for n := range 5 {
				require.NoError(b, keep(s, key, turn(n)...))
			}
			b.ReportAllocs()
			for b.Loop() {
				past, err := s.Load(key)
				require.NoError(b, err)
				require.NotEmpty(b, past.Messages)
			}
		})
	}
}

// BenchmarkAppend stores a whole turn: written steps and a synced answer.
func BenchmarkAppend(b *testing.B) {
	s := open(b.TempDir(), newClock())
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range turn(1) {
			require.NoError(b, keep(s, key, m))
		}
	}
}

// BenchmarkTurn does what a turn does with a conversation of ten earlier turns: load it, store four entries, and look
// whether it has to be compacted. A store for each step reads the conversation again at each step.
func BenchmarkTurn(b *testing.B) {
	for _, name := range []string{"one-store", "a-store-for-each-step"} {
		b.Run(name, func(b *testing.B) {
			dir, c := b.TempDir(), newClock()
			s := open(dir, c)
			output := turn(0)
			output[2].Content[0].Content = strings.Repeat("/dev/nvme0n1p2  468G  213G  232G  48% /\n", 50)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				require.NoError(b, s.Reset(key))
				for range 10 {
					require.NoError(b, keep(s, key, output...))
				}
				_, err := s.Load(key)
				require.NoError(b, err)
				b.StartTimer()
				step := func() *session.Store {
					if name == "one-store" {
						return s
					}
					return open(dir, c)
				}
				_, err = step().Load(key)
				require.NoError(b, err)
				for _, m := range output {
					require.NoError(b, keep(step(), key, m))
				}
				_, err = step().Excess(key)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	many(b, dir, 10_000)
	s := open(dir, newClock())
	for name, page := range map[string]int{"first-page-of-10000": 1, "last-page-of-10000": 200} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				infos, err := s.List(session.Listing{Page: page, Limit: 50})
				require.NoError(b, err)
				require.Len(b, infos, 50)
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	many(b, dir, 10_000)
	s := open(dir, newClock())
	require.NoError(b, keep(s, key, providers.UserText("needle")))
	b.ReportAllocs()
	for b.Loop() {
		found, err := s.Search(session.Search{Words: "no such words"})
		require.NoError(b, err)
		require.Empty(b, found.Hits)
	}
}
