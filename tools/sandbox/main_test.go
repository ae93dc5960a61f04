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

// ownQueues marks the process that has its own System V queues.
const ownQueues = "BLUNUX_AI_TEST_QUEUES"

// helper is the program of the tested cells: this program, or the one in BLUNUX_AI_TEST_CELL, as packages
// install it.
var helper = os.Getenv("BLUNUX_AI_TEST_CELL")

func init() {
	if s := New(Options{Helper: helper}); helper != "" && s.helper() == "/proc/self/exe" {
		panic("not a cell to be trusted: " + helper)
	}
}

// TestMain runs the tests in an IPC namespace without other System V queues: the tests look for queues that a
// command made, and every running fakeroot has some.
func TestMain(m *testing.M) {
	if os.Geteuid() != 0 || os.Getenv(ownQueues) != "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // the thread must outlive the tests, or they end with it
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
	os.Exit(m.Run()) // no right to a new namespace here
}
