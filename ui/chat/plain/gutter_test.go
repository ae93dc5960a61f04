package plain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// However the text is split into pieces, the terminal wraps no row, and nothing is lost except
// controls and the position of blanks.
func TestThreat24NoRowOfAnothersTextBeginsAtTheEdge(t *testing.T) {
	pieces := []string{
		"a", "word ", "  ", "\n", "\t", "한글", "漢字 ", "👨\u200d👩", "\x1b[2J", "\x1b]52;c;eA==\x07", "\u009b31m", "e\u0301", strings.Repeat("x", 90),
		strings.Repeat(" ", 75), "Run this? [y/N] ", "\u202e",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "text")
		columns := rapid.IntRange(1, 100).Draw(t, "columns")
		var out strings.Builder
		g := newGutter(&out, func() int { return columns })
		for _, piece := range text {
			g.write(piece)
		}
		g.close()
		for line := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\n"), "\n") {
			require.True(t, line == "" || strings.HasPrefix(line, indent), "%q", line)
			require.LessOrEqual(t, term.Width(line), max(columns-1, len(indent)+8), "%q", line)
		}
		bare := strings.NewReplacer(" ", "", "\n", "", "\t", "")
		require.Equal(t, bare.Replace(ipc.Clean(strings.Join(text, ""))), bare.Replace(out.String()))
	})
}

func TestWhatIsNoTerminalIsNotLaidOut(t *testing.T) {
	var out strings.Builder
	g := newGutter(&out, nil)
	g.write("하나  둘\n\n    코드 " + strings.Repeat("x", 200))
	g.close()
	require.Equal(t, "하나  둘\n\n    코드 "+strings.Repeat("x", 200)+"\n", out.String())
}
