package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// TestU2ProgramsOfThePersonAreNamedByPath finds programs in the directories for a person's own programs, and
// guesses no package for any other.
func TestU2ProgramsOfThePersonAreNamedByPath(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".local/bin", ".cargo/bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o755))
	}
	mine, crate := filepath.Join(home, ".local/bin/mytool"), filepath.Join(home, ".cargo/bin/crate")
	require.NoError(t, os.WriteFile(mine, []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(crate, []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".local/bin/plain"), nil, 0o644))
	require.Equal(t, mine, shell.PersonalProgram(home, "mytool"))
	require.Equal(t, crate, shell.PersonalProgram(home, "crate"))
	for _, name := range []string{"plain", "absent", "", ".", "..", "../bin/mytool", mine} {
		require.Empty(t, shell.PersonalProgram(home, name), name)
	}
	require.Empty(t, machine.PackageOf("mytool"), "a package is never invented")
}
