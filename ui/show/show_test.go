package show_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/show"
)

// TestThreat22ThePathOfAPictureBringsNoEscape: no other program draws here, so the file is named.
func TestThreat22ThePathOfAPictureBringsNoEscape(t *testing.T) {
	t.Setenv("TERM", "xterm")
	var b strings.Builder
	show.Picture(&b, "/tmp/\x1b]52;c;eA==\x07\n사진.png")
	uri, text, ok := strings.Cut(strings.TrimPrefix(b.String(), "  \x1b]8;;file://"), "\x1b\\")
	require.True(t, ok)
	require.True(t, strings.HasSuffix(uri, "/tmp/%1B%5D52%3Bc%3BeA%3D%3D%07%0A%EC%82%AC%EC%A7%84.png"), uri)
	text, ok = strings.CutSuffix(text, "\x1b]8;;\x1b\\\n")
	require.True(t, ok)
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\x07")
	require.NotContains(t, text, "\n")
	require.Contains(t, text, "사진.png")

	for _, term := range []string{"dumb", "", "linux", "screen"} {
		t.Setenv("TERM", term)
		b.Reset()
		show.Picture(&b, "/a.png")
		require.Equal(t, "  /a.png\n", b.String())
	}
}
