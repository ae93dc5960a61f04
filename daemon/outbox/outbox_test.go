package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// clock is a time that only a test advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t require.TestingT, file string, c *clock) *Box {
	b := New(file, c.now)
	damaged, err := b.Load()
	require.NoError(t, err)
	require.Empty(t, damaged)
	return b
}

func start() *clock { return &clock{time.Date(2026, 2, 20, 9, 15, 32, 0, time.UTC)} }

func bodies(texts []Message) []string {
	var out []string
	for _, t := range texts {
		out = append(out, t.Body)
	}
	return out
}

func TestATextIsHandedOverOnceAndInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outbox", "n.jsonl")
	b := open(t, file, start())
	for i := range 12 {
		require.NoError(t, b.Put(Message{Channel: "bridge", To: "me", Body: fmt.Sprint(i)}))
	}
	require.NoError(t, b.Put(Message{Channel: "cli", Body: "not for the bridge"}))
	var got []string
	take := func(texts []Message) error { got = append(got, bodies(texts)...); return nil }
	require.NoError(t, b.Take("bridge", 10, nil, take))
	require.Len(t, got, 10)
	b = open(t, file, start()) // killed
	require.NoError(t, b.Take("bridge", 10, nil, take))
	require.NoError(t, b.Take("bridge", 10, nil, take))
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}, got)
	require.Len(t, b.Waiting(""), 1)
}

func TestWhatCouldNotBeHandedOverStays(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "n"), start())
	require.NoError(t, b.Put(Message{Channel: "bridge", Body: "x"}))
	require.Error(t, b.Take("bridge", 10, nil, func([]Message) error { return errors.New("gone") }))
	var got []Message
	require.NoError(t, b.Take("bridge", 10, nil, func(texts []Message) error { got = texts; return nil }))
	require.Equal(t, []string{"x"}, bodies(got))
	require.NoError(t, b.Restore(got))
	require.Equal(t, []string{"x"}, bodies(b.Waiting("bridge")))
	require.NoError(t, b.Restore([]Message{{ID: "r1", Channel: "bridge", Body: "an answer"}}))
	require.Equal(t, []string{"x", "an answer"}, bodies(b.Waiting("bridge")))
}

func TestAnIdIsToldOnceHoweverOftenItIsPut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "n")
	b := open(t, file, start())
	require.NoError(t, b.Put(Message{ID: "task:1", Body: "x"}))
	require.NoError(t, b.Put(Message{ID: "task:1", Body: "x"}))
	require.Len(t, b.Waiting(""), 1)
	require.NoError(t, b.Remove([]string{"task:1", "never there"}))
	b = open(t, file, start())
	require.NoError(t, b.Put(Message{ID: "task:1", Body: "x"}))
	require.Empty(t, b.Waiting(""))
}

func TestWhatNobodyFetchesGoesAndIsCounted(t *testing.T) {
	c := start()
	file := filepath.Join(t.TempDir(), "n")
	b := open(t, file, c)
	require.NoError(t, b.Put(Message{Body: "old"}))
	c.at = c.at.Add(MaxAge)
	require.Empty(t, b.Waiting(""))
	require.NoError(t, b.Put(Message{Body: "new"}))
	require.Equal(t, []string{"new"}, bodies(b.Waiting("")))
	require.Equal(t, 1, b.Dropped())
	for i := range maxTexts {
		require.NoError(t, b.Put(Message{Body: fmt.Sprint(i)}))
	}
	require.Len(t, b.Waiting(""), maxTexts)
	require.Equal(t, 2, b.Dropped())
	long := strings.Repeat("x", 1<<20)
	for range 10 {
		require.NoError(t, b.Put(Message{Body: long}))
	}
	require.LessOrEqual(t, b.bytes, maxBytes)
	dropped := b.Dropped()
	require.Greater(t, dropped, 1000)
	require.Equal(t, dropped, open(t, file, c).Dropped())
	fi, err := os.Stat(file)
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(3*maxBytes), "what is gone is taken out of the file")
}

// With putting, taking, failed deliveries, acknowledgements and crashes in any order.
func TestNothingIsLostAndNothingComesTwice(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		file, c := filepath.Join(dir, fmt.Sprint(n)), start()
		b := open(t, file, c)
		put, got := 0, map[string]int{}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				require.NoError(t, b.Put(Message{Channel: "bridge", Body: fmt.Sprint(put)}))
				put++
			},
			"poll": func(t *rapid.T) {
				fails := rapid.Bool().Draw(t, "fails")
				_ = b.Take("bridge", 10, nil, func(texts []Message) error {
					require.LessOrEqual(t, len(texts), 10)
					if fails {
						return errors.New("gone")
					}
					for _, x := range texts {
						got[x.Body]++
					}
					return nil
				})
			},
			"kill":    func(t *rapid.T) { b = open(t, file, c) },
			"rewrite": func(t *rapid.T) { require.NoError(t, b.rewrite()) },
			"": func(t *rapid.T) {
				for _, x := range b.Waiting("") {
					require.Zero(t, got[x.Body])
				}
				require.Equal(t, put, len(got)+len(b.Waiting("")))
				for body, times := range got {
					require.Equal(t, 1, times, body)
				}
			},
		})
	})
}

// A full disk can make a rewrite fail, while lines still fit into the journal.
func TestAMessageIsSavedEvenIfTheJournalCannotBeRewritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "outbox")
	file := filepath.Join(dir, "notifications.jsonl")
	b := New(file, time.Now)
	require.NoError(t, b.Put(Message{ID: "first", Channel: "cli", Expires: time.Now().Add(time.Hour)}))
	require.NoError(t, os.Rename(dir, dir+".moved")) // the open file stays writable
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	big := strings.Repeat("x", 100<<10)
	for i := range 30 {
		require.NoError(t, b.Put(Message{ID: fmt.Sprint(i), Channel: "cli", Body: big, Expires: time.Now().Add(time.Hour)}))
	}
	require.Error(t, b.rewrite(), "the rewrite has failed each time")
	require.True(t, b.IsKnown("29"))
}
