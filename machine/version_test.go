package machine

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestVersionsAreOrderedLikePacmans has the examples of vercmp(8) and of pacman's own test (test/util/vercmptest.sh).
func TestVersionsAreOrderedLikePacmans(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		"1.0a < 1.0b < 1.0beta < 1.0p < 1.0pre < 1.0rc < 1.0 < 1.0.a < 1.0.1", "1 < 1.0 < 1.1 < 1.1.1 < 1.2 < 2.0 < 3.0.0",
		"1.5.0 < 1.5.1", "1.0-1 < 1.0-2", "9.9-1 < 1:1.0-1", "1.5-1 = 1.5", "2.0 < 2_0_1", "1.0. < 1.0.1", "1.001 = 1.1", "0:1.0 = 1.0", "2.0..1 > 2.0.1", "6.9.1.arch1-1 < 6.10.2.arch1-1",
	} {
		w := strings.Fields(row)
		for i := 1; i+1 < len(w); i += 2 {
			want := map[string]int{"<": -1, "=": 0, ">": 1}[w[i]]
			require.Equal(t, want, CompareVersions(w[i-1], w[i+1]), "%s %s", w[i-1], w[i+1])
			require.Equal(t, -want, CompareVersions(w[i+1], w[i-1]), "%s %s", w[i+1], w[i-1])
		}
	}
}

// TestVersionsAreOrderedAsVercmpPrints compares with the program of pacman.
func TestVersionsAreOrderedAsVercmpPrints(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("vercmp"); err != nil {
		return // the examples above are what is left
	}
	version := rapid.StringMatching(`([0-9]:)?[0-9a-c]{1,3}([._+~]{1,2}[0-9a-z]{1,3}){0,3}(-[0-9](\.[0-9])?)?`).Filter(func(s string) bool { return s != "" && s[0] != '-' })
	rapid.Check(t, func(t *rapid.T) {
		a, b := version.Draw(t, "a"), version.Draw(t, "b")
		out, err := exec.Command("vercmp", a, b).Output()
		require.NoError(t, err)
		want, err := strconv.Atoi(strings.TrimSpace(string(out)))
		require.NoError(t, err)
		require.Equal(t, want, CompareVersions(a, b), "%s %s", a, b)
	})
}
