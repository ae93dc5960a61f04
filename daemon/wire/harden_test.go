package wire

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newCode maps memory that is writable and executable.
func newCode() error {
	_, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	return err
}

// TestThreat33NoNewCodeRunsInTheDaemon uses child processes, because the flag cannot be cleared: a hardened
// one, and one started by a hardened one.
func TestThreat33NoNewCodeRunsInTheDaemon(t *testing.T) {
	const depth = "BLUNUX_AI_TEST_HARDEN"
	again := func(value string) error {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), depth+"="+value)
		return cmd.Run()
	}
	switch os.Getenv(depth) {
	case "":
		if err := unix.Prctl(unix.PR_GET_MDWE, 0, 0, 0, 0); err != nil {
			t.Skip("a kernel before 6.3")
		}
		require.NoError(t, newCode())
		require.NoError(t, again("hardened"))
	case "hardened":
		refuseNewCode()
		require.ErrorIs(t, newCode(), unix.EACCES)
		require.NoError(t, again("child"), "commands are free of it")
	case "child":
		require.NoError(t, newCode())
	}
}
