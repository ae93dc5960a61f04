package sandbox

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// supervisor answers the system calls of a confined process that its filter passes to the daemon: opening
// /dev/null for writing where only the filter confines it, connecting to a service, and creating a socket to
// query interfaces. It performs the call itself, so that the process cannot change a path or an address after
// the check (seccomp_unotify(2), "Caveats regarding the use of CONTINUE").
type supervisor struct {
	fd        int
	connector connector
	stop      *os.File // closing it ends the loop
	loop      sync.WaitGroup
	calls     sync.WaitGroup // pending connections
}

// supervise serves a filter's listener until the last process of the filter has ended.
func supervise(fd int, d connector) *supervisor {
	s := &supervisor{fd: fd, connector: d}
	r, w, err := os.Pipe()
	if err != nil { // no descriptors left: every supervised call fails
		unix.Close(fd)
		return nil
	}
	s.stop = w
	s.loop.Go(func() {
		defer r.Close()
		s.serve(int(r.Fd()))
		go func() { // a connection can still wait for its service, up to connectLimit
			s.calls.Wait()
			unix.Close(fd)
		}()
	})
	return s
}

func (s *supervisor) close() {
	s.stop.Close()
	s.loop.Wait()
}

func (s *supervisor) serve(stop int) {
	for {
		fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(stop)}}
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || fds[1].Revents != 0 || fds[0].Revents&unix.POLLIN == 0:
			return
		default:
			s.handleNotification()
		}
	}
}

// notification is struct seccomp_notif (linux/seccomp.h).
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// addedDescriptor is struct seccomp_notif_addfd.
type addedDescriptor struct {
	id         uint64
	flags      uint32
	fd         uint32
	newFd      uint32
	newFdFlags uint32
}

func (s *supervisor) handleNotification() {
	var n notification
	if s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
		return // the process has died
	}
	switch n.nr {
	case unix.SYS_CONNECT:
		s.calls.Go(func() { s.answer(n, s.connect(n)) })
	case unix.SYS_SOCKET:
		if err := s.answerSocket(n); err != nil {
			s.answer(n, err)
		}
	default:
		s.answerOpen(n)
	}
}

// answer ends a call with an error, or with success if err is nil.
func (s *supervisor) answer(n notification, err error) {
	a := answer{id: n.id}
	var errno unix.Errno
	switch {
	case errors.As(err, &errno):
		a.err = -int32(errno)
	case err != nil:
		a.err = -int32(unix.EACCES)
	}
	_ = s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
}

// isValid reports whether the process still waits for the answer: its ID can have been reused.
func (s *supervisor) isValid(n notification) bool {
	return s.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == nil
}

// answerOpen answers an open for writing with /dev/null if that is the path, and with an error otherwise.
func (s *supervisor) answerOpen(n notification) {
	path, flags := n.args[1], n.args[2]
	if n.nr == cell.OldOpen {
		path, flags = n.args[0], n.args[1]
	}
	if !s.isNull(n, path) || s.answerNull(n, int(flags)) != nil {
		s.answer(n, unix.EROFS)
	}
}

// connect makes the connection that a process requests, if it is allowed.
func (s *supervisor) connect(n notification) error {
	size := n.args[2]
	if size > maxAddress {
		return unix.EINVAL
	}
	raw := make([]byte, size)
	if err := readMemory(n, n.args[1], raw); err != nil {
		return unix.EFAULT
	}
	socket, err := copyDescriptor(int(n.pid), int(int32(n.args[0])))
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	if !s.isValid(n) {
		return unix.ESRCH
	}
	return s.connector.connect(socket, raw)
}

// answerSocket gives a process an internet socket that can only query interfaces.
func (s *supervisor) answerSocket(n notification) error {
	fd, err := newMuteSocket(int(int32(n.args[0])), int(int32(n.args[1])))
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return s.answerDescriptor(n, fd, int(n.args[1])&unix.SOCK_CLOEXEC)
}

const null = "/dev/null"

// isNull reports whether the path at address at is exactly /dev/null.
func (s *supervisor) isNull(n notification, at uint64) bool {
	var text [len(null) + 1]byte
	err := readMemory(n, at, text[:])
	return err == nil && s.isValid(n) && string(text[:]) == null+"\x00"
}

// readMemory fills data from the process's memory at an address. The data can be another process's unless the
// notification is valid afterwards.
func readMemory(n notification, at uint64, data []byte) error {
	mem, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = mem.ReadAt(data, int64(at))
	return err
}

// answerNull opens /dev/null and answers with it.
func (s *supervisor) answerNull(n notification, flags int) error {
	f, err := os.OpenFile(null, flags&unix.O_ACCMODE, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.answerDescriptor(n, int(f.Fd()), flags&unix.O_CLOEXEC)
}

// answerDescriptor answers with a copy of one of this process's descriptors.
func (s *supervisor) answerDescriptor(n notification, fd, flags int) error {
	g := addedDescriptor{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, fd: uint32(fd), newFdFlags: uint32(flags)}
	return s.ioctl(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&g))
}

func (s *supervisor) ioctl(request uint, arg unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), uintptr(request), uintptr(arg))
	if errno != 0 {
		return errno
	}
	return nil
}
