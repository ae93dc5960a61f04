package executor_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// TestProperty09BothStreamsOfACommandAreCaptured is property 9 of the agent-rs design. Its execution_output is
// Result.Stdout and Result.Stderr.
//
// Feature: agent-rs, Property 9: Command Execution Output Capture.
func TestProperty09BothStreamsOfACommandAreCaptured(t *testing.T) {
	x, dir := newExecutor(executor.Options{}), t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`([a-z가-힣 ]{0,30}\n){0,5}`)
		out, failed := text.Draw(rt, "stdout"), text.Draw(rt, "stderr")
		exit := rapid.IntRange(0, 125).Draw(rt, "exit")
		c := shell.Command{Argv: []string{"sh", "-c", `printf %s "$1"; printf %s "$2" >&2; exit "$3"`, "sh", out, failed, strconv.Itoa(exit)}}
		r, err := x.Run(t.Context(), executor.Job{Command: c, Dir: dir, Timeout: plenty})
		require.NoError(rt, err)
		require.Equal(rt, out, r.Stdout)
		require.Equal(rt, failed, r.Stderr)
		require.Equal(rt, len(out)+len(failed), r.Bytes)
		require.Equal(rt, exit, r.Exit)
		require.False(rt, r.Cut)
	})
}

// TestProperty19TooMuchOutputIsCutAndSaidToBe is property 19 of the agent-rs design. Its max_output_bytes and
// max_output_lines are the executor's MaxBytes and MaxLines, its truncated flag is Result.Cut.
//
// Feature: agent-rs, Property 19: Output Truncation Safety.
func TestProperty19TooMuchOutputIsCutAndSaidToBe(t *testing.T) {
	dir := t.TempDir()
	const note = 200 // maximum length of the mark in bytes
	rapid.Check(t, func(rt *rapid.T) {
		bytes, lines := rapid.IntRange(64, 4096).Draw(rt, "max bytes"), rapid.IntRange(2, 60).Draw(rt, "max lines")
		x := newExecutor(executor.Options{MaxBytes: bytes, MaxLines: lines})
		line := rapid.StringMatching(`[a-z]{1,40}`).Draw(rt, "line") + "\n"
		n := rapid.IntRange(0, 120).Draw(rt, "lines")
		out := strings.Repeat(line, n)
		c := shell.Command{Argv: []string{"sh", "-c", `printf %s "$1"`, "sh", out}}
		r, err := x.Run(t.Context(), executor.Job{Command: c, Dir: dir, Timeout: plenty})
		require.NoError(rt, err)
		require.Equal(rt, len(out) > bytes || n > lines, r.Cut)
		require.Equal(rt, len(out), r.Bytes)
		require.LessOrEqual(rt, len(r.Stdout), bytes+note)
		require.LessOrEqual(rt, strings.Count(r.Stdout, "\n"), lines+1)
		if !r.Cut {
			require.Equal(rt, out, r.Stdout)
		}
	})
}
