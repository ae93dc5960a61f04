package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testRepository is a small repository with one document and a README that links to it.
func testRepository(t *testing.T, text string) *checker {
	t.Helper()
	root := t.TempDir()
	for path, content := range map[string]string{
		"README.md": "# A\n\n[b](docs/b.md)\n", "docs/b.md": text, "Makefile": "PREFIX ?= /usr\nbuild man: x\n",
		"systemd/blunux-ai-agent.socket": "", "e2e/a_test.go": "func TestChat(t *testing.T) {}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(content), 0o600))
	}
	c, err := newChecker(root, realHelp)
	require.NoError(t, err)
	return c
}

// TestMistakesAreFound requires that the checker finds mistakes.
func TestMistakesAreFound(t *testing.T) {
	for _, row := range []struct{ name, text, finding string }{
		{"fine", "```sh\nblunux-aictl ask -q \"disk full?\"\nsudo pacman -Syu\n```\n", ""},
		{"a flag that is not there", "```sh\nblunux-aictl ask --fast hello\n```\n", "docs/b.md:2: blunux-aictl ask --fast hello: blunux-aictl ask has no flag --fast"},
		{"a short flag that is not there", "    blunux-aictl log -z\n", "has no flag -z"},
		{"a command that is not there", "    blunux-aictl automations ad x\n", "blunux-aictl automations has no command ad"},
		{"a program's command that is not there", "Say `blunux-ai frobnicate`.\n", "blunux-ai has no command frobnicate"},
		{"too many arguments", "    blunux-aictl approve K7QX now\n", "takes 1 arguments, not 2"},
		{"too few arguments", "```sh\nblunux-aictl pairing remove telegram\n```\n", "wants 2 arguments, not 1"},
		{"prose leaves arguments out", "Say `blunux-aictl approve`.\n", ""},
		{"a lone flag", "With `--telepathy` it knows.\n", "no command of ours has a flag --telepathy"},
		{"behind a pipe", "```sh\nprintf x | blunux-aictl ask --fast y\n```\n", "has no flag --fast"},
		{"behind sudo", "```sh\nsudo blunux-ai frobnicate\n```\n", "has no command frobnicate"},
		{"in a transcript", "```console\n$ blunux-aictl statux\nok\n```\n", "has no command statux"},
		{"no shell", "```sh\nblunux-aictl ask \"disk\n```\n", "cannot be read"},
		{"a program nobody knows", "```sh\nfrobnicate\n```\n", "nobody said what frobnicate is"},
		{"a make target", "`make coffee`\n", "there is no make coffee"},
		{"a make variable", "    make build COLOUR=red\n", "the Makefile has no variable COLOUR"},
		{"a unit", "    systemctl --user enable blunux-ai-agent.timer\n", "there is no unit blunux-ai-agent.timer"},
		{"a unit by its short name", "```sh\nsystemctl --user enable blunux-ai-bridges\n```\n", "there is no unit blunux-ai-bridges"},
		{"a test", "    go test ./e2e -run TestTea\n", "./e2e has no test TestTea"},
		{"a package", "    go test ./nowhere\n", "there are no tests in ./nowhere"},
		{"a link", "[c](c.md)\n", "the link to c.md leads nowhere"},
		{"an anchor", "# B\n\n[b](#c)\n", "docs/b.md has no heading #c"},
		{"an anchor elsewhere", "[a](../README.md#b)\n", "README.md has no heading #b"},
		{"anchors that are there", "# 안녕 B!\n\n[b](#안녕-b) [a](../README.md#a)\n", ""},
		{"a file of the source", "See `e2e/b_test.go`.\n", "there is no file e2e/b_test.go"},
		{"a long line", "# B\n" + strings.Repeat("가", maxLine+1) + "\n", "docs/b.md:2: the line has 161 characters, more than 160"},
		{"a line that is just short enough", strings.Repeat("가", maxLine) + "\n", ""},
		{"a long table row", "| a |\n|---|\n| " + strings.Repeat("b", maxLine) + " |\n", "docs/b.md:3: the line has 164 characters"},
		{"a long line in a block", "    " + strings.Repeat("b", maxLine) + "\n", "the line has 164 characters"},
		{"a long line that a program printed", "```console\n$ blunux-ai version\n" + strings.Repeat("b", 200) + "\n```\n", ""},
		{"no JSON", "    {\"a\": 1,}\n", "this is no JSON"},
		{"JSON", "```json\n{\"a\": 1}\n```\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := testRepository(t, row.text).check()
			if row.finding == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Contains(t, found[0], row.finding)
		})
	}
	paged := testRepository(t, "# B\n")
	require.NoError(t, os.MkdirAll(filepath.Join(paged.root, "docs/man"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(paged.root, "docs/man/a.1.en.md"), []byte("Say **blunux-ai doctor \\-\\-heal**, see **blunux-ai**(1).\n"), 0o600))
	require.Equal(t, []string{"docs/man/a.1.en.md:1: blunux-ai doctor --heal: blunux-ai doctor has no flag --heal"}, paged.check())
	lost := testRepository(t, "# B\n")
	lost.pages["README.md"].links = nil
	require.Equal(t, []string{"docs/b.md:1: no document that README.md leads to leads here"}, lost.check())
}

func TestSettingsThatAreNotAcceptedAreFound(t *testing.T) {
	for text, ok := range map[string]bool{
		"[ai_agent]\nprovider = \"offline\"\n":                                   true,
		"[ai_agent]\nprovidre = \"offline\"\n":                                   false,
		"[ai_agent]\nautonomy = \"total\"\n":                                     false,
		"[[automation]]\nname = \"a\"\nschedule = \"09:00\"\ncheck = \"disk\"\n": true,
		"[[automation]]\nname = \"a\"\nschedule = \"25:00\"\ncheck = \"disk\"\n": false,
		"[[automation]]\nname = \"a\"\nsheddule = \"09:00\"\ncheck = \"disk\"\n": false,
	} {
		require.Equal(t, ok, acceptSettings(t, text) == nil, text)
	}
}

func TestShapes(t *testing.T) {
	for _, row := range []struct {
		name, shown, came string
		alike             bool
	}{
		{"numbers", "18% used, 76G left of 252G.", "9% used, 1.2T left of 2T.", true},
		{"words", "18% used, 76G left.", "18% used, 76G right.", false},
		{"a word too many", "ok", "ok then", false},
		{"times and codes", "Approve with: blunux-aictl approve K7QX", "Approve with: blunux-aictl approve 3ABC", true},
		{"columns", "2026-11-23 09:00  9h 28m  -  on", "2026-11-24 09:00      58s  -    on", true},
		{"left out", "a\n…\nz", "a\nb\nc\nz", true},
		{"left out, but not all", "a\n…\nz", "a\nb", false},
		{"a line less", "a\nb", "a", false},
		{"the log", "[2026-11-22T23:31:50Z] SAFE        df -h", "[2027-01-02T03:04:05Z] SAFE        df -h", true},
	} {
		require.Equal(t, row.alike, alike(strings.Split(row.shown, "\n"), strings.Split(row.came, "\n")), row.name)
	}
	require.Equal(t, "blunux-aictl ask Q", withoutLanguage(`blunux-aictl ask "디스크 꽉 찼어?"`+"   # 질문"))
	require.Equal(t, withoutLanguage("blunux-aictl automations run 디스크 경고"), withoutLanguage("blunux-aictl automations run 매일 상태 보고"))
}
