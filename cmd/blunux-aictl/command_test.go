package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACommandIsWrittenAsAPersonTypesIt(t *testing.T) {
	require.Equal(t, "sudo pacman -S -- htop", byHand("sudo -n pacman -S --noconfirm -- htop"))
	require.Equal(t, "df -h", byHand("df -h"))
	for line, want := range map[string]string{
		"df -h": "df -h", "du -x 2>/dev/null | sort -rh": "du -x 2>/dev/null | sort -rh",
		"a\nb": "bash -c 'a\nb'", "echo $HOME": "bash -c 'echo $HOME'", `grep 'it'\''s' \x`: `bash -c 'grep \'it\'\\\'\'s\' \\x'`,
	} {
		require.Equal(t, want, fishLine(line))
	}
}

func TestStatusesOfAPipelineAreRead(t *testing.T) {
	for text, want := range map[string][]int{"1": {1}, "0 3 0": {0, 3, 0}, "141,0": {141, 0}, "": nil, "x": nil, "256": nil, "-1": nil} {
		got, err := parseStatus(text)
		require.Equal(t, want == nil, err != nil, text)
		if want != nil {
			require.Equal(t, want, got)
		}
	}
}

func TestTheOutputOfTheLastCommandIsFound(t *testing.T) {
	pane := "> ls\na\n> cat /nope\ncat: /nope: No such file or directory\n> why\n\n\n"
	require.Equal(t, "cat: /nope: No such file or directory", shownOutput(pane, "cat /nope"))
	require.Empty(t, shownOutput(pane, "other"))
	require.Empty(t, shownOutput("", "x"))

	file := filepath.Join(t.TempDir(), "typescript")
	text := "\x1b]133;C\aold\r\n\x1b]133;D;0\a\x1b]133;A\a> cat\r\n\x1b]133;C\a\x1b(B\x1b[31mcat: no\x1b[0m\r\n\x07second\r\n\x1b]133;D;1\a\x1b]133;A\a> why\r\n\x1b]133;C\a"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.Equal(t, "cat: no\nsecond", recordedOutput(file))
	require.Empty(t, recordedOutput(file+"-none"))
	require.Empty(t, recordedOutput(t.TempDir()))
}
