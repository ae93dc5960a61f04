package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// ownQueues says that this process is the one with System V queues of its own.
const ownQueues = "BLUNUX_AI_TEST_QUEUES"

// helper is the inside of the cells that are tested: this program itself, or the
// cell that BLUNUX_AI_TEST_CELL names, as a package has it.
var helper = os.Getenv("BLUNUX_AI_TEST_CELL")

func init() {
	if s := New(Options{Helper: helper}); helper != "" && s.helper() == "/proc/self/exe" {
		panic("not a cell to be trusted: " + helper)
	}
}

// TestMain runs the tests where nobody else's System V queues come and go: what a
// command may have made is looked for among them, and every fakeroot has some.
func TestMain(m *testing.M) {
	if os.Geteuid() != 0 || os.Getenv(ownQueues) != "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // which must outlive the tests, or they end with it
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), ownQueues+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		os.Exit(failed.ExitCode())
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run()) // it may not have any here
}
