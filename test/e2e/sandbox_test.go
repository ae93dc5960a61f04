package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSandboxHoldsUnderARealUserManager runs the sandbox's own tests without the checker, as an ordinary
// user with a service manager, a message bus and a journal through which they try to escape.
func TestTheSandboxHoldsUnderARealUserManager(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sandbox")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	test := filepath.Join(dir, "sandbox.test")
	build := exec.Command("go", "test", "-c", "-mod=readonly", "-trimpath", "-vet=off", "-o", test, "../../tools/sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cell := "" // the test binary itself
	if os.Getenv("BLUNUX_AI_TEST_PROGRAMS") != "" {
		cell = filepath.Join(binaries, "blunux-ai-cell")
	}
	run := exec.Command("bash", "testenv/systemd-user.sh", "--env", "BLUNUX_AI_TEST_MANAGER=1", "--env", "BLUNUX_AI_TEST_CELL="+cell, "--", test, "-test.v", "-test.run", "Manager|Readers|Forced|EveryKind|S5S6S12")
	run.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err = run.CombinedOutput()
	if run.ProcessState.ExitCode() == 77 {
		skip(t, "no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "--- SKIP", "%s", out)
	require.Contains(t, string(out), "--- PASS: TestTheServiceManagerCannotBeUsedToEscape", "%s", out)
}
