package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start is a command on its way into a cell: what to give os/exec.
type Start struct {
	Path string
	Args []string
	Env  []string
	Attr *syscall.SysProcAttr
	// Child is the process's file descriptor 3; it closes itself.
	Child *os.File

	parent *os.File
	remove string // directory that goes with the command
	deputy deputy
	notify *supervisor
}

// pair makes the line between the daemon and the cell: over it come an error,
// or nothing, and the listener of the filter where there is one.
func (st *Start) pair() error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cannot make a socket pair: %w", err)
	}
	st.parent, st.Child = os.NewFile(uintptr(fds[0]), "cell"), os.NewFile(uintptr(fds[1]), "cell")
	return nil
}

// Entered waits until the started process has locked itself in and become the
// command. It returns why it could not; the process then ends by itself.
func (st *Start) Entered() error {
	st.Child.Close()
	defer st.parent.Close()
	for {
		text, fd, err := receive(int(st.parent.Fd()))
		switch {
		case err != nil:
			return fmt.Errorf("cannot hear of the sandbox: %w", err)
		case fd >= 0:
			st.notify = supervise(fd, st.deputy)
		case text != "":
			return errors.New(text)
		default: // closed by its becoming the command
			return nil
		}
	}
}

// receive reads one message and the descriptor that came with it, or -1. An
// empty one is the end.
func receive(socket int) (string, int, error) {
	buf, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(socket, buf, oob, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || oobn == 0 {
			return string(buf[:max(n, 0)]), -1, err
		}
		fd, err := passed(oob[:oobn])
		return "", fd, err
	}
}

// passed returns the one descriptor of a control message.
func passed(oob []byte) (int, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return -1, err
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) == 1 {
			return fds[0], nil
		}
	}
	return -1, errors.New("unexpected control message")
}

// Close gives back what the start holds, after the command has ended or when
// it was not started.
func (st *Start) Close() {
	st.Child.Close()
	st.parent.Close()
	if st.notify != nil {
		st.notify.close()
	}
	if st.remove != "" {
		_ = os.RemoveAll(st.remove)
	}
}
