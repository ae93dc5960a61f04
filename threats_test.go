package layout

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// threats is the number of rows in docs/threats.md: possible attacks, and what prevents them.
const threats = 34

var (
	threatRow  = regexp.MustCompile(`(?m)^\| (\d\d) \| ([^|]+) \| ([^|]+) \| ([^|]*) \| ([^|]+) \|$`)
	threatTest = regexp.MustCompile("`(Test\\w+)`")
	sourceFile = regexp.MustCompile("`([\\w./-]+/|[\\w./-]+\\.\\w+)`")
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`)
	numbered   = regexp.MustCompile(`^TestThreat(\d+)`)
	// state matches how far a threat is prevented, and if not completely, what is missing.
	state = regexp.MustCompile(`^(held|held in part: .+|open: .+)$`)
)

// tests returns the files of each test of the repository, by its name.
func tests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			found[string(m[1])] = append(found[string(m[1])], path)
		}
		return err
	}))
	require.Greater(t, len(found), 300)
	return found
}

// TestEveryThreatIsInTheTableWithItsTests: the numbers are complete, every state is supported by tests, every
// named test exists, and every test of a threat is named.
func TestEveryThreatIsInTheTableWithItsTests(t *testing.T) {
	text, err := os.ReadFile("docs/threats.md")
	require.NoError(t, err)
	rows := threatRow.FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, threats, "one row a threat")
	found, named := tests(t), map[string]bool{}
	for i, row := range rows {
		number, what := row[1], row[2]
		require.Equal(t, fmt.Sprintf("%02d", i+1), number, what)
		require.Regexp(t, state, row[5], number)
		own := 0
		for _, m := range threatTest.FindAllStringSubmatch(row[4], -1) {
			require.Contains(t, found, m[1], "%s: there is no such test", number)
			if of := numbered.FindStringSubmatch(m[1]); of != nil {
				require.Equal(t, number, of[1], "%s stands in the row of another threat", m[1])
				own++
			}
			named[m[1]] = true
		}
		if !strings.HasPrefix(row[5], "open: ") {
			require.Positive(t, own, "%s is %s, but no test of it is named", number, row[5])
		}
		for _, m := range sourceFile.FindAllStringSubmatch(row[3], -1) {
			_, err := os.Stat(m[1])
			require.NoError(t, err, "%s: the defence moved", number)
		}
	}
	for name, where := range found {
		if of := numbered.FindStringSubmatch(name); of != nil {
			require.Len(t, of[1], 2, "%s in %v: two digits", name, where)
			require.True(t, named[name], "%s in %v is not in docs/threats.md", name, where)
		}
	}
}
