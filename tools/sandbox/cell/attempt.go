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

// NoEscape is the report of a cell in which every attempt to escape failed.
const NoEscape = "held"

// EscapeTest makes a cell run a test instead of a command: it tries everything that it must not be able to do, and
// the little that it must.
type EscapeTest struct {
	Dir      string `json:"dir"`               // writable for this user, outside the cell
	Socket   string `json:"socket"`            // socket file with a listening service
	Datagram string `json:"datagram"`          // datagram socket file
	Abstract string `json:"abstract"`          // abstract socket with a listening service
	Port     int    `json:"port"`              // listening TCP port on this machine
	PID      int    `json:"pid"`               // of the daemon
	Service  string `json:"service,omitempty"` // socket of a service that the cell is allowed to use, or ""
}

// report runs all trials and sends the result to the daemon. It does not return.
func (sp Spec) report() error {
	var wrong []string
	for _, t := range sp.trials() {
		if err := t.try(); err == nil != t.must {
			what := t.name + " works"
			if t.must {
				what = fmt.Sprintf("%s fails: %v", t.name, err)
			}
			wrong = append(wrong, what)
		}
	}
	text := NoEscape
	if len(wrong) > 0 {
		text = strings.Join(wrong, ", ")
	}
	_, _ = unix.Write(SocketFD, []byte(text))
	unix.Exit(0)
	return nil
}

// trial is one action to try, and whether it must succeed.
type trial struct {
	name string
	must bool
	try  func() error
}

func (sp Spec) trials() []trial {
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
		{"an io_uring", false, setUpIOUring},
		{"an abstract socket", false, func() error { return dial("unix", a.Abstract) }},
		{"a service's socket", false, func() error { return dialPath(a.Socket) }},
		{"a core file", false, raiseCoreLimit},
	}
	if !sp.Strict {
		list = append(list, trial{"the temporary directory", true, func() error {
			return os.WriteFile(filepath.Join(sp.Tmp, "x"), nil, 0o600)
		}})
	}
	if sp.OwnIPC {
		list = append(list, trial{"a queue of its own", true, createQueue})
	}
	if a.Service != "" && sp.usesServices() { // it is in sp.Sockets
		list = append(list, trial{"a service that it needs", true, func() error { return dial("unix", a.Service) }})
	}
	if sp.Net == Ioctl {
		list = append(list, trial{"asking for interfaces", true, queryInterfaces})
	}
	if sp.Net < Reach {
		list = append(list,
			trial{"a connection", false, func() error { return dial("tcp", "127.0.0.1:"+strconv.Itoa(a.Port)) }},
			trial{"a datagram to a host", false, func() error { return sendHost(a.Port) }})
	}
	return append(list, sp.socketTrials()...)
}

// socketTrials are the trials that reach a service or a file over sockets.
func (sp Spec) socketTrials() []trial {
	a := sp.Attempt
	bound := filepath.Join(a.Dir, "bound")
	list := []trial{
		{"a socket pair for datagrams", false, func() error { return usePair(unix.SOCK_DGRAM, sendTo(a.Datagram)) }},
		{"a datagram by a stream's pair", false, func() error { return usePair(unix.SOCK_STREAM, sendTo(a.Datagram)) }},
		{"a datagram socket", false, func() error { return useSocket(unix.AF_UNIX, unix.SOCK_DGRAM, sendTo(a.Datagram)) }},
		{"a socket's file by a pair", false, func() error { return usePair(unix.SOCK_STREAM, bindTo(bound)) }},
		{"a socket's file", false, func() error { return useSocket(unix.AF_UNIX, unix.SOCK_STREAM, bindTo(bound)) }},
		{"listening", false, func() error { return usePair(unix.SOCK_STREAM, func(fd int) error { return unix.Listen(fd, 1) }) }},
	}
	if sp.usesServices() {
		list = append(list, trial{"a stream socket", true, func() error {
			return useSocket(unix.AF_UNIX, unix.SOCK_STREAM, func(int) error { return nil })
		}})
	}
	return list
}

// useSocket creates a socket and calls use with it.
func useSocket(domain, kind int, use func(fd int) error) error {
	fd, err := unix.Socket(domain, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use(fd)
}

// usePair creates a socket pair and calls use with one end.
func usePair(kind int, use func(fd int) error) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	return use(fds[0])
}

// sendTo sends a datagram to a path with sendto and sendmsg.
func sendTo(path string) func(fd int) error {
	return func(fd int) error {
		return withShortPath(path, func(address string) error {
			to := &unix.SockaddrUnix{Name: address}
			if unix.Sendto(fd, []byte("x"), 0, to) == nil {
				return nil
			}
			return unix.Sendmsg(fd, []byte("x"), nil, to, 0)
		})
	}
}

// bindTo binds a socket to a path.
func bindTo(path string) func(fd int) error {
	return func(fd int) error {
		return withShortPath(path, func(address string) error { return unix.Bind(fd, &unix.SockaddrUnix{Name: address}) })
	}
}

// sendHost sends a datagram to this machine with sendto, sendmsg and connect.
func sendHost(port int) error {
	to := &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	return useSocket(unix.AF_INET, unix.SOCK_DGRAM, func(fd int) error {
		switch {
		case unix.Sendto(fd, []byte("x"), 0, to) == nil, unix.Sendmsg(fd, []byte("x"), nil, to, 0) == nil:
			return nil
		}
		if err := unix.Connect(fd, to); err != nil {
			return err
		}
		_, err := unix.Write(fd, []byte("x"))
		return err
	})
}

// queryInterfaces queries the flags of the loopback interface.
func queryInterfaces() error {
	return useSocket(unix.AF_INET, unix.SOCK_DGRAM, func(fd int) error {
		req, err := unix.NewIfreq("lo")
		if err != nil {
			return err
		}
		return unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req)
	})
}

// raiseCoreLimit tries to raise this process's limit of core files.
func raiseCoreLimit() error {
	want := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &want)
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: coreLimit})
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &have); err != nil {
		return err
	}
	if have.Max > coreLimit || have.Cur != have.Max {
		return nil
	}
	return unix.EPERM
}

// createQueue creates a message queue, which ends with the cell's namespace.
func createQueue() error {
	_, _, errno := unix.Syscall(unix.SYS_MSGGET, 0, 0o600|unix.IPC_CREAT, 0) // IPC_PRIVATE
	if errno != 0 {
		return errno
	}
	return nil
}

// withShortPath calls do with a short address for a path that can be too long for a socket address.
func withShortPath(path string, do func(address string) error) error {
	dir, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return do("/proc/self/fd/" + strconv.Itoa(dir) + "/" + filepath.Base(path))
}

// dialPath connects to a socket by its path, or by a shorter path to it.
func dialPath(path string) error {
	if err := dial("unix", path); err == nil {
		return nil
	}
	return withShortPath(path, func(address string) error { return dial("unix", address) })
}

// dial uses plain system calls, because the net package's poller is not needed here.
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

// setFlags sets a directory's attributes to their current values.
func setFlags(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err // this file system has no attributes
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

func setUpIOUring() error {
	var params [120]byte // struct io_uring_params
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}
