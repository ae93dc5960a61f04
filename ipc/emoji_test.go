package ipc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestU9CleanKeepsJoinersOnlyWithinEmoji(t *testing.T) {
	for _, whole := range []string{
		"👨\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "❤\ufe0f\u200d🔥", "👩🏽\u200d❤\ufe0f\u200d👨🏻", "🏃\u200d♂\ufe0f", "🐦\u200d⬛", "🏴\u200d☠\ufe0f",
	} {
		require.Equal(t, whole, Clean(whole))
	}
	for text, want := range map[string]string{
		"a\u200db": "ab", "\u200d👩": "👩", "👩\u200d": "👩", "👩\u200d\u200d👨": "👩👨", "👩\u200d x": "👩 x", "👩\u200c👨": "👩👨", "한\u200d👩": "한👩", "1\u200d2": "12",
		"👩\u202e\u200d👨": "👩👨", "🏽\u200d👩": "🏽👩", "👩\u200d🏽": "👩🏽",
	} {
		require.Equal(t, want, Clean(text), "%q", text)
	}
}

func TestU9PiecesAreCleanedAsTheWhole(t *testing.T) {
	parts := rapid.SampledFrom([]string{"👩", "\u200d", "\ufe0f", "🏽", "❤", "a", "\u202e", "\n", "한"})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.Map(rapid.SliceOfN(parts, 0, 5), func(p []string) string { return strings.Join(p, "") })).Draw(t, "pieces")
		var c Cleaner
		var got strings.Builder
		for _, p := range pieces {
			got.WriteString(c.Next(p))
		}
		require.Equal(t, Clean(strings.Join(pieces, "")), got.String())
	})
}
