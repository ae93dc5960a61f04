package tools

import (
	"errors"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// signalGroup has pidfd_send_signal(2) reach the whole process group, Linux 6.9.
const signalGroup = 4 // PIDFD_SIGNAL_PROCESS_GROUP

// group is a command's process group. It is reached through a descriptor of
// its leader, which cannot come to mean somebody else's group the way a number
// can once the leader was reaped.
type group struct {
	cmd    *exec.Cmd
	pidfd  int // -1 where the kernel gives none
	reaped atomic.Bool
}

// newGroup has a command that is not started yet start in a group of its own.
func newGroup(cmd *exec.Cmd) *group {
	g := &group{cmd: cmd, pidfd: -1}
	cmd.SysProcAttr.PidFD = &g.pidfd
	return g
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
		if !errors.Is(err, unix.EINVAL) { // a kernel that does not know groups yet
			return err
		}
	}
	return syscall.Kill(-g.cmd.Process.Pid, sig)
}

// end asks the group to end and makes it, unless its leader was reaped
// meanwhile.
func (g *group) end() error {
	err := g.signal(syscall.SIGTERM)
	time.AfterFunc(grace, func() {
		if !g.reaped.Load() {
			_ = g.signal(syscall.SIGKILL)
		}
	})
	return err
}
