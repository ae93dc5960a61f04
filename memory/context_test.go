package memory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

// fakeRecaller is a Recaller made of a function.
type fakeRecaller func(ctx context.Context, q memory.Query) ([]memory.Hit, error)

func (f fakeRecaller) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	return f(ctx, q)
}

func with(dir string, r memory.Recaller) *memory.Memory {
	return memory.New(dir, memory.Options{Recaller: r, Now: func() time.Time { return today }})
}

func hit(source, text string, score float64) memory.Hit {
	h := memory.Hit{Note: memory.Note{Text: text, Source: source, Created: today.AddDate(0, 0, -7), Category: memory.Core}, Score: score}
	if strings.HasPrefix(source, "daily/") {
		h.Category = memory.Daily
	}
	return h
}

func titles(sections []memory.Section) string {
	var all []string
	for _, s := range sections {
		all = append(all, s.Title)
	}
	return strings.Join(all, ", ")
}

func TestWhatDoesNotFitIsRecalled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "- **old**: an old fact about the printer (2025-01-01)\n"+strings.Repeat("- filler that says nothing much at all\n", 1500)+"- **new**: the newest fact (2026-02-19)\n")
	write(t, dir, "SYSTEM.md", "- Kernel: 6.9\n")
	write(t, dir, dayFile, "- 09:00 · hello\n")
	var asked memory.Query
	m := with(dir, fakeRecaller(func(_ context.Context, q memory.Query) ([]memory.Hit, error) {
		asked = q
		old := hit("MEMORY.md", "an old fact about\nthe printer", 0.9)
		old.Heading = "Core"
		return []memory.Hit{
			old, hit("MEMORY.md", "the newest fact", 0.8), hit("SYSTEM.md", "Kernel: 6.9", 0.8), hit(dayFile, "hello", 0.8),
			hit("daily/2026-02-13.md", "프린터? · lpstat · 고쳤어요", 0.5), hit("daily/2026-02-12.md", "vague", 0.1), hit("daily/2026-01.md", strings.Repeat("가", 500), 0.9),
		}, nil
	}))
	got, err := m.Context(t.Context(), memory.ContextQuery{Words: "프린터 어떻게 고쳤지?"})
	require.NoError(t, err)
	require.Equal(t, "System Information, Long-term Memory, Recalled notes, Today's Session (2026-02-20)", titles(got))
	require.True(t, strings.HasSuffix(got[1].Text, "the newest fact (2026-02-19)"))
	require.True(t, strings.HasPrefix(got[1].Text, "- filler"), "it starts with a whole line")
	lines := strings.Split(got[2].Text, "\n")
	require.Len(t, lines, 3)
	require.Equal(t, "[2026-02-13] Core: an old fact about the printer (MEMORY.md)", lines[0])
	require.Equal(t, "[2026-02-13] 프린터? · lpstat · 고쳤어요 (daily/2026-02-13.md)", lines[1])
	require.Less(t, len(lines[2]), 500)
	require.Equal(t, "프린터 어떻게 고쳤지?", asked.Words)
}

func TestOtherDaysAreRecalledEvenWhereAllFits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "- tea\n")
	write(t, dir, "daily/2026-01.md", "- line 1\n")
	m := with(dir, fakeRecaller(func(context.Context, memory.Query) ([]memory.Hit, error) {
		hits := []memory.Hit{hit("MEMORY.md", "tea", 1)}
		for i := range 9 {
			hits = append(hits, hit("daily/2026-01.md", fmt.Sprint("line ", i), 0.9))
		}
		return hits, nil
	}))
	got, err := m.Context(t.Context(), memory.ContextQuery{Words: "last month"})
	require.NoError(t, err)
	require.Equal(t, "Long-term Memory, Recalled notes", titles(got))
	require.Equal(t, 5, strings.Count(got[1].Text, "line "))
	require.NotContains(t, got[1].Text, "tea")

	got, err = m.Context(t.Context(), memory.ContextQuery{Words: " \n"})
	require.NoError(t, err)
	require.Equal(t, "Long-term Memory", titles(got), "nothing was asked")
}

func TestNothingIsSearchedWhereThePromptShowsAllNotes(t *testing.T) {
	searched := 0
	counts := fakeRecaller(func(context.Context, memory.Query) ([]memory.Hit, error) {
		searched++
		return nil, nil
	})
	dir := t.TempDir()
	m := with(dir, counts)
	ask := func() int {
		searched = 0
		_, err := m.Context(t.Context(), memory.ContextQuery{Words: "tea", Tokens: 800})
		require.NoError(t, err)
		return searched
	}
	require.Zero(t, ask(), "no notes at all")
	for _, name := range []string{"SYSTEM.md", "USER.md", "MEMORY.md", dayFile, "MEMORY.md~", "plan.txt", "daily/note.txt"} {
		write(t, dir, name, "- tea\n")
	}
	require.Zero(t, ask(), "the prompt shows them, and nobody indexes the others")
	for _, name := range []string{"daily/2026-02-13.md", "recipes.md", "daily/own.md"} {
		write(t, dir, name, "- tea\n")
		require.Equal(t, 1, ask(), name)
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	require.Zero(t, ask())
	write(t, dir, "MEMORY.md", strings.Repeat("- a fact about tea\n", 500))
	require.Equal(t, 1, ask(), "one is cut")
}

func TestARecallerThatFailsOrHangsDoesNotFailATurn(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "- tea\n")
	write(t, dir, "daily/2026-02-13.md", "- 09:15 · printer · lpstat · fixed\n")
	fails := with(dir, fakeRecaller(func(context.Context, memory.Query) ([]memory.Hit, error) { return nil, errors.New("locked") }))
	got, err := fails.Context(t.Context(), memory.ContextQuery{Words: "printer"})
	require.NoError(t, err)
	require.Equal(t, "[2026-02-13] printer · lpstat · fixed (daily/2026-02-13.md)", got[1].Text, "the words themselves are looked for")

	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		hangs := with(dir, fakeRecaller(func(context.Context, memory.Query) ([]memory.Hit, error) {
			<-done // ignores the context
			return nil, nil
		}))
		began := time.Now()
		got, err := hangs.Context(t.Context(), memory.ContextQuery{Words: "tea"})
		require.NoError(t, err)
		require.Equal(t, "Long-term Memory", titles(got))
		require.Equal(t, 300*time.Millisecond, time.Since(began))
		close(done)
	})
}

func TestABudgetIsKept(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		for _, name := range []string{"SYSTEM.md", "USER.md", "MEMORY.md", dayFile} {
			write(t, dir, name, strings.Repeat(rapid.SampledFrom([]string{"", "word ", "가나다라 ", "- line\n", "한글 line\n", "\xff", "😀"}).Draw(rt, name), rapid.SampledFrom([]int{0, 1, 50, 3000}).Draw(rt, "times")))
		}
		tokens := rapid.SampledFrom([]int{0, 40, 500, 6000, 100_000}).Draw(rt, "tokens")
		m := with(dir, fakeRecaller(func(context.Context, memory.Query) ([]memory.Hit, error) {
			return []memory.Hit{hit("USER.md", strings.Repeat("x", 300), 1), hit("daily/2025-01.md", strings.Repeat("가", 300), 1)}, nil
		}))
		got, err := m.Context(rt.Context(), memory.ContextQuery{Words: "x", Tokens: tokens})
		require.NoError(rt, err)
		if tokens == 0 {
			tokens = 6000
		}
		sum := 0
		for _, s := range got {
			require.NotEmpty(rt, strings.TrimSpace(s.Text))
			sum += memory.Tokens(s.Text)
		}
		require.LessOrEqual(rt, sum, tokens)
	})
}

func TestTokensAreEstimated(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcdef": 2, "가나다": 3, "中文字": 3, "かな": 2, "a가": 2, "é": 1, "😀": 2} {
		require.Equal(t, want, memory.Tokens(text), text)
	}
}
