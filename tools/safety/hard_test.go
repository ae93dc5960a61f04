package safety

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines reads a file of testdata with one command per line; ␤ is a line feed.
func lines(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, pictures(l))
		}
	}
	return out
}

// TestUnseenReadOnly judges reading commands of a desktop's owner that are not in the corpus.
func TestUnseenReadOnly(t *testing.T) {
	c := testChecker()
	for _, command := range lines(t, "read-only.txt") {
		if v := c.Judge(command); v.Class != Safe {
			t.Errorf("%q: got %v %v", command, v.Class, v.Reasons)
		}
	}
}

// TestNeverSafe judges commands that change or could change something.
func TestNeverSafe(t *testing.T) {
	c := testChecker()
	for _, command := range append(lines(t, "never-safe.txt"), lines(t, "gtfobins.txt")...) {
		if v := c.Judge(command); v.Class == Safe {
			t.Errorf("%q: got SAFE as %q", command, v.Source)
		}
	}
}

// TestBlocked judges spellings of the BLOCKED list that are not in the corpus.
func TestBlocked(t *testing.T) {
	c := testChecker()
	for _, command := range lines(t, "blocked.txt") {
		if v := c.Judge(command); v.Class != Blocked {
			t.Errorf("%q: got %v %v", command, v.Class, v.Reasons)
		}
	}
}

// TestNotBlocked judges commands that only look like the BLOCKED list.
func TestNotBlocked(t *testing.T) {
	c := testChecker()
	for _, command := range lines(t, "not-blocked.txt") {
		if v := c.Judge(command); v.Class != Confirm {
			t.Errorf("%q: got %v %v", command, v.Class, v.Reasons)
		}
	}
}
