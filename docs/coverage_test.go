package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// coveragePage is the document that lists what the designs require.
const coveragePage = "docs/coverage.md"

// stories is the directory of the stories that are named without it.
const stories = "test/e2e/testdata/script"

var (
	coverageState = regexp.MustCompile(`^(held|missing|differs)(?:: (.+))?$`)
	testName      = regexp.MustCompile(`^(?:Test|Fuzz)\w+$`)
	storyName     = regexp.MustCompile(`^[a-z_]+\.txtar$`)
	testDecl      = regexp.MustCompile(`^func ((?:Test|Fuzz)\w+)\(`)
	designProp    = regexp.MustCompile(`^P(\d+)$`)
)

// requirement is a row of a system's table.
type requirement struct {
	line                    int
	section, shown, verdict string
}

// coverage is what the page says of one system.
type coverage struct {
	rows    []requirement
	claimed [3]string // held, differs and missing, as the summary says
}

// cells returns the cells of a row of a table, or nil if the line is none.
func cells(line string) []string {
	text, ok := strings.CutPrefix(line, "| ")
	if !ok || !strings.HasSuffix(text, " |") {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, " |"), " | ")
}

// readCoverage reads the page's summary and the table of each system.
func readCoverage(p *page) map[string]*coverage {
	all := map[string]*coverage{}
	system := ""
	for i, line := range p.raw {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			system = title
			continue
		}
		row := cells(line)
		if len(row) != 4 || row[0] == "system" || row[0] == "section" || strings.HasPrefix(row[0], "--") {
			continue
		}
		if system == "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(row[0], "["), "]")
			all[name] = &coverage{claimed: [3]string(row[1:])}
		} else if c := all[system]; c != nil {
			c.rows = append(c.rows, requirement{line: i + 1, section: row[0], shown: row[2], verdict: row[3]})
		}
	}
	return all
}

// testComments returns the comments of all tests of a repository by their names, also of its other modules.
func testComments(root string) (map[string]string, error) {
	comments := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		comment := ""
		for line := range strings.Lines(string(text)) {
			if m := testDecl.FindStringSubmatch(line); m != nil {
				comments[m[1]] += comment + "\n"
			}
			if !strings.HasPrefix(line, "//") {
				comment = ""
				continue
			}
			comment += line
		}
		return err
	})
	return comments, err
}

// coverage reports what is wrong with the page of the designs' requirements.
func (c *checker) coverage(p *page) []string {
	c.found = nil
	tests, err := testComments(c.root)
	if err != nil {
		return []string{err.Error()}
	}
	for name, system := range readCoverage(p) {
		counts := map[string]int{}
		for _, r := range system.rows {
			state := coverageState.FindStringSubmatch(r.verdict)
			if state == nil || (state[1] == "differs") != (state[2] != "") {
				c.addFinding(p, r.line, "%q is no state", r.verdict)
				continue
			}
			counts[state[1]]++
			c.evidence(p, r, state[1] != "missing", tests)
		}
		counted := [3]string{fmt.Sprint(counts["held"]), fmt.Sprint(counts["differs"]), fmt.Sprint(counts["missing"])}
		if counted != system.claimed {
			c.addFinding(p, 1, "%s has %v requirements that are held, differ and are missing, not %v", name, counted, system.claimed)
		}
	}
	slices.Sort(c.found)
	return c.found
}

// evidence checks that what shows a requirement is there, and that something does.
func (c *checker) evidence(p *page, r requirement, needed bool, tests map[string]string) {
	count := len(linkOf.FindAllString(spanOf.ReplaceAllString(r.shown, ""), -1))
	for _, m := range spanOf.FindAllStringSubmatch(r.shown, -1) {
		count++
		switch name := m[1]; {
		case testName.MatchString(name):
			comment, there := tests[name]
			if !there {
				c.addFinding(p, r.line, "there is no test %s", name)
			}
			if n := designProp.FindStringSubmatch(r.section); n != nil && !strings.Contains(comment, "Feature: agent-rs, Property "+n[1]+":") {
				c.addFinding(p, r.line, "the comment of %s does not name property %s", name, n[1])
			}
		case storyName.MatchString(name):
			if !c.there(filepath.Join(stories, name)) {
				c.addFinding(p, r.line, "there is no story %s", name)
			}
		default: // a command: checker.span checks it, as in each document
			first, _, _ := strings.Cut(name, " ")
			if !slices.Contains(ours, first) && first != "make" && first != "systemctl" {
				c.addFinding(p, r.line, "%s is neither a test, a story nor a command of ours", name)
			}
		}
	}
	if needed && count == 0 {
		c.addFinding(p, r.line, "nothing shows it")
	}
}

// TestCoverage compares the page of the designs' requirements with the repository. TestDocumentsSayWhatIsThere checks its
// commands and links.
func TestCoverage(t *testing.T) {
	c := repository(t)
	p := c.pages[coveragePage]
	systems := readCoverage(p)
	require.Len(t, systems, 4)
	for name, system := range systems {
		require.Greater(t, len(system.rows), 50, name)
	}
	for n := 1; n <= 22; n++ {
		require.True(t, slices.ContainsFunc(systems["agent-rs"].rows, func(r requirement) bool { return r.section == fmt.Sprintf("P%d", n) }), "property %d", n)
	}
	require.Empty(t, strings.Join(c.coverage(p), "\n"))
}

// TestMistakesOfCoverageAreFound requires that the comparison finds mistakes.
func TestMistakesOfCoverageAreFound(t *testing.T) {
	for _, row := range []struct{ name, counts, row, finding string }{
		{"fine", "1 | 0 | 0", "P3 | x | `TestChat` | held", ""},
		{"a reason", "0 | 1 | 0", "1 | x | [a](../README.md) | differs: for a reason", ""},
		{"missing", "0 | 0 | 1", "1 | x | – | missing", ""},
		{"a test that is not there", "1 | 0 | 0", "1 | x | `TestGone` | held", "docs/b.md:7: there is no test TestGone"},
		{"a property that its test does not name", "1 | 0 | 0", "P4 | x | `TestChat` | held", "the comment of TestChat does not name property 4"},
		{"a story that is not there", "1 | 0 | 0", "1 | x | `gone.txtar` | held", "there is no story gone.txtar"},
		{"something else", "1 | 0 | 0", "1 | x | `vim` | held", "vim is neither a test, a story nor a command of ours"},
		{"another state", "0 | 0 | 0", "1 | x | `TestChat` | held in part", `"held in part" is no state`},
		{"no reason", "0 | 0 | 0", "1 | x | `TestChat` | differs", `"differs" is no state`},
		{"nothing shows it", "1 | 0 | 0", "1 | x | – | held", "nothing shows it"},
		{"wrong counts", "2 | 0 | 0", "1 | x | `TestChat` | held", "A has [1 0 0] requirements that are held, differ and are missing, not [2 0 0]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := testRepository(t, "| system | held | differs | missing |\n|---|---|---|---|\n| [A](#a) | "+row.counts+" |\n\n## A\n\n| "+row.row+" |\n")
			require.NoError(t, os.WriteFile(filepath.Join(c.root, "e2e/a_test.go"), []byte("// Feature: agent-rs, Property 3: X.\nfunc TestChat(t *testing.T) {}\n"), 0o600))
			found := strings.Join(c.coverage(c.pages["docs/b.md"]), "\n")
			if row.finding == "" {
				require.Empty(t, found)
				return
			}
			require.Contains(t, found, row.finding)
		})
	}
}
