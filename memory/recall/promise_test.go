package recall_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
	"github.com/nidoit/blunux-ai/providers"
)

// world is the state of a random sequence of changes to notes.
type world struct {
	t     *rapid.T
	notes string
	talks string
	store *session.Store
	file  string
	index *recall.Index
}

func (w *world) sources() []recall.Source {
	return []recall.Source{recall.Markdown(w.notes), recall.Conversations(w.store)}
}

func (w *world) open() {
	var err error
	w.index, err = recall.Open(w.file, recall.Options{Sources: w.sources()})
	require.NoError(w.t, err)
}

var (
	someFile = rapid.SampledFrom([]string{"MEMORY.md", "USER.md", "SYSTEM.md", "daily/2026-02-20.md", "daily/2026-02-21.md", "daily/2026-01.md"})
	someLine = rapid.SampledFrom([]string{
		"- **nas**: NAS 주소는 192.168.0.20 (2026-02-20)", "- the printer is blue-2tb", "- 09:12 · 디스크 · df -h · ok", "## 집", "## Work",
		"备份硬盘放在书房", "", "  continued", "```", "- 프린터", "| a | b |", "- 🎉 party", "\xff\xfe broken", "- 크롬은 google-chrome", "plain text",
	})
	someTalk = rapid.SampledFrom([]string{"agent:a:session:cli/x", "agent:a:session:cli/y"})
)

func (w *world) path(t *rapid.T) string { return filepath.Join(w.notes, someFile.Draw(t, "file")) }

func (w *world) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"write": func(t *rapid.T) {
			text := ""
			for _, l := range rapid.SliceOfN(someLine, 0, 8).Draw(t, "lines") {
				text += l + "\n"
			}
			w.put(w.path(t), text)
		},
		"append": func(t *rapid.T) {
			file := w.path(t)
			old, err := os.ReadFile(file)
			if err != nil {
				old = nil
			}
			w.put(file, string(old)+someLine.Draw(t, "line")+"\n")
		},
		"delete": func(t *rapid.T) { _ = os.Remove(w.path(t)) },
		"talk": func(t *rapid.T) {
			key := someTalk.Draw(t, "key")
			e := session.NewEntry(providers.UserText(someLine.Draw(t, "said")), nil)
			require.NoError(t, w.store.Append(key, e, session.NewEntry(providers.AssistantText("answer to "+key), nil)))
		},
		"forget a talk": func(t *rapid.T) { _ = w.store.Delete(someTalk.Draw(t, "key")) },
		"cut a talk": func(t *rapid.T) {
			files, err := filepath.Glob(filepath.Join(w.talks, "*.jsonl"))
			require.NoError(t, err)
			for _, f := range files {
				fi, err := os.Stat(f)
				require.NoError(t, err)
				require.NoError(t, os.Truncate(f, int64(float64(fi.Size())*rapid.Float64Range(0, 1).Draw(t, "part"))))
			}
		},
		"sync": func(t *rapid.T) { require.NoError(t, w.index.Sync(context.Background())) },
		"stop in the middle": func(t *rapid.T) {
			inner, cancel := context.WithCancel(context.Background())
			defer cancel()
			ctx := &countedContext{Context: inner, cancel: cancel}
			ctx.left.Store(rapid.Int64Range(1, 60).Draw(t, "steps"))
			_ = w.index.Sync(ctx)
		},
		"crash": func(t *rapid.T) {
			w.copied(t)
			require.NoError(t, w.index.Close())
			w.open()
		},
		"ask": func(t *rapid.T) {
			_, err := w.index.Recall(context.Background(), memory.Query{Words: someLine.Draw(t, "words")})
			require.NoError(t, err)
		},
	}
}

func (w *world) put(file, text string) {
	require.NoError(w.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(w.t, os.WriteFile(file, []byte(text), 0o600))
}

// copied copies the files of the open database in the state that a power failure would leave.
func (w *world) copied(t *rapid.T) {
	next := w.file + "+"
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(w.file + end)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		if end != "" {
			data = data[:rapid.IntRange(0, len(data)).Draw(t, "of the log")]
		}
		require.NoError(t, os.WriteFile(next+end, data, 0o600))
	}
	w.file = next
}

// countedContext is a context that ends after a number of checks.
type countedContext struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (a *countedContext) Err() error {
	if a.left.Add(-1) < 0 {
		a.cancel()
	}
	return a.Context.Err()
}

// After any sequence of writes, edits, deletions and crashes, the index equals a rebuilt one.
func TestTheIndexEqualsOneMadeAnew(t *testing.T) {
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir, err := os.MkdirTemp("", fmt.Sprintf("recall-%d-", n))
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		w := &world{t: t, notes: filepath.Join(dir, "notes"), talks: filepath.Join(dir, "talks"), file: filepath.Join(dir, "recall.db")}
		w.store = session.New(session.Options{Dir: w.talks})
		w.open()
		defer func() { require.NoError(t, w.index.Close()) }()
		t.Repeat(w.actions())
		require.NoError(t, w.index.Sync(context.Background()))
		got, err := w.index.Rows(context.Background())
		require.NoError(t, err)
		anew, err := recall.Open(filepath.Join(dir, "anew.db"), recall.Options{Sources: w.sources()})
		require.NoError(t, err)
		defer func() { require.NoError(t, anew.Close()) }()
		require.NoError(t, anew.Sync(context.Background()))
		want, err := anew.Rows(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
