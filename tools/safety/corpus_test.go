package safety

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is one line of testdata/corpus.tsv.
type row struct {
	command, category string
	want              []string
}

// pictures turns the notation of the corpus into control characters: U+2424 is
// a line feed and U+2400..U+241F are the C0 controls.
func pictures(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0x2424:
			return '\n'
		case r >= 0x2400 && r <= 0x241f:
			return r - 0x2400
		}
		return r
	}, s)
}

func corpus(t testing.TB) []row {
	t.Helper()
	text, err := os.ReadFile("testdata/corpus.tsv")
	require.NoError(t, err)
	var rows []row
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		cols := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(cols), 3, line)
		rows = append(rows, row{pictures(cols[0]), cols[2], strings.Split(cols[1], "|")})
	}
	require.Greater(t, len(rows), 300)
	return rows
}

func testChecker() *Checker { return New(Options{Home: "/home/blu", User: "blu"}) }

// TestCorpus requires every row to get one of its labels.
func TestCorpus(t *testing.T) {
	c := testChecker()
	for _, r := range corpus(t) {
		v := c.Judge(r.command)
		if !contains(r.want, v.Class.String()) {
			t.Errorf("%q: got %v, want %v: %v", r.command, v.Class, r.want, v.Reasons)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
