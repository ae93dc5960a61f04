package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// view is all that is read of the end of a conversation, with the errors.
func view(s *session.Store, key string) []any {
	past, err := s.Load(key)
	retried, kept, retriedErr := s.LoadRetried(key, "task 2")
	excess, excessErr := s.Excess(key)
	open, openErr := s.Interrupted(key)
	return []any{past, fmt.Sprint(err), retried, kept, fmt.Sprint(retriedErr), excess, fmt.Sprint(excessErr), open, fmt.Sprint(openErr)}
}

// damagedLines returns the number of unreadable lines that a store found.
func damagedLines(s *session.Store) (n int) {
	for _, d := range s.Damaged() {
		n += d.Lines
	}
	return n
}

// TestACachedConversationIsReadLikeAnUncachedOne runs random appends by two stores, and changes of the file by others,
// and compares what both stores return with what a new store returns.
func TestACachedConversationIsReadLikeAnUncachedOne(t *testing.T) {
	root := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		dir, c := fmt.Sprintf("%s/%d", root, round), newClock()
		o := session.Options{Dir: dir, Window: rapid.IntRange(2, 10).Draw(t, "window"), Now: c.now}
		stores := []*session.Store{session.New(o), session.New(o)}
		some := func(t *rapid.T) *session.Store { return rapid.SampledFrom(stores).Draw(t, "store") }
		n, edits, steps := 0, 0, 0
		next := func() string { n++; return fmt.Sprintf("«%d»", n) }
		add := func(t *rapid.T, m providers.Message) {
			e := session.NewEntry(m, &session.Metadata{Task: fmt.Sprint("task ", n%4)})
			_ = some(t).Append(key, e) // fails if a newer program wrote to the file
		}
		name := func() string {
			files, _ := filepath.Glob(dir + "/*.jsonl")
			return strings.Join(files, "")
		}
		change := func(t *rapid.T, edit func(data []byte) []byte) {
			if name() == "" {
				return
			}
			data, err := os.ReadFile(name())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name(), edit(data), 0o600))
			edits++ // an edit that takes less than a tick of the clock would keep the time
			require.NoError(t, os.Chtimes(name(), time.Time{}, time.Unix(int64(1e9+edits), 0)))
		}
		text := func(s string) func(*rapid.T) {
			return func(t *rapid.T) { change(t, func(data []byte) []byte { return append(data, s...) }) }
		}
		t.Repeat(map[string]func(*rapid.T){
			"words":  func(t *rapid.T) { add(t, providers.UserText(next())) },
			"answer": func(t *rapid.T) { add(t, providers.AssistantText(next())) },
			"call":   func(t *rapid.T) { add(t, call(fmt.Sprint(n%3))) },
			"result": func(t *rapid.T) { add(t, result(fmt.Sprint(n%3))) },
			"a whole turn": func(t *rapid.T) {
				for _, m := range turn(n) {
					add(t, m)
				}
			},
			"a long answer": func(t *rapid.T) {
				if text := next(); n%8 == 0 { // reading many takes long
					add(t, providers.AssistantText(strings.Repeat(text, 5_000)))
				}
			},
			"several entries": func(t *rapid.T) {
				_ = keep(some(t), key, turn(n)...)
			},
			"compaction": func(t *rapid.T) {
				s := some(t)
				if x, err := s.Excess(key); err == nil && len(x.Messages) > 0 {
					require.NoError(t, s.Append(key, session.NewSummary(next(), x)))
				}
			},
			"late result": func(t *rapid.T) {
				_ = some(t).AppendResults(key, session.LateResult{Results: map[string]string{"1": "late"}, Text: next()})
			},
			"reset":      func(t *rapid.T) { _ = some(t).Reset(key) },
			"pause":      func(*rapid.T) { c.pass(40 * time.Minute) },
			"clock back": func(*rapid.T) { c.pass(-50 * time.Minute) },
			"deletion":   func(t *rapid.T) { _ = some(t).Delete(key) },
			"removal": func(*rapid.T) {
				if name() != "" {
					_ = os.Remove(name())
				}
			},
			"torn line":      text(`{"type":"user","content":"torn`),
			"blank line":     text("\n"),
			"damaged line":   text("damage\n"),
			"newer version":  text(`{"v":9,"type":"user","content":"x"}` + "\n"),
			"unfinished one": text(`{"type":"user","content":"x","timestamp":1}`),
			"cut": func(t *rapid.T) {
				change(t, func(data []byte) []byte { return data[:rapid.IntRange(0, len(data)).Draw(t, "length")] })
			},
			"edit of the same size": func(t *rapid.T) {
				change(t, func(data []byte) []byte {
					return []byte(strings.ReplaceAll(string(data), "«1", "«2"))
				})
			},
			"": func(t *rapid.T) {
				if steps++; steps%5 != 0 {
					return
				}
				fresh := session.New(o)
				want := view(fresh, key)
				for _, s := range stores {
					before := damagedLines(s)
					require.Equal(t, want, view(s, key))
					require.Equal(t, max(before, damagedLines(fresh)), damagedLines(s))
				}
			},
		})
	})
}

// TestTheEarlyDecisionOfExcessCountsEnough compares the bound with the messages that are made of random entries.
func TestTheEarlyDecisionOfExcessCountsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []providers.Message{providers.UserText("words"), providers.AssistantText("answer"), call("a"), call("b"), result("a"), result("b")}
		var entries []session.Entry
		for _, m := range rapid.SliceOf(rapid.SampledFrom(kinds)).Draw(t, "messages") {
			about := &session.Metadata{Task: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "task")}
			entries = append(entries, session.NewEntry(m, about))
		}
		n, bound := session.CountMessages(entries)
		require.LessOrEqual(t, n, bound)
	})
}

// countReads counts the reads of a store and their bytes.
func countReads(s *session.Store) (count, size *int) {
	count, size = new(int), new(int)
	s.OnRead(func(n int) { *count, *size = *count+1, *size+n })
	return count, size
}

// TestAConversationIsReadOnce counts the reads of turns in a conversation that is larger than a piece.
func TestAConversationIsReadOnce(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	old := open(dir, c)
	for n := range 10 {
		require.NoError(t, keep(old, key, turn(n)...))
		require.NoError(t, keep(old, key, providers.AssistantText(strings.Repeat("x", 20<<10))))
	}
	s := open(dir, c)
	_, size := countReads(s)
	load(t, s)
	require.Greater(t, *size, 200<<10, "a new store reads it")
	for n := range 3 {
		*size = 0
		load(t, s)
		for _, m := range turn(n) {
			require.NoError(t, keep(s, key, m))
		}
		_, err := s.Excess(key)
		require.NoError(t, err)
		require.Less(t, *size, 3<<10, "only the ends that identify the file")
	}
}

// TestAnEarlierPartIsReadAlone counts the reads of a store that needs more than is cached.
func TestAnEarlierPartIsReadAlone(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	require.NoError(t, keep(s, key, providers.UserText("before"), call("open")))
	c.pass(2 * time.Hour)
	require.Empty(t, load(t, s), "the pause hides it")
	open, err := s.Interrupted(key)
	require.NoError(t, err)
	require.Len(t, open, 1, "however old it is")
	require.Empty(t, load(t, s))
}

func TestReadingACachedConversationTakesFewAllocations(t *testing.T) {
	s := open(t.TempDir(), newClock())
	for n := range 10 {
		require.NoError(t, keep(s, key, turn(n)...))
	}
	require.Less(t, testing.AllocsPerRun(20, func() { _, _ = s.Load(key) }), 250.0, "40 entries; parsing each takes 30")
	require.Less(t, testing.AllocsPerRun(20, func() { _, _ = s.Excess(key) }), 40.0)
}

func TestTheCacheIsBounded(t *testing.T) {
	s := open(t.TempDir(), newClock())
	for n := range 3 * session.MaxCached {
		require.NoError(t, keep(s, fmt.Sprint(key, n), turn(n)...))
	}
	conversations, _ := s.Cached()
	require.Equal(t, session.MaxCached, conversations)
	for n := range session.MaxCached {
		require.NoError(t, keep(s, fmt.Sprint(key, n), providers.AssistantText(strings.Repeat("x", session.MaxCachedBytes/8))))
		_, err := s.Load(fmt.Sprint(key, n))
		require.NoError(t, err)
		_, size := s.Cached()
		require.LessOrEqual(t, size, int64(session.MaxCachedBytes))
	}
	require.NoError(t, keep(s, key, providers.AssistantText(strings.Repeat("x", session.MaxCachedBytes))))
	conversations, size := s.Cached()
	require.Positive(t, conversations, "one that is too large does not replace the others")
	require.LessOrEqual(t, size, int64(session.MaxCachedBytes))
	require.NoError(t, s.Delete(fmt.Sprint(key, session.MaxCached-1)))
	after, _ := s.Cached()
	require.Equal(t, conversations-1, after, "what is deleted is not kept")
}

func TestAReceiverMayChangeWhatWasLoaded(t *testing.T) {
	s := open(t.TempDir(), newClock())
	require.NoError(t, keep(s, key, append(turn(1), turn(2)...)...))
	got := load(t, s)
	for i := range got {
		got[i].Content[0] = providers.Text("changed")
		got[i].Content = append(got[i].Content, providers.Text("added"))
	}
	require.Equal(t, append(turn(1), turn(2)...), load(t, s))
}

// TestAStoreConcurrentUse appends and reads in several goroutines, and compares with a new store.
func TestAStoreConcurrentUse(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 10 {
				assert.NoError(t, keep(s, key, turn(10*g+n)...))
				_, err := s.Load(key)
				assert.NoError(t, err)
				_, err = s.Excess(key)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	require.Equal(t, view(open(dir, c), key), view(s, key))
}
