package executor

import (
	"context"
	"errors"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/crash"
)

// signalGroup makes pidfd_send_signal(2) signal the whole process group, Linux 6.9.
const signalGroup = 4 // PIDFD_SIGNAL_PROCESS_GROUP

// killGrace is the time between TERM and KILL for a process group.
const killGrace = 2 * time.Second

// group is a command's process group. It is signalled through a descriptor of its leader: after the leader was
// reaped, its process ID could be reused for another group.
type group struct {
	cmd    *exec.Cmd
	pidfd  int // -1 if the kernel does not support it
	reaped atomic.Bool
}

// newGroup returns the group of a command that is about to start, and ends it as a whole when the command's context ends.
func newGroup(cmd *exec.Cmd) *group {
	g := &group{cmd: cmd, pidfd: -1}
	cmd.SysProcAttr.PidFD = &g.pidfd
	cmd.Cancel = g.terminate
	// A grandchild can keep the pipes open after its parent has ended.
	cmd.WaitDelay = killGrace + time.Second
	return g
}

// wait waits until the started command has entered its cell, if it is confined, and has ended. It returns its exit
// status.
func (g *group) wait(timed context.Context, entered func() error, confined bool) (int, error) {
	if failed := entered(); failed != nil {
		err := g.cmd.Wait()
		if timed.Err() != nil { // its end is why it did not enter
			return exitStatus(g.cmd, err), nil
		}
		return -1, failed
	}
	crash.Here(crash.ExecStarted)
	err := g.cmd.Wait()
	g.reaped.Store(true)
	// Kill processes that ignored TERM or outlived their parent. Reading commands leave nothing running.
	if timed.Err() != nil || confined {
		_ = g.signal(syscall.SIGKILL)
	}
	return exitStatus(g.cmd, err), nil
}

func (g *group) close() {
	if g.pidfd >= 0 {
		unix.Close(g.pidfd)
	}
}

// signal sends a signal to every process of the group.
func (g *group) signal(sig syscall.Signal) error {
	if g.pidfd >= 0 {
		err := unix.PidfdSendSignal(g.pidfd, sig, nil, signalGroup)
		if !errors.Is(err, unix.EINVAL) { // EINVAL: the kernel does not support groups
			return err
		}
	}
	return syscall.Kill(-g.cmd.Process.Pid, sig)
}

// terminate sends TERM to the group, and KILL after the grace time unless its leader was reaped.
func (g *group) terminate() error {
	err := g.signal(syscall.SIGTERM)
	time.AfterFunc(killGrace, func() {
		if !g.reaped.Load() {
			_ = g.signal(syscall.SIGKILL)
		}
	})
	return err
}
