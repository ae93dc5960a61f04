package recall_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

var odd = []string{
	"", " ", "ㅋ", "ㅋㅋㅋ", "🎉", "👩‍👩‍👧", `"*NEAR(`, "a OR b", "col:x", "a AND", "NOT", "^x", "{grams}:x", `""`, "-", "*", "((", "'; DROP TABLE notes", "\x00", "\xff\xfe",
	"192.168.0.20", "~/.config/foo", "NetworkManager", "blue-2tb", "nas에", "2TB짜리", "가나다라마바사아자차카타파하", "것", "뭐였지", "怎么", "the", "我的备份盘叫什么名字", "don’t", "ｆｕｌｌ　ｗｉｄｔｈ", "각", "é", "ﷺ", "ﬁ",
	strings.Repeat("가", 3000), strings.Repeat("프린터 ", 3000), strings.Repeat("字", 10_000), strings.Repeat("a.", 5000), strings.Repeat("aB", 5000),
}

func TestAnyQueryIsJustWords(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "the nas is blue-2tb", "파티 🎉 좋아", "ㅋㅋ 웃김", "col:x and NEAR", "*")
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
	for _, words := range odd {
		hits, err := x.Recall(context.Background(), memory.Query{Words: words, Categories: []memory.Category{memory.Core, memory.Conversation}})
		require.NoError(t, err, words)
		for _, h := range hits {
			require.Greater(t, h.Score, 0.0)
			require.LessOrEqual(t, h.Score, 1.0)
		}
	}
	require.Equal(t, "파티 🎉 좋아", first(t, x, "🎉"))
	require.Equal(t, "ㅋㅋ 웃김", first(t, x, "ㅋ"))
	require.Equal(t, "col:x and NEAR", first(t, x, `"NEAR(`))
	require.Equal(t, "the nas is blue-2tb", first(t, x, "BLUE-2TB"))
	require.Empty(t, first(t, x, "없는것이다"))
}

func FuzzTerms(f *testing.F) {
	for _, s := range odd {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		grams, terms := recall.Terms(text)
		require.True(t, utf8.ValidString(grams) && utf8.ValidString(terms))
		require.LessOrEqual(t, len(grams)+len(terms), 64*(16<<10))
	})
}

func FuzzQuery(f *testing.F) {
	dir := f.TempDir()
	notesIn(f, dir, "the nas is blue-2tb", "프린터는 캐논", "备份硬盘 🎉")
	x, err := recall.Open(filepath.Join(f.TempDir(), "recall.db"), recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
	require.NoError(f, err)
	f.Cleanup(func() { x.Close() })
	for _, s := range odd {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		require.LessOrEqual(t, recall.Parse(words), 24)
		_, err := x.Recall(context.Background(), memory.Query{Words: words})
		require.NoError(t, err)
	})
}
