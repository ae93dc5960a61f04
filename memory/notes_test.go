package memory_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
)

func TestAllNotesAreThere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "SYSTEM.md", "- Kernel: 6.9\n")
	write(t, dir, "USER.md", "name: Blu\n")
	write(t, dir, "MEMORY.md", "- tea\n")
	write(t, dir, "daily/2026-01.md", "## 2026-01-03\n- 09:00 · a · - · b\n")
	write(t, dir, "daily/2026-01-04.md", "- 09:00 · c · - · d\n")
	write(t, dir, "daily/2025-12-04.md", "- 09:00 · e · - · f\n")
	write(t, dir, "daily/notes.txt", "not ours")
	notes, err := at(dir).Notes(t.Context())
	require.NoError(t, err)
	var sources []string
	for _, n := range notes {
		sources = append(sources, n.Source)
	}
	require.Equal(t, "SYSTEM.md USER.md MEMORY.md daily/2025-12-04.md daily/2026-01.md daily/2026-01-04.md", strings.Join(sources, " "))
	files, err := at(dir).Files(t.Context())
	require.NoError(t, err)
	require.Len(t, files, 6)
	require.Equal(t, "name: Blu\n", files[1].Text)
	require.Equal(t, filepath.Join(dir, "USER.md"), files[1].Path)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = at(dir).Notes(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = at(dir).Remember(ctx, memory.Note{Text: "x"})
	require.NoError(t, err, "a free lock needs no waiting")
}

func TestTheWordsThemselvesAreFound(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "## 집\n- **nas-address**: 내 NAS 주소는 192.168.0.20 (2026-01-03)\n- the nas is in the cellar, with many other things that have nothing to do with it\n## Conversation\n- nas talk\n")
	write(t, dir, "USER.md", "\u1112\u1161\u11ab글\n") // 한글, decomposed
	m := at(dir)
	find := func(q memory.Query) string {
		hits, err := m.Recall(t.Context(), q)
		require.NoError(t, err)
		var all []string
		for _, h := range hits {
			require.Greater(t, h.Score, 0.0)
			require.LessOrEqual(t, h.Score, 1.0)
			all = append(all, strings.Fields(h.Text)[0])
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "내 the", find(memory.Query{Words: "nas"}), "conversations are not looked in unasked")
	require.Equal(t, "내", find(memory.Query{Words: "Nas", Limit: 1}))
	require.Equal(t, "내", find(memory.Query{Words: "집 주소"}))
	require.Equal(t, "nas", find(memory.Query{Words: "NAS", Categories: []memory.Category{memory.Conversation}}))
	require.Equal(t, "\u1112\u1161\u11ab글", find(memory.Query{Words: "한글"}))
	for _, words := range []string{"", " \n\x00", "nowhere", `"*NEAR(`, "a OR b", "ㅋ", "😀", "x" + strings.Repeat(" nas", 10_000)} {
		require.Empty(t, find(memory.Query{Words: words, Limit: 1000}), words)
	}
}

func TestClearDeletesTheDaysAndMEMORYOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"SYSTEM.md", "USER.md", "MEMORY.md", "daily/2026-01.md", dayFile, "daily/mine.txt"} {
		write(t, dir, name, "x\n")
	}
	gone, err := at(dir).Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"MEMORY.md", "daily/2026-01.md", dayFile}, gone)
	require.Equal(t, map[string]string{"SYSTEM.md": "x\n", "USER.md": "x\n"}, files(t, dir))
	gone, err = at(dir).Clear(t.Context())
	require.NoError(t, err)
	require.Empty(t, gone)
	gone, err = at(filepath.Join(dir, "not there")).Clear(t.Context())
	require.NoError(t, err)
	require.Empty(t, gone)
}

func TestAFullDaySaysSoOnce(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	write(t, dir, dayFile, strings.Repeat("x", 1<<20-100))
	require.NoError(t, m.Append(today, "still fits"))
	for range 3 {
		require.NoError(t, m.Append(today, strings.Repeat("y", 500)))
	}
	text := read(t, dir, dayFile)
	require.True(t, strings.HasSuffix(text, "x\nstill fits\n- This day's note is full: what came later is not noted.\n"))
	require.Less(t, len(text), 1<<20+100)
	require.NoError(t, os.Remove(filepath.Join(dir, dayFile)))
	require.NoError(t, m.Append(today, "anew"))
	require.Equal(t, "anew\n", read(t, dir, dayFile))
}
