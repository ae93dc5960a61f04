package dialog

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTextIsWrappedAtBlanks(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      {""},
		"one two three":         {"one two", "three"},
		"  indented by two":     {"  indented", "by two"},
		"한국어 문장 하나":             {"한국어", "문장 하나"},
		"averylongwordofmany x": {"averylongw", "ordofmany", "x"},
		"한국어한국어한국":              {"한국어한국", "어한국"},
	} {
		require.Equal(t, want, wrap(text, 10), text)
	}
}

func TestRowsFitAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "word", " ", "  ", "디스크", "👨‍👩‍👧", "-", "é"}), 0, 40).Draw(t, "text"), "")
		width := rapid.IntRange(2, 40).Draw(t, "width")
		rows := wrap(text, width)
		for _, row := range rows {
			if displaywidth.String(row) > width {
				t.Fatalf("%q is wider than %d", row, width)
			}
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		require.Equal(t, bare(text), bare(strings.Join(rows, "")))
	})
}
