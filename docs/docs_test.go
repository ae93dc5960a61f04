// Package docs tests the documents against the programs: commands, flags, settings, files and links
// must exist, transcripts are played and compared, lines are short, and translations match.
package docs

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what programs really put out into the transcripts and docs/demo.txt")

// englishOnly are the documents for scripts, packagers and developers, and the
// index. Every other document is for users and has a Korean page.
var englishOnly = strings.Fields("claude coverage dependencies diagnose exit-codes files glossary helper index json licenses mcp performance protocol recall sizes threats")

// shorter are documents whose Korean page has only what users need, and says so.
var shorter = []string{"docs/security.md"}

// twins are pairs of an English document and its page in another language.
func twins(c *checker) (pairs [][2]*page) {
	for _, p := range c.sorted() {
		if language := filepath.Ext(strings.TrimSuffix(p.path, ".md")); language != "" {
			pairs = append(pairs, [2]*page{c.pages[strings.TrimSuffix(p.path, language+".md")+".md"], p})
		}
	}
	return pairs
}

// binaries is where the programs are that are held to be documented.
var binaries string

func TestMain(m *testing.M) {
	if installed != "" {
		binaries = "/usr/bin"
	} else if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// build makes the programs as make build does: where they are up to date, that
// is a look.
func build() error {
	make := exec.Command("make", "-s", "-C", "..", "build", "fleet")
	make.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := make.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the programs: %w\n%s", err, out)
	}
	var err error
	binaries, err = filepath.Abs("../bin")
	return err
}

// repository is a checker of this checkout, with the real programs.
func repository(t *testing.T) *checker {
	t.Helper()
	c, err := newChecker("..", realHelp)
	require.NoError(t, err)
	return c
}

func TestDocumentsSayWhatIsThere(t *testing.T) {
	c := repository(t)
	require.Greater(t, len(c.pages), 20)
	require.Empty(t, strings.Join(c.check(), "\n"))
}

// TestTwinsSayTheSame: the same sections, the same commands.
func TestTwinsSayTheSame(t *testing.T) {
	c := repository(t)
	pairs := twins(c)
	require.Greater(t, len(pairs), 15)
	for _, pair := range pairs {
		en, other := pair[0], pair[1]
		require.NotNil(t, en, "the English page of %s", other.path)
		require.True(t, linked(en, other), "%s has no link to %s", en.path, other.path)
		require.True(t, linked(other, en), "%s has no link to %s", other.path, en.path)
		if slices.Contains(shorter, en.path) {
			continue
		}
		require.Equal(t, levels(en), levels(other), "the sections of %s and %s", en.path, other.path)
		require.Equal(t, typed(en), typed(other), "the commands of %s and %s", en.path, other.path)
	}
}

// linked reports whether one page has a link to another of the same directory.
func linked(from, to *page) bool {
	return slices.ContainsFunc(from.links, func(l spot) bool { return l.text == filepath.Base(to.path) })
}

func TestUserPagesHaveAKoreanPage(t *testing.T) {
	c := repository(t)
	for _, name := range englishOnly {
		require.NotNil(t, c.pages["docs/"+name+".md"], "%s is gone", name)
	}
	for _, p := range c.sorted() {
		name, ok := strings.CutPrefix(strings.TrimSuffix(p.path, ".md"), "docs/")
		if !ok || strings.Contains(name, ".") || slices.Contains(englishOnly, name) {
			continue
		}
		require.NotNil(t, c.pages["docs/"+name+".ko.md"], "%s is for users and has no Korean page", p.path)
	}
}

// levels are the depths of the headings, in order.
func levels(p *page) []int {
	var all []int
	for _, h := range p.headings {
		all = append(all, h.level)
	}
	return all
}

// typed is what a person types, with the words of their language left out.
func typed(p *page) []string {
	var all []string
	for _, b := range p.blocks {
		for _, l := range b.commands() {
			all = append(all, withoutLanguage(l.text))
		}
	}
	return all
}

func TestSettingsAreAccepted(t *testing.T) {
	c, n := repository(t), 0
	for _, p := range c.sorted() {
		for _, b := range p.blocks {
			if text := b.toml(); text != "" {
				n++
				require.NoError(t, acceptSettings(t, text), "%s:%d", p.path, b.line)
			}
		}
	}
	require.Greater(t, n, 8)
}

// acceptSettings passes settings or automations to the program that reads them.
func acceptSettings(t *testing.T, text string) error {
	t.Helper()
	m := newMachine(t, "en_US.UTF-8")
	if strings.Contains(text, "[[automation]]") {
		file := filepath.Join(m.home, "rules.toml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := m.run("blunux-ai config import --dry-run rules.toml")
		return err
	}
	if strings.Contains(text, "[locale]") { // the distribution's
		require.NoError(t, os.WriteFile(filepath.Join(m.home, "config.toml"), []byte(text), 0o644))
		_, err := m.run("blunux-ai --blunux-config ~/config.toml config check")
		return err
	}
	dir := filepath.Join(m.home, ".config/blunux-ai")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600))
	_, err := m.run("blunux-ai config check")
	return err
}

func TestEveryFlagOfEveryProgramHasAName(t *testing.T) {
	// The table of flags is made of the programs' own help; were that read wrongly,
	// every document would be right.
	for _, row := range []struct{ command, flag string }{
		{"blunux-aictl ask", "--dry-run"},
		{"blunux-aictl log", "-f"},
		{"blunux-ai setup", "--key-file"},
		{"blunux-telegram-bridge login", "--token-file"},
		{"blunux-wa-bridge login", "--png"},
		{"blunux-ai", "--lang"},
	} {
		h, ok := realHelp(strings.Fields(row.command)...)
		require.True(t, ok, row.command)
		require.True(t, slices.ContainsFunc(h.flags, func(f flagOf) bool { return f.name == row.flag }), "%s %s", row.command, row.flag)
	}
}
