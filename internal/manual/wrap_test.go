package manual

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLinesBreakWhereTheLanguageDoes(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"show this help", 9, []string{"show this", "help"}},
		{"데몬의 상태를 보여줘요", 14, []string{"데몬의 상태를", "보여줘요"}},
		{"显示守护进程状态。", 16, []string{"显示守护进程状", "态。"}}, // no line starts with 。
		{"输出（docs/json.md）", 6, []string{"输出", "（docs", "/json.", "md）"}},
		{"", 9, []string{""}},
		{"a  b", 1, []string{"a", "b"}},
	} {
		require.Equal(t, c.want, wrap(c.text, c.width, c.width), c.text)
	}
}

// TestNoLineIsWiderAndNothingIsLost: a line is only wider if one character is, and only blanks are removed.
func TestNoLineIsWiderAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab 한글中文，。（）- e\u0301👍"))).Draw(t, "text")
		width := rapid.IntRange(2, 30).Draw(t, "width")
		lines := wrap(text, width, width)
		for _, line := range lines {
			if displaywidth.String(line) > width {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := without(strings.Join(lines, "")); got != without(text) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestCommandsBreakWhereAShellContinuesThem(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"prog short", []string{"prog short"}},
		{"prog --number '+1 212 555' --off yes", []string{"prog --number \\", "    '+1 212 555' \\", "    --off yes"}},
		{`prog "a \" b" c\ d e f g`, []string{`prog "a \" b" \`, `    c\ d e f g`}},
		{"# what this is about", []string{"# what this is", "# about"}},
		{"  prog --language 한국어", []string{`  prog \`, `      --language \`, "      한국어"}},
	} {
		require.Equal(t, c.want, breakCommand(c.line, 17), c.line)
	}
}
