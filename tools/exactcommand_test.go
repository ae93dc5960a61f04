package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// TestU8WhatIsShownIsWhatRuns byte for byte, however a command was typed: nothing is added after the question.
// The started bash reports its own source.
func TestU8WhatIsShownIsWhatRuns(t *testing.T) {
	for _, typed := range []string{
		`printf %s "$BASH_EXECUTION_STRING" > ran`,
		`  printf   %s "$BASH_EXECUTION_STRING">ran  `,
		"printf %s \"$BASH_EXECUTION_STRING\" > ran # a comment",
		"printf %s \\\n  \"$BASH_EXECUTION_STRING\" >ran",
		"if true; then printf %s \"$BASH_EXECUTION_STRING\" > ran; fi",
		"x=`echo ran`; printf %s \"$BASH_EXECUTION_STRING\" > \"$x\"",
		"git --version >/dev/null\nprintf %s \"$BASH_EXECUTION_STRING\" >ran",
		"PAGER=less printf %s \"$BASH_EXECUTION_STRING\" >ran &&\n\n\ttrue",
	} {
		d := newTestGate(t)
		p := allowing()
		out := d.call("run_command", command(typed), p)
		require.Empty(t, out.Output.Refusal, typed)
		require.Len(t, p.saw(), 1, typed)
		ran, err := os.ReadFile(filepath.Join(d.dir, "ran"))
		require.NoError(t, err, typed)
		require.Equal(t, p.saw()[0], string(ran), typed)
		require.Equal(t, typedWords(p.saw()[0]), typedWords(typed), "what is shown differs from what was typed by white space and comments alone")
	}
}

// TestU8AnArgumentVectorIsShownAsItRuns: bash parses the shown line into exactly the words that are started.
func TestU8AnArgumentVectorIsShownAsItRuns(t *testing.T) {
	d := newTestGate(t)
	file := filepath.Join(d.dir, "ran")
	words := []string{"sh", "-c", `printf '%s\n' "$0" "$@" > "$1"`, "a b", file, "$HOME", "*", "it's", "", "-x", "é\t"}
	p := allowing()
	out := d.call("argv", in{"Commands": []shell.Command{{Argv: words}}}, p)
	require.Empty(t, out.Output.Refusal)
	started, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Join(words[3:], "\n")+"\n", string(started))
	require.NoError(t, os.Remove(file))
	d.call("run_command", command(p.saw()[0]), allowing())
	typed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(started), string(typed))
}

// typedWords returns a command without comments and separators.
func typedWords(command string) string {
	command, _, _ = strings.Cut(command, " #")
	return strings.NewReplacer("\\\n", "", " ", "", "\t", "", "\n", "", ";", "", "`echo ran`", "$(echoran)").Replace(command)
}
