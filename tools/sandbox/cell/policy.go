package cell

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filter returns the filter of a cell.
func (sp Spec) filter() *filter {
	f := newFilter()
	f.deny(unix.EPERM, deniedCalls...)
	f.deny(unix.ENOSYS, unix.SYS_CLONE3) // its flags are behind a pointer; C libraries fall back to clone
	f.allowWithoutBits(unix.SYS_CLONE, 0, unix.CLONE_NEWUSER|unix.CLONE_NEWNS|unix.CLONE_NEWNET|unix.CLONE_NEWPID|
		unix.CLONE_NEWIPC|unix.CLONE_NEWUTS|unix.CLONE_NEWCGROUP, errorAction(unix.EPERM))
	sp.allowSockets(f)
	// Allow reading the kernel's log, but not consuming or clearing it (syslog(2)).
	f.allowOnly(unix.SYS_SYSLOG, 0, ^uint32(0), unix.EPERM, 0, 1, 3, 9, 10)
	restrictPriority(f)
	// Processes that stay in the process group end with the command.
	f.deny(unix.EPERM, unix.SYS_SETSID, unix.SYS_SETPGID)
	if sp.Landlock < ScopedLandlock || sp.Strict {
		denySignals(f)
	}
	if !sp.OwnIPC {
		restrictIPC(f)
	}
	if !sp.Namespaces {
		f.deny(unix.EPERM, metadataCalls...)
		if len(sp.Devices) == 0 {
			f.allowOnly(unix.SYS_IOCTL, 1, 0xffff, unix.EPERM, readingIoctls...)
		}
	} else {
		// Forbid typing into a terminal (ioctl_tty(2), ioctl_console(2)).
		f.denyValues(unix.SYS_IOCTL, 1, unix.EPERM, unix.TIOCSTI, tioclinux)
	}
	if sp.Strict {
		f.deny(unix.EROFS, changingCalls...)
		f.deny(unix.ENOSYS, unix.SYS_OPENAT2) // its flags are behind a pointer; programs do not need it
		f.allowWithoutBits(unix.SYS_OPENAT, 2, writeFlags, unix.SECCOMP_RET_USER_NOTIF)
		filterOldOpen(f)
	}
	return f
}

// allowSockets allows the sockets that a cell needs. Unix datagram sockets are never allowed: they reach every
// service's path with sendto or sendmsg, whose address no filter sees. The daemon makes the connections to
// services, because it can read the address once and knows which services the command needs.
func (sp Spec) allowSockets(f *filter) {
	var families []family
	if sp.Net > NoNet || sp.usesServices() {
		families = append(families, family{number: unix.AF_NETLINK, protocols: netlinks, action: unix.SECCOMP_RET_ALLOW})
	}
	if sp.usesServices() {
		families = append(families, family{number: unix.AF_UNIX, kind: unix.SOCK_STREAM, action: unix.SECCOMP_RET_ALLOW})
		f.addRule(unix.SYS_CONNECT, result(unix.SECCOMP_RET_USER_NOTIF))
	} else if sp.Net < Reach {
		f.deny(unix.EACCES, unix.SYS_CONNECT)
	}
	internet := []uint32{unix.AF_INET, unix.AF_INET6}
	switch sp.Net {
	case NoNet, View:
		internet = nil
	case Ioctl:
		for _, n := range internet {
			families = append(families, family{number: n, kind: unix.SOCK_DGRAM, protocols: []uint32{0, unix.IPPROTO_UDP}, action: unix.SECCOMP_RET_USER_NOTIF})
		}
	case Reach:
		for _, n := range internet {
			families = append(families, family{number: n, action: unix.SECCOMP_RET_ALLOW})
		}
	}
	f.allowSockets(unix.SYS_SOCKET, families...)
	sp.allowSocketPairs(f)
	sp.allowBind(f)
}

// allowSocketPairs allows stream socket pairs, whose ends stay connected to each other (unix(7)). A strict cell gets
// none, because a socket could be bound to a file name and only the filter protects its files.
func (sp Spec) allowSocketPairs(f *filter) {
	if sp.Strict {
		f.deny(unix.EACCES, unix.SYS_SOCKETPAIR)
		return
	}
	f.allowSockets(unix.SYS_SOCKETPAIR, family{number: unix.AF_UNIX, kind: unix.SOCK_STREAM, action: unix.SECCOMP_RET_ALLOW})
}

// allowBind allows binding netlink sockets (struct sockaddr_nl has 12 bytes), and other sockets only in cells with
// network access. No socket can listen.
func (sp Spec) allowBind(f *filter) {
	f.deny(unix.EACCES, unix.SYS_LISTEN)
	switch {
	case sp.Net == Reach:
	case sp.Net > NoNet || sp.usesServices():
		f.allowOnly(unix.SYS_BIND, 2, ^uint32(0), unix.EACCES, unix.SizeofSockaddrNetlink)
	default:
		f.deny(unix.EACCES, unix.SYS_BIND)
	}
}

// netlinks are the netlink families with information about the machine: routes, sockets, IPsec, the packet
// filter, devices, and the generic one (netlink(7)).
var netlinks = []uint32{
	unix.NETLINK_ROUTE, unix.NETLINK_SOCK_DIAG, unix.NETLINK_XFRM, unix.NETLINK_NETFILTER, unix.NETLINK_KOBJECT_UEVENT, unix.NETLINK_GENERIC,
}

// deniedCalls are calls that no reading command makes: changing mounts, namespaces, the kernel, the clock, keys or
// other processes' memory, and io_uring, whose operations no filter sees.
var deniedCalls = []uintptr{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS,
	unix.SYS_UNSHARE, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_SETHOSTNAME,
	unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT, unix.SYS_FANOTIFY_INIT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_VHANGUP, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// restrictPriority lets a command change only its own priority and limits (nice, ionice, taskset, ulimit).
func restrictPriority(f *filter) {
	f.allowZero(unix.SYS_SETPRIORITY, 0, 1)
	f.allowZero(unix.SYS_IOPRIO_SET, 1)
	for _, n := range []uintptr{
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	} {
		f.allowZero(n, 0)
	}
	f.allowOwnLimits()
}

// denySignals forbids all signals, for cells without a Landlock scope.
func denySignals(f *filter) {
	f.deny(unix.EPERM, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO,
		unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_SEND_SIGNAL)
	f.denyValues(unix.SYS_FCNTL, 1, unix.EPERM, unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG)
}

// metadataCalls are the changes to files for which Landlock has no right (landlock(7), "Limitations").
var metadataCalls = append(oldMetadataCalls,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_SETXATTR,
	unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_UTIMENSAT, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
)

// restrictIPC lets a command list System V and POSIX queues, segments and semaphores, but not use them.
func restrictIPC(f *filter) {
	f.deny(unix.EPERM, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_SEMGET, unix.SYS_SEMOP,
		unix.SYS_SEMTIMEDOP, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK)
	// The STAT and INFO commands of msgctl(2), shmctl(2) and semctl(2).
	f.allowOnly(unix.SYS_MSGCTL, 1, ^uint32(0), unix.EPERM, 2, 3, 11, 12, 13)
	f.allowOnly(unix.SYS_SHMCTL, 1, ^uint32(0), unix.EPERM, 2, 3, 13, 14, 15)
	f.allowOnly(unix.SYS_SEMCTL, 2, ^uint32(0), unix.EPERM, 2, 3, 18, 19, 20)
}

// readingIoctls are the ioctls that only read, by their low 16 bits, which are the kind and number (ioctl_tty(2),
// netdevice(7), linux/fs.h, linux/btrfs.h).
var readingIoctls = []uint32{
	0x5401, 0x542a, 0x5413, 0x540f, 0x5429, 0x541b, 0x5421, 0x5451, 0x5450, // TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP, TIOCGSID, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX
	0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8942, 0x8970, // SIOCGIF*
	0x6601, 0x660b, 0x581f, 0x7601, 0x1272, 0x1268, 0x1260, 0x127b, 0x127e, 0x125e, // GETFLAGS, FIEMAP, FSGETXATTR, GETVERSION, BLKGETSIZE64, BLKSSZGET, BLKGETSIZE, BLKPBSZGET, BLKROTATIONAL, BLKROGET
	0x9411, 0x9412, 0x9414, 0x9419, 0x941d, 0x941e, 0x941f, 0x9422, 0x9434, 0x9439, 0x943c, 0x943d, 0x943e, // btrfs: TREE_SEARCH … GET_SUBVOL_ROOTREF, INO_LOOKUP_USER
}

// tioclinux is the console's ioctl, which can also paste text.
const tioclinux = 0x541c

// changingCalls are the calls that change a file by its name.
var changingCalls = append(oldChangingCalls,
	unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
	unix.SYS_MKNODAT, unix.SYS_TRUNCATE,
)

// installFilter applies the specification's filter to the thread.
func (sp Spec) installFilter() error {
	code, err := sp.filter().assemble()
	if err != nil {
		return fmt.Errorf("cannot make the system call filter: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: (*unix.SockFilter)(unsafe.Pointer(&code[0]))}
	var fd uintptr
	var errno unix.Errno
	for _, flags := range sp.filterFlags() {
		fd, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
		if errno != unix.EINVAL {
			break
		}
	}
	runtime.KeepAlive(code)
	if errno != 0 {
		return fmt.Errorf("cannot install the system call filter: %w", errno)
	}
	if sp.Supervised() {
		return sendListener(int(fd))
	}
	return nil
}
