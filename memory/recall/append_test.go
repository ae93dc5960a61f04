package recall_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// The cost of a turn must not grow with the number of turns of the day. After any other change, the whole file is
// read.
func TestD9OfADayThatGrowsOnlyWhatIsNewIsRead(t *testing.T) {
	dir := t.TempDir()
	source := recall.Markdown(dir)
	const name = "daily/2026-02-20.md"
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "daily"), 0o700))
	text := ""
	put := func(s string) {
		text = s
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	read := func(after recall.Mark) recall.Piece {
		p, err := source.Read(context.Background(), recall.File{Name: name}, after)
		require.NoError(t, err)
		return p
	}
	line := func(i int) string { return fmt.Sprintf("- 09:%02d · word%d · - · ok\n", i%60, i) }

	put(line(1) + line(2))
	p := read("")
	require.True(t, p.Replaces)
	require.Len(t, p.Notes, 2)
	put(text + line(3))
	grown := read(p.Mark)
	require.False(t, grown.Replaces)
	require.Equal(t, []memory.Note{memory.Split(name, text, grown.Notes[0].Updated)[2]}, grown.Notes)
	put(text + line(4))
	require.Equal(t, 4, read(grown.Mark).Notes[0].Line)

	for what, changed := range map[string]string{
		"a line of a hand": text + "- mine\n", "no end of a line": text + "- 10:00 · x", "a change before": strings.Replace(text, "word1", "word9", 1) + line(5),
		"the end of a comment": text + "- 10:00 · x --> y\n", "shorter": line(1), "empty": "",
	} {
		put(changed)
		require.True(t, read(grown.Mark).Replaces, what)
	}
	for _, open := range []string{"# head\n" + line(1), "- 10:00 · x", "- mine\n", ""} {
		put(open)
		require.Empty(t, read("").Mark, open)
	}
}

// BenchmarkDay indexes one new line of a day with thousands.
func BenchmarkDay(b *testing.B) {
	for _, turns := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			dir := b.TempDir()
			require.NoError(b, os.MkdirAll(filepath.Join(dir, "daily"), 0o700))
			file := filepath.Join(dir, "daily/2026-02-20.md")
			require.NoError(b, os.WriteFile(file, []byte(strings.Repeat("- 09:12 · say something · - · heard something\n", turns)), 0o600))
			x, err := recall.Open(filepath.Join(b.TempDir(), "recall.db"), recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
			require.NoError(b, err)
			defer x.Close()
			require.NoError(b, x.Sync(context.Background()))
			b.ReportAllocs()
			for b.Loop() {
				f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
				require.NoError(b, err)
				_, err = f.WriteString("- 09:13 · say more · - · heard more\n")
				require.NoError(b, err)
				require.NoError(b, f.Close())
				require.NoError(b, x.Sync(context.Background()))
			}
		})
	}
}
