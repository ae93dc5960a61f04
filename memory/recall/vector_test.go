package recall_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// fakeEmbedder is an embedder that distinguishes two subjects.
type fakeEmbedder struct {
	model string
	calls atomic.Int64
	fails atomic.Bool
	hangs atomic.Bool
}

func (s *fakeEmbedder) Model() string { return s.model }

func (s *fakeEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.calls.Add(1)
	if s.fails.Load() {
		return nil, errors.New("no server")
	}
	if s.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var all [][]float32
	for _, t := range texts {
		v := []float32{0.01, 0, 0}
		for _, animal := range []string{"cat", "feline", "kitten"} {
			if strings.Contains(t, animal) {
				v[1] = 1
			}
		}
		if strings.Contains(t, "nas") {
			v[2] = 1
		}
		all = append(all, v)
	}
	return all, nil
}

func TestVectorsFindWhatNoWordDoes(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "our kitten is red", "the nas is blue", "nothing of note")
	e := &fakeEmbedder{model: "one"}
	var w warningLog
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Embedder: e, Warn: w.warn})
	require.NoError(t, x.Sync(context.Background()))
	require.Equal(t, "our kitten is red", first(t, x, "feline"))
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	before := e.calls.Load()
	require.NoError(t, x.Sync(context.Background()))
	require.Equal(t, before, e.calls.Load(), "what has a vector gets no other")
	e.fails.Store(true)
	require.Equal(t, "the nas is blue", first(t, x, "nas"), "the words alone answer")
	require.Equal(t, []string{"no-vectors"}, w.codes)
	hits, err := x.Recall(context.Background(), memory.Query{Words: "feline"})
	require.NoError(t, err)
	require.Empty(t, hits)
}

func TestAnotherModelMakesVectorsAnew(t *testing.T) {
	dir, file := t.TempDir(), t.TempDir()+"/recall.db"
	notesIn(t, dir, "our kitten is red", "the nas is blue")
	for _, model := range []string{"one", "two"} {
		e := &fakeEmbedder{model: model}
		x := openAt(t, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Embedder: e})
		require.NoError(t, x.Sync(context.Background()))
		require.EqualValues(t, 1, e.calls.Load(), model)
		require.Equal(t, "our kitten is red", first(t, x, "feline"))
		require.NoError(t, x.Close())
	}
}

func TestASlowServerIsNotWaitedForLong(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "the nas is blue")
	e := &fakeEmbedder{model: "one"}
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Embedder: e})
	require.NoError(t, x.Sync(context.Background()))
	e.hangs.Store(true)
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
}
