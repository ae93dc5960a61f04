package tools_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// neverRows are the commands of the checker's corpora that must never run. In them, ␤ is a line feed and
// U+2400…U+241F are the other control characters.
func neverRows(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("safety/testdata/corpus.tsv")
	require.NoError(t, err)
	var rows []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "\t"); cells[1] == "BLOCKED" {
			rows = append(rows, cells[0])
		}
	}
	text, err = os.ReadFile("safety/testdata/blocked.txt")
	require.NoError(t, err)
	rows = append(rows, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	for i, row := range rows {
		rows[i] = strings.Map(func(r rune) rune {
			switch {
			case r == '␤':
				return '\n'
			case r >= 0x2400 && r <= 0x241f:
				return r - 0x2400
			}
			return r
		}, row)
	}
	require.Greater(t, len(rows), 200)
	return rows
}

// harmless returns a directory with fake versions of all programs that the gate could start. They only create
// the file trace, so a command that passes the gate by mistake does no harm.
func harmless(t *testing.T) (dir, trace string) {
	t.Helper()
	dir = t.TempDir()
	trace = filepath.Join(dir, "trace")
	for _, name := range []string{"bash", "touch"} { // missing programs are refused before the question
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"$@\" >> "+trace+"\n"), 0o755))
	}
	return dir, trace
}

// TestThreat01WhatIsBlockedNeverRuns takes every BLOCKED row of the corpora through the gate, with a person who
// says yes to everything.
func TestThreat01WhatIsBlockedNeverRuns(t *testing.T) {
	dir, trace := harmless(t)
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{dir}, Sandbox: newSandbox(t)})
	})
	rows := neverRows(t)
	yes := answering(slices.Repeat([]tools.Decision{{Action: tools.AllowSession}}, len(rows))...)
	for _, row := range rows {
		out := d.call("run_command", command(row), yes)
		require.Equal(t, tools.RefusedBlocked, out.Output.Refusal, row)
		j, refused := d.Prepare(newCall(t, "run_command", command(row)), "s", d.dir)
		require.Nil(t, refused, row)
		require.Equal(t, tools.RefusedBlocked, d.RunApproved(t.Context(), j, j.Digest, nil, nil).Output.Refusal, row)
	}
	require.Empty(t, yes.shown, "nobody is even asked")
	require.NoFileExists(t, trace)
	for _, line := range d.logged() {
		require.True(t, strings.HasPrefix(line, "BLOCKED "), line)
	}

	// An edited command is judged again; an approval of the original does not apply to it.
	out := d.call("run_command", command("touch x"), editing(blockedCommand, tools.Decision{Action: tools.AllowOnce}))
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.NoFileExists(t, trace)

	// The fake bash does create the file for an allowed command.
	require.Empty(t, d.call("run_command", command("touch x"), allowing()).Output.Refusal)
	require.FileExists(t, trace)
}
