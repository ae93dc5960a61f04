package term

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNoRowIsWiderThanItMayBeAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab /한글，😀é·─\u200b"))).Draw(rt, "text")
		width := rapid.IntRange(12, 90).Draw(rt, "width")
		bytes := 0
		for _, line := range Lines(text) {
			for _, r := range Wrap(line, width, "␣") {
				require.LessOrEqual(rt, displaywidth.String(r.Text), width)
				bytes += r.Bytes
			}
		}
		require.Equal(rt, len(text), bytes, "every byte is on a row")
	})
}

func TestWhatHangsStaysBelowItselfAndWithinTheTerminal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab /한글\n\x1b"))).Draw(rt, "text")
		columns := rapid.IntRange(20, 90).Draw(rt, "columns")
		for row := range strings.Lines(HangingIndent("  \x1b[32m●\x1b[0m 모델 ", text, columns)) {
			require.LessOrEqual(rt, displaywidth.Options{ControlSequences: true}.String(strings.TrimSuffix(row, "\n")), columns)
		}
	})
	require.Equal(t, "a bb cc dd ee\n", HangingIndent("a ", "bb cc dd ee", 0))
	require.Equal(t, "  x 한글 한글\n    한글\n", HangingIndent("  x ", "한글 한글 한글", 14))
}
