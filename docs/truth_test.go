package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestU20TranscriptsAreOfARealUserNamedBlu(t *testing.T) {
	if os.Getuid() != 0 || installed != "" {
		t.Skip("only root can become another user; transcripts are recorded there")
	}
	m := newMachine(t, "en_US.UTF-8")
	out, err := m.run(`whoami; pwd; grep CapEff /proc/self/status; printf %s "$HOME"`)
	require.NoError(t, err)
	require.Equal(t, "blu\n/home/blu\nCapEff:\t0000000000000000\n/home/blu", out)
	const said = "  user       root\n! runs as administrator (root)\n"
	require.Equal(t, said, m.withHome(said), "what is printed stays as it is")
}

func TestU20NoTranscriptShowsWhatIsNeverPrinted(t *testing.T) {
	for _, path := range []string{"../README.md", "../README.ko.md", "guide.md", "guide.ko.md", "demo.txt"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			require.NotRegexp(t, `^ *(user|사용자) +blu$`, line, path)
		}
	}
}
