package executor

import (
	"errors"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
