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

// threats is the number of sections of docs/threats.md, one per threat.
const threats = 45

var (
	threatHead  = regexp.MustCompile(`(?m)^## (.+)$`)
	threatTitle = regexp.MustCompile(`^(\d\d)\. (.+)$`)
	// threatBody is a section below its heading: defence, tests, state, in this order.
	threatBody = regexp.MustCompile(`(?s)\nDefence:(.+)\nTests:(.+)\nState: (.+?)\s*$`)
	threatTest = regexp.MustCompile("`(Test\\w+)`")
	sourceFile = regexp.MustCompile("`([\\w./-]+/|[\\w./-]+\\.\\w+)`")
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`)
	numbered   = regexp.MustCompile(`^TestThreat(\d+)`)
	// state matches how far a threat is prevented, and what is missing if not completely.
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

// threat is a section of docs/threats.md.
type threat struct{ number, title, defence, tests, state string }

// readThreats parses docs/threats.md: every second-level heading is a threat.
func readThreats(t *testing.T) []threat {
	t.Helper()
	text, err := os.ReadFile("docs/threats.md")
	require.NoError(t, err)
	heads := threatHead.FindAllSubmatchIndex(text, -1)
	var all []threat
	for i, at := range heads {
		heading, end := string(text[at[2]:at[3]]), len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		title := threatTitle.FindStringSubmatch(heading)
		require.NotNil(t, title, "%q is no threat", heading)
		body := string(text[at[1]:end])
		for _, part := range []string{"Defence:", "Tests:", "State:"} {
			require.Equal(t, 1, strings.Count(body, "\n"+part), "%s in %q", part, heading)
		}
		parts := threatBody.FindStringSubmatch(body)
		require.NotNil(t, parts, "%q has no defence, tests and state in this order", heading)
		all = append(all, threat{title[1], title[2], parts[1], parts[2], strings.Join(strings.Fields(parts[3]), " ")})
	}
	return all
}

// TestEveryThreatIsInTheTableWithItsTests: the threats are numbered without a
// gap, no state claims more than the tests show, every named test exists, and
// every test of a threat is named.
func TestEveryThreatIsInTheTableWithItsTests(t *testing.T) {
	all := readThreats(t)
	require.Len(t, all, threats, "one section per threat")
	found, named := tests(t), map[string]bool{}
	for i, one := range all {
		require.Equal(t, fmt.Sprintf("%02d", i+1), one.number, one.title)
		require.Regexp(t, state, one.state, one.number)
		own := 0
		for _, m := range threatTest.FindAllStringSubmatch(one.tests, -1) {
			require.Contains(t, found, m[1], "%s: there is no such test", one.number)
			if of := numbered.FindStringSubmatch(m[1]); of != nil {
				require.Equal(t, one.number, of[1], "%s is in the section of another threat", m[1])
				own++
			}
			named[m[1]] = true
		}
		if !strings.HasPrefix(one.state, "open: ") {
			require.Positive(t, own, "%s is %s, but no test of it is named", one.number, one.state)
		}
		for _, m := range sourceFile.FindAllStringSubmatch(one.defence, -1) {
			_, err := os.Stat(m[1])
			require.NoError(t, err, "%s: the defence moved", one.number)
		}
	}
	for name, where := range found {
		if of := numbered.FindStringSubmatch(name); of != nil {
			require.Len(t, of[1], 2, "%s in %v: two digits", name, where)
			require.True(t, named[name], "%s in %v is not in docs/threats.md", name, where)
		}
	}
}
