package cell

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// init runs the cell if tools/sandbox started this process. It is an init function so that it runs before the
// program's other packages are initialized, which would double the cost of every command, and so that tests of
// any package that links this one have a sandbox too.
func init() {
	if len(os.Args) < 2 || os.Args[0] != Name {
		return
	}
	runtime.LockOSThread() // the walls apply to this thread, which executes the command
	err := enter(os.Args[1], os.Args[2:])
	_, _ = unix.Write(SocketFD, []byte(err.Error()))
	os.Exit(127)
}

// enter locks the process in and executes a command: its file and argv, or the one that the daemon sends afterwards if
// there is none. It only returns on failure.
func enter(encoded string, command []string) error {
	unix.CloseOnExec(SocketFD)
	var sp Spec
	dec := json.NewDecoder(strings.NewReader(encoded))
	dec.DisallowUnknownFields() // a newer daemon can require walls that this program does not know
	if err := dec.Decode(&sp); err != nil {
		return fmt.Errorf("cannot read the sandbox's specification: %w", err)
	}
	if err := sp.lock(); err != nil {
		return err
	}
	if sp.Attempt != nil {
		return sp.report()
	}
	if len(command) == 0 {
		return executeReceived()
	}
	err := unix.Exec(command[0], command[1:], os.Environ())
	return fmt.Errorf("cannot start %s: %w", command[0], err)
}

// executeReceived waits for a command of the daemon and executes it. The process ends if none comes.
func executeReceived() error {
	buf := make([]byte, MaxCommand)
	n, err := unix.Read(SocketFD, buf)
	if n == 0 && err == nil {
		os.Exit(0) // the daemon closed the socket
	}
	var c Command
	if err == nil {
		err = json.Unmarshal(buf[:max(n, 0)], &c)
	}
	if err == nil {
		err = unix.Chdir(c.Dir)
	}
	if err == nil {
		err = unix.Exec(c.File, c.Argv, c.Env)
	}
	return fmt.Errorf("cannot start %s: %w", c.File, err)
}

// lock applies the walls from the outside in: each step needs a right that the next one drops.
func (sp Spec) lock() error {
	// A command must not inherit descriptors of the daemon.
	if err := unix.CloseRange(SocketFD+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("cannot close inherited descriptors: %w", err)
	}
	if err := limitCoreFiles(); err != nil {
		return err
	}
	if sp.Namespaces {
		if err := sp.setUpMounts(); err != nil {
			return err
		}
	}
	if err := sp.dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up new privileges: %w", err)
	}
	if sp.Landlock > 0 {
		if err := sp.restrictFiles(); err != nil {
			return err
		}
	}
	return sp.installFilter()
}
