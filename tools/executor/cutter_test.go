package executor

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// cutText writes text in pieces and returns the text that is kept.
func cutText(maxBytes, maxLines int, pieces ...string) (string, *cutter) {
	c := newCutter(maxBytes, maxLines)
	for _, p := range pieces {
		if n, err := c.Write([]byte(p)); n != len(p) || err != nil {
			panic("a cutter takes everything")
		}
	}
	return c.String(), c
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestWhatFitsIsExactlyKept(t *testing.T) {
	for _, text := range []string{"", "\n", "x", "no newline", "a\n\nb\n", strings.Repeat("가", 10), numbered(5), strings.Repeat("\n", 5)} {
		got, c := cutText(64, 5, text)
		require.Equal(t, text, got)
		require.False(t, c.isCut())
	}
}

func TestTooManyLinesKeepTheFirstAndTheLast(t *testing.T) {
	got, c := cutText(1<<20, 8, numbered(100))
	require.True(t, c.isCut())
	require.Equal(t, "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n"+
		"[… cut: 733 bytes, 92 lines left out …]\n"+
		"line 99\nline 100\n", got)
}

func TestTooManyBytesKeepTheBeginningAndTheEnd(t *testing.T) {
	got, _ := cutText(40, 100, strings.Repeat("a", 100)+strings.Repeat("z", 100))
	require.Equal(t, strings.Repeat("a", 30)+"\n[… cut: 160 bytes, 0 lines left out …]\n"+strings.Repeat("z", 10), got)
}

func TestACutNeverSplitsACharacter(t *testing.T) {
	for size := 8; size < 40; size++ {
		got, _ := cutText(size, 100, strings.Repeat("가나다", 50))
		require.True(t, utf8.ValidString(got))
		require.NotContains(t, got, "\ufffd")
		require.NotContains(t, got, "?")
	}
}

func TestBytesThatAreNotUTF8AreShownAndDoNotGrow(t *testing.T) {
	got, c := cutText(1000, 10, "a\xffb\xec\xecc")
	require.Equal(t, "a?b?c", got)
	require.False(t, c.isCut())
	got, _ = cutText(1000, 10, strings.Repeat("\xffa", 5000))
	require.LessOrEqual(t, len(got), 1000+60)
}

var cutMarkLine = regexp.MustCompile(`\n?\[… cut: (\d+) bytes, (\d+) lines left out …\]\n`)

// TestCutKeepsItsPromises: for any text in any pieces, the result is within both limits apart from the mark. It
// is valid UTF-8 and starts and ends like the text. The kept text and the size in the mark add up.
func TestCutKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maxBytes := rapid.IntRange(8, 300).Draw(t, "maxBytes")
		maxLines := rapid.IntRange(1, 30).Draw(t, "maxLines")
		word := rapid.OneOf(rapid.StringN(0, 20, 60), rapid.SampledFrom([]string{"\n", "가", "x\n", "🙂", "\n\n\n"}))
		pieces := rapid.SliceOfN(word, 0, 60).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		got, c := cutText(maxBytes, maxLines, pieces...)

		require.Equal(t, len(text), c.total)
		require.True(t, utf8.ValidString(got))
		if len(text) <= maxBytes && strings.Count(text, "\n") <= maxLines {
			require.Equal(t, text, got)
			require.False(t, c.isCut())
			return
		}
		require.True(t, c.isCut())
		at := cutMarkLine.FindStringSubmatchIndex(got)
		require.NotNil(t, at, "%q", got)
		left, lines := number(t, got[at[2]:at[3]]), number(t, got[at[4]:at[5]])
		head, tail := got[:at[0]], got[at[1]:]
		if len(text) != len(head)+len(tail)+left {
			head += "\n" // the newline before the mark counts as part of the text
		}
		require.True(t, strings.HasPrefix(text, head))
		require.True(t, strings.HasSuffix(text, tail))
		require.LessOrEqual(t, len(head)+len(tail), maxBytes)
		require.LessOrEqual(t, countLines(head)+countLines(tail), maxLines)
		require.Equal(t, len(text), len(head)+len(tail)+left)
		require.Equal(t, strings.Count(text, "\n"), strings.Count(head, "\n")+strings.Count(tail, "\n")+lines)
	})
}

func number(t require.TestingT, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

func TestBytesInManyPiecesAreKeptAsInOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "text")
		whole, _ := cutText(64, 9, string(text))
		var pieces []string
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces, rest = append(pieces, string(rest[:n])), rest[n:]
		}
		split, _ := cutText(64, 9, pieces...)
		require.Equal(t, whole, split)
	})
}

func TestOfEndlessOutputNoMoreThanTheLimitIsHeld(t *testing.T) {
	c := newCutter(50<<10, 500)
	block := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
	allocs := testing.AllocsPerRun(1000, func() { _, _ = c.Write(block) })
	require.Zero(t, allocs, "after the limit nothing more is kept")
	require.LessOrEqual(t, cap(c.head)+cap(c.tail), 2*(50<<10))
}
