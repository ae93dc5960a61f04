package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThreat03AModelAnswersNoQuestionWithOurPrograms: any program that reaches the daemon's socket can answer questions, so what
// connects to it is never SAFE, and no list of allowed commands covers it.
func TestThreat03AModelAnswersNoQuestionWithOurPrograms(t *testing.T) {
	e := newEstate(t, "blunux-aictl", "blunux-ai", "another", "echo")
	require.NoError(t, os.MkdirAll(filepath.Join(e.root, "bin"), 0o755))
	for _, name := range []string{"blunux-aictl", "blunux-ai", "another"} {
		require.NoError(t, os.WriteFile(filepath.Join(e.root, "bin", name), []byte("#!/bin/sh\n"), 0o755))
	}
	e.full.Commands = append(e.full.Commands, filepath.Join(e.root, "bin/blunux-aictl"))
	e.open(t)
	e.dir = filepath.Join(e.ws, "sub") // a program may use all of it
	for _, command := range []string{
		"blunux-aictl approve K7QX", "blunux-aictl approve K7QX --edit=x", "blunux-aictl deny K7QX", "blunux-aictl ask hi",
		"blunux-aictl log", "blunux-aictl log --json", "blunux-aictl status", "blunux-aictl tasks", "blunux-aictl approvals",
		"blunux-aictl sessions", "blunux-aictl automations", "blunux-aictl models", "blunux-aictl changes", "blunux-ai sign x",
		e.root + "/bin/blunux-aictl approve K7QX", "timeout 5 blunux-aictl approve K7QX", "echo y | blunux-aictl approve K7QX",
	} {
		require.False(t, e.runsUnasked(t, command), command)
	}
	require.True(t, e.runsUnasked(t, "another approve K7QX"), "as any other program on the list")
}
