package cell

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Held is what a cell says that nothing got out of.
const Held = "held"

// Attempt is what a cell tries instead of a command: everything it must not be
// able to do, and the little it must.
type Attempt struct {
	Dir      string `json:"dir"`      // ours to write, outside the cell
	Socket   string `json:"socket"`   // a service listens here
	Abstract string `json:"abstract"` // and here, without a file
	Port     int    `json:"port"`     // and here, on this machine
	PID      int    `json:"pid"`      // of the daemon
}

// report tries everything and tells the daemon. It does not return.
func (sp Spec) report() error {
	var wrong []string
	for _, t := range sp.tries() {
		if err := t.try(); err == nil != t.must {
			what := t.name + " works"
			if t.must {
				what = fmt.Sprintf("%s fails: %v", t.name, err)
			}
			wrong = append(wrong, what)
		}
	}
	text := Held
	if len(wrong) > 0 {
		text = strings.Join(wrong, ", ")
	}
	_, _ = unix.Write(Line, []byte(text))
	unix.Exit(0)
	return nil
}

// trial is one thing to try, and whether it must work.
type trial struct {
	name string
	must bool
	try  func() error
}

func (sp Spec) tries() []trial {
	a := sp.Attempt
	file := filepath.Join(a.Dir, "file")
	list := []trial{
		{"reading", true, func() error { _, err := os.ReadFile("/proc/self/status"); return err }},
		{"writing to /dev/null", true, func() error { return os.WriteFile("/dev/null", nil, 0) }},
		{"making a file", false, func() error { return os.WriteFile(filepath.Join(a.Dir, "new"), nil, 0o600) }},
		{"truncating a file", false, func() error { return os.Truncate(file, 0) }},
		{"overwriting a file", false, func() error { return os.WriteFile(file, []byte("else"), 0o600) }},
		{"changing a mode", false, func() error { return os.Chmod(file, 0o644) }},
		{"changing a time", false, func() error { return os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)) }},
		{"removing a file", false, func() error { return os.Remove(file) }},
		{"renaming a file", false, func() error { return os.Rename(file, file+"2") }},
		{"linking a file", false, func() error { return os.Link(file, file+"3") }},
		{"making a directory", false, func() error { return os.Mkdir(filepath.Join(a.Dir, "d"), 0o700) }},
		{"changing attributes", false, func() error { return setFlags(a.Dir) }},
		{"mounting", false, func() error { return unix.Mount("tmpfs", sp.Tmp, "tmpfs", 0, "") }},
		{"a new user namespace", false, func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"signalling the daemon", false, func() error { return unix.Kill(a.PID, 0) }},
		{"tracing the daemon", false, func() error { return unix.PtraceSeize(a.PID) }},
		{"writing to the daemon's memory", false, func() error { return openMemory(a.PID) }},
		{"an io_uring", false, ioUring},
		{"an abstract socket", false, func() error { return dial("unix", a.Abstract) }},
	}
	if !sp.Strict {
		list = append(list, trial{"the temporary directory", true, func() error {
			return os.WriteFile(filepath.Join(sp.Tmp, "x"), nil, 0o600)
		}})
	}
	if sp.Private {
		list = append(list, trial{"a queue of its own", true, ownQueue})
	}
	// Without a mount namespace nothing hides the sockets from those that need some.
	if sp.Parted || !sp.talks() {
		list = append(list, trial{"a service's socket", false, func() error { return dialIn(a.Socket) }})
	}
	if sp.Net < Reach {
		list = append(list, trial{"a connection", false, func() error { return dial("tcp", "127.0.0.1:"+strconv.Itoa(a.Port)) }})
	}
	return list
}

// ownQueue makes a message queue, which ends with the cell's namespace.
func ownQueue() error {
	_, _, errno := unix.Syscall(unix.SYS_MSGGET, 0, 0o600|unix.IPC_CREAT, 0) // IPC_PRIVATE
	if errno != 0 {
		return errno
	}
	return nil
}

// dialIn connects to a socket whose path may be longer than an address takes.
func dialIn(path string) error {
	dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return dial("unix", "/proc/self/fd/"+strconv.Itoa(dir)+"/"+filepath.Base(path))
}

// dial uses plain system calls: the net package's poller is not needed here.
func dial(network, address string) error {
	domain, to := unix.AF_UNIX, unix.Sockaddr(&unix.SockaddrUnix{Name: address})
	if network == "tcp" {
		_, port, _ := strings.Cut(address, ":")
		n, err := strconv.Atoi(port)
		if err != nil {
			return err
		}
		domain, to = unix.AF_INET, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}}
	}
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

// setFlags sets a directory's attributes to what they are.
func setFlags(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err // this file system has none to change
	}
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags)
}

func openMemory(pid int) error {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/mem", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func ioUring() error {
	var params [120]byte // struct io_uring_params
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}
