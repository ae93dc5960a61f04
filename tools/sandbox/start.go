package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// Start holds what os/exec needs to start a command in a cell.
type Start struct {
	Path string
	Args []string
	Env  []string
	Attr *syscall.SysProcAttr
	// Child is the process's file descriptor 3. [Start.WaitEntered] closes it.
	Child *os.File

	spec       cell.Spec
	walls      string // the encoded specification without the private directory
	parent     *os.File
	tmpDir     string // directory to remove after the command
	connector  connector
	supervisor *supervisor
}

// makeSocketPair creates the socket pair between daemon and cell. The cell sends an error on it, if there is one,
// and the listener of its filter, if it has one.
func (st *Start) makeSocketPair() error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cannot create a socket pair: %w", err)
	}
	st.parent, st.Child = os.NewFile(uintptr(fds[0]), "cell"), os.NewFile(uintptr(fds[1]), "cell")
	return nil
}

// Send gives a started cell of [Sandbox.EnterFirst] its command, with the working directory. It returns false, without
// effect, for a command that is too long.
func (st *Start) Send(file string, argv, env []string, dir string) bool {
	data, err := json.Marshal(cell.Command{File: file, Argv: argv, Env: confinedEnv(env, st.spec), Dir: dir})
	if err != nil || len(data) > cell.MaxCommand {
		return false
	}
	_, _ = st.parent.Write(data) // a cell that has failed says why to WaitEntered
	return true
}

// WaitEntered waits until the started process has locked itself in and executed the command. It returns the error
// if that failed; the process then exits.
func (st *Start) WaitEntered() error {
	st.Child.Close()
	defer st.parent.Close()
	for {
		text, fd, err := receive(int(st.parent.Fd()))
		switch {
		case err != nil:
			return fmt.Errorf("cannot read from the sandbox: %w", err)
		case fd >= 0:
			st.supervisor = supervise(fd, st.connector)
		case text != "":
			return errors.New(text)
		default: // closed when the process executed the command
			return nil
		}
	}
}

// receive reads one message and its descriptor, or -1 if it has none. An empty message without one is the end.
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
		fd, err := receivedDescriptor(oob[:oobn])
		return "", fd, err
	}
}

// receivedDescriptor returns the descriptor in a control message.
func receivedDescriptor(oob []byte) (int, error) {
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

// Close releases the resources of the start. Call it after the command has ended, or if it was not started.
func (st *Start) Close() {
	st.Child.Close()
	st.parent.Close()
	if st.supervisor != nil {
		st.supervisor.close()
	}
	if st.tmpDir != "" {
		_ = os.RemoveAll(st.tmpDir)
	}
}
