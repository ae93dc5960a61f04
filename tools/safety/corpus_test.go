package safety

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is one line of a corpus: testdata/*.tsv.
type row struct {
	command, category string
	want              []string
}

func (r row) wants(c Class) bool { return slices.Contains(r.want, c.String()) }

// pictures converts the notation of the corpora to control characters: U+2424 is a line feed and U+2400..U+241F
// are the C0 controls.
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

func rows(t testing.TB, name string) []row {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var out []row
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		cols := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(cols), 3, line)
		out = append(out, row{pictures(cols[0]), cols[2], strings.Split(cols[1], "|")})
	}
	require.Greater(t, len(out), 300)
	return out
}

func corpus(t testing.TB) []row { return rows(t, "corpus.tsv") }

func testChecker() *Checker { return New(Options{Home: "/home/blu", User: "blu"}) }

// TestCorpus requires every row to get one of its labels.
func TestCorpus(t *testing.T) {
	c := testChecker()
	for _, r := range corpus(t) {
		v := c.Judge(r.command)
		if !r.wants(v.Class) {
			t.Errorf("%q: got %v, want %v: %v", r.command, v.Class, r.want, v.Reasons)
		}
	}
}

// corpora are the files of further commands: common requests on desktops (desk), commands that answer everyday
// questions (questions), ways to write, run or read something without permission (attack), and spellings of the
// BLOCKED list (destroy).
var corpora = []string{"corpus.tsv", "desk.tsv", "questions.tsv", "attack.tsv", "destroy.tsv"}

// TestCorpora checks the labels. No command that changes something is SAFE, and no reading command is BLOCKED,
// without exceptions. Nearly all reading commands run without a confirmation, and nearly all commands of the
// BLOCKED list are BLOCKED.
func TestCorpora(t *testing.T) {
	c := testChecker()
	for _, name := range corpora {
		t.Run(name, func(t *testing.T) {
			var reading, unasked, forbidden, stopped int
			for _, r := range rows(t, name) {
				v := c.Judge(r.command)
				if r.wants(Safe) {
					reading++
					require.NotEqual(t, Blocked, v.Class, "%q", r.command)
				} else if v.Class == Safe {
					t.Errorf("%q: got SAFE as %q", r.command, v.Source)
				}
				if r.wants(Safe) && v.Class == Safe {
					unasked++
				}
				if slices.Equal(r.want, []string{"BLOCKED"}) {
					forbidden++
					if v.Class == Blocked {
						stopped++
					}
				}
				if !r.wants(v.Class) {
					t.Logf("%q: got %v, want %v: %v", r.command, v.Class, r.want, v.Reasons)
				}
			}
			require.GreaterOrEqual(t, 100*unasked, 97*reading, "%d of %d read-only commands are SAFE", unasked, reading)
			require.GreaterOrEqual(t, 100*stopped, 98*forbidden, "%d of %d are BLOCKED", stopped, forbidden)
		})
	}
}
