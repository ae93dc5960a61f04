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

// supervisor decides on what a cell without other walls would open for writing:
// /dev/null, which shells redirect to, and nothing else. It opens the file
// itself and hands it over, so that the path cannot change in between
// (seccomp_unotify(2), "Caveats regarding the use of CONTINUE").
type supervisor struct {
	fd   int
	stop *os.File // closing it ends the loop
	done sync.WaitGroup
}

// supervise serves a filter's listener until its last process has ended.
func supervise(fd int) *supervisor {
	s := &supervisor{fd: fd}
	r, w, err := os.Pipe()
	if err != nil { // no descriptors left: every open for writing fails
		unix.Close(fd)
		return nil
	}
	s.stop = w
	s.done.Go(func() {
		defer unix.Close(fd)
		defer r.Close()
		s.serve(int(r.Fd()))
	})
	return s
}

func (s *supervisor) close() {
	s.stop.Close()
	s.done.Wait()
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
			s.one()
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

// gift is struct seccomp_notif_addfd.
type gift struct {
	id         uint64
	flags      uint32
	fd         uint32
	newFd      uint32
	newFdFlags uint32
}

func (s *supervisor) one() {
	var n notification
	if s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
		return // it has died meanwhile
	}
	path, flags := n.args[1], n.args[2]
	if n.nr == cell.OldOpen {
		path, flags = n.args[0], n.args[1]
	}
	if s.isNull(n, uintptr(path)) && s.give(n, int(flags)) == nil {
		return
	}
	refuse := answer{id: n.id, err: -int32(unix.EROFS)}
	_ = s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&refuse))
}

const null = "/dev/null"

// isNull reports whether the process asks for /dev/null by that name.
func (s *supervisor) isNull(n notification, at uintptr) bool {
	mem, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return false
	}
	defer mem.Close()
	var text [len(null) + 1]byte
	if _, err := mem.ReadAt(text[:], int64(at)); err != nil {
		return false
	}
	// The number of a process may have gone to another one since.
	valid := s.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == nil
	return valid && string(text[:]) == null+"\x00"
}

// give opens /dev/null and answers with it.
func (s *supervisor) give(n notification, flags int) error {
	f, err := os.OpenFile(null, flags&unix.O_ACCMODE, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	g := gift{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, fd: uint32(f.Fd()), newFdFlags: uint32(flags & unix.O_CLOEXEC)}
	return s.ioctl(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&g))
}

func (s *supervisor) ioctl(request uint, arg unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), uintptr(request), uintptr(arg))
	if errno != 0 {
		return errno
	}
	return nil
}
