package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
)

// requireProgram returns the path of a program, or skips the test.
func requireProgram(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skip(t, "%s is not installed", name)
	}
	return path
}

func TestShellsTakeTheCompletions(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			path := requireProgram(t, shell)
			for _, program := range []string{"blunux-ai", "blunux-aictl"} {
				script, err := exec.Command(filepath.Join(binaries, program), "completion", shell).Output()
				require.NoError(t, err)
				file := filepath.Join(t.TempDir(), "script")
				require.NoError(t, os.WriteFile(file, script, 0o600))
				said, err := exec.Command(path, "-n", file).CombinedOutput()
				require.NoError(t, err, "%s", said)
				require.Empty(t, string(said))
			}
		})
	}
}

// TestFishShowsDescriptions: fish shows completions with descriptions in the user's language.
func TestFishShowsDescriptions(t *testing.T) {
	t.Parallel()
	fish := requireProgram(t, "fish")
	cmd := exec.Command(fish, "-c", "blunux-aictl completion fish | source; complete -C 'blunux-aictl appr'")
	cmd.Env = append(os.Environ(), "PATH="+binaries+":"+os.Getenv("PATH"), "BLUNUX_AI_LANG=ko", "HOME="+t.TempDir(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "approve\t기다리는 명령을 승인해요")
}

// buildManPages builds the man pages of the programs under test once, as make man does.
var buildManPages = sync.OnceValues(func() (string, error) {
	dist := filepath.Join(binaries, "dist")
	bridges, err := staticPrograms() // one of them is in another module
	if err != nil {
		return "", err
	}
	wa := filepath.Join(binaries, "blunux-wa-bridge")
	if err := os.Symlink(filepath.Join(bridges, "blunux-wa-bridge"), wa); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if out, err := exec.Command("make", "-C", "../..", "-o", "build", "man", "BIN="+binaries, "DIST="+dist).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot make the man pages: %w: %s", err, out)
	}
	if out, err := exec.Command("gunzip", "-r", filepath.Join(dist, "man")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot unpack the man pages: %w: %s", err, out)
	}
	return dist, nil
})

// manPages returns the directory of the man pages.
func manPages(t *testing.T) string {
	t.Helper()
	requireProgram(t, "make")
	dist, err := buildManPages()
	require.NoError(t, err)
	for _, name := range []string{"blunux-ai.bash", "blunux-ai.zsh", "blunux-aictl.fish"} {
		require.FileExists(t, filepath.Join(dist, "completion", name))
	}
	return filepath.Join(dist, "man")
}

// TestManPagesAreWellFormed renders every page in the three languages as man does at MANWIDTH=80.
func TestManPagesAreWellFormed(t *testing.T) {
	t.Parallel()
	groff, mandoc, lexgrog := requireProgram(t, "groff"), requireProgram(t, "mandoc"), requireProgram(t, "lexgrog")
	var pages []string
	require.NoError(t, filepath.WalkDir(manPages(t), func(page string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			pages = append(pages, page)
		}
		return err
	}))
	require.Greater(t, len(pages), 3*25)
	lint, _ := exec.Command(mandoc, append([]string{"-Tlint", "-Wwarning"}, pages...)...).Output()
	for line := range strings.Lines(string(lint)) {
		require.Contains(t, line, "missing date") // the pages have no date, so that builds are reproducible
	}
	said, err := exec.Command(lexgrog, pages...).CombinedOutput()
	require.NoError(t, err, "mandb finds no name: %s", said)
	for _, page := range pages {
		args := []string{"-man", "-Kutf8", "-Tutf8", "-ww", "-P-cbou", "-rLL=78n", page}
		if strings.Contains(page, "zh_CN") {
			args = append([]string{"-mzh"}, args...) // as man does for its language
		}
		var warned bytes.Buffer
		cmd := exec.Command(groff, args...)
		cmd.Stderr = &warned
		out, err := cmd.Output()
		require.NoError(t, err, page)
		require.Empty(t, warned.String(), page)
		for line := range strings.Lines(string(out)) {
			require.LessOrEqual(t, displaywidth.String(strings.TrimRight(line, "\n")), 80, "%s: %s", page, line)
		}
		name, section, _ := strings.Cut(strings.ToUpper(filepath.Base(page)), ".")
		header, _, _ := strings.Cut(strings.TrimLeft(string(out), "\n"), "\n")
		require.Regexp(t, `^`+name+`\(`+section+`\) .*`+name+`\(`+section+`\)$`, header, "%s: the header overlaps", page)
	}
}

func TestKoreanPagesAreReadable(t *testing.T) {
	t.Parallel()
	reader := requireProgram(t, "man")
	dir := manPages(t)
	for page, want := range map[string][]string{
		"ko/man1/blunux-aictl-ask.1":    {"이름\n", "blunux-aictl-ask - 질문하고 답을 받아요", "종료 코드\n"},
		"ko/man7/blunux-ai.7":           {"안전\n", "아무것도 바꿀 수 없도록 커널이"},
		"ko/man5/blunux-ai-config.5":    {"[ai_agent]\n", "autonomy (기본값 supervised)"},
		"zh_CN/man1/blunux-aictl-ask.1": {"名称\n", "提问并得到回答"},
	} {
		cmd := exec.Command(reader, "--warnings", "-l", filepath.Join(dir, page))
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANPAGER=cat", "MAN_KEEP_FORMATTING=")
		out, err := cmd.Output()
		require.NoError(t, err)
		text := strings.Join(strings.Fields(string(out)), " ")
		for _, part := range want {
			require.Contains(t, text, strings.TrimSuffix(part, "\n"), page)
		}
	}
}
