package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a row of a table "You ask | It runs | when".
type example struct {
	line    int
	request string
	runs    []string // commands, or their beginnings
	class   string
}

// askHeads begin the tables of examples, classOf are their last cells.
var (
	askHeads = []string{"You ask", "이렇게 물으면", "你这样问"}
	classOf  = map[string]string{
		"at once": "SAFE", "바로": "SAFE", "立即": "SAFE",
		"after your yes": "CONFIRM", "승인 후": "CONFIRM", "你同意后": "CONFIRM",
	}
)

// examples returns the rows of a page's tables of examples.
func (p *page) examples() []example {
	var all []example
	inside := false
	for i, line := range p.raw {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 2 {
			inside = false
			continue
		}
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if slices.Contains(askHeads, cells[0]) {
			inside = true
			continue
		}
		if !inside || strings.HasPrefix(cells[0], "-") {
			continue
		}
		e := example{line: i + 1, request: strings.Trim(cells[0], "`"), class: classOf[cells[len(cells)-1]]}
		for _, m := range spanOf.FindAllStringSubmatch(cells[1], -1) {
			e.runs = append(e.runs, strings.TrimSpace(strings.TrimSuffix(m[1], "…")))
		}
		all = append(all, e)
	}
	return all
}

// spoken leaves out of a command what depends on the way to root of this machine.
var spoken = strings.NewReplacer("sudo ", "", " --noconfirm", "", " -- ", " ")

var planned = regexp.MustCompile(`^(SAFE|CONFIRM|BLOCKED) +\S+ +(.*)$`)

// TestExamplesAreWhatHappens asks each request of the tables without running anything:
// the built-in helper plans the commands that the table shows, of the class it shows.
func TestExamplesAreWhatHappens(t *testing.T) {
	if installed != "" {
		t.Skip("the pages are the same in a checkout")
	}
	c, n := repository(t), 0
	for _, p := range c.sorted() {
		rows := p.examples()
		n += len(rows)
		if len(rows) == 0 {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, localeOf(p.path))
			for _, e := range rows {
				require.NotEmpty(t, e.class, "%s:%d: the last cell says when it runs", p.path, e.line)
				_, err := m.run("blunux-aictl reset")
				require.NoError(t, err)
				out, err := m.run("blunux-aictl ask --dry-run '" + strings.ReplaceAll(e.request, "'", `'\''`) + "'")
				require.NoError(t, err, "%s:%d: %s", p.path, e.line, out)
				var commands []string
				for line := range strings.Lines(out) {
					line = strings.TrimRight(line, "\n")
					if m := planned.FindStringSubmatch(line); m != nil {
						require.Equal(t, e.class, m[1], "%s:%d", p.path, e.line)
						commands = append(commands, spoken.Replace(m[2]))
					} else if strings.HasPrefix(line, "   ") {
						commands = append(commands, spoken.Replace(strings.TrimSpace(line)))
					}
				}
				for _, want := range e.runs {
					require.True(t, slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, spoken.Replace(want)) }),
						"%s:%d: %q runs\n%s", p.path, e.line, e.request, out)
				}
			}
		})
	}
	require.Greater(t, n, 60)
}

// localeOf is the locale of a page's reader.
func localeOf(path string) string {
	switch {
	case strings.HasSuffix(path, ".ko.md"):
		return "ko_KR.UTF-8"
	case strings.HasSuffix(path, ".zh.md"):
		return "zh_CN.UTF-8"
	}
	return "en_US.UTF-8"
}
