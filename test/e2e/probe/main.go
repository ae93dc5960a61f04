// Probe tries what a directive of the daemon's unit forbids, to test that the directive is effective.
//
//	probe DIRECTIVE
//
// exits with 0 if the forbidden action works, with 1 and the reason if it does not, with 77 if this machine
// does not support it.
//
//	probe bridge CHANNEL
//
// runs in a messenger bridge's unit, or in the gateway's, and exits with 0 if all that it needs works and nothing else
// does.
//
//	probe rpc ADDRESS TOKEN TEXT
//
// sends a message over the gateway and prints the answer.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probes maps directives (systemd.exec(5)) to what they forbid.
var probes = map[string]func() error{
	"NoNewPrivileges":         newPrivileges,
	"LockPersonality":         personality,
	"RestrictRealtime":        realtime,
	"RestrictSUIDSGID":        setID,
	"RestrictNamespaces":      func() error { return inNamespaces(unix.CLONE_NEWUSER | unix.CLONE_NEWUTS) },
	"RestrictAddressFamilies": otherFamilies,
	"SystemCallArchitectures": foreignCode,
	"SystemCallFilter":        trace,
	"UMask":                   openToOthers,
	"LimitCORE":               core,
	// Needed by the sandbox of read-only commands; must stay allowed.
	"sandbox": func() error {
		return inNamespaces(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWNET)
	},
	// Would have to be forbidden to protect files; see docs/security.md.
	"write": func() error { return os.WriteFile("/var/tmp/blunux-ai-probe", nil, 0o600) },
}

var errAbsent = errors.New("not on this machine")

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bridge" {
		runtime.LockOSThread()
		if !probeBridge(os.Args[2]) {
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 5 && os.Args[1] == "rpc" {
		answer, err := ask(os.Args[2], os.Args[3], os.Args[4])
		if err != nil {
			fmt.Fprintln(os.Stderr, "probe:", err)
			os.Exit(1)
		}
		fmt.Println(answer)
		return
	}
	try, ok := probes[os.Args[len(os.Args)-1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "probe: no such directive")
		os.Exit(2)
	}
	runtime.LockOSThread()
	switch err := try(); {
	case errors.Is(err, errAbsent):
		os.Exit(77)
	case err != nil:
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

// newPrivileges makes chage, which is set-user-ID or set-group-ID, read a file of root.
func newPrivileges() error {
	out, err := exec.Command("chage", "--list", os.Getenv("USER")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func personality() error {
	const noRandomize = 0x0040000 // personality(2), ADDR_NO_RANDOMIZE
	_, _, errno := unix.Syscall(unix.SYS_PERSONALITY, noRandomize, 0, 0)
	return failed(errno)
}

// realtime requests real-time priority for a process that does not exist. If it is not forbidden, the kernel
// fails to find the process. (A real success requires RLIMIT_RTPRIO above 0, as audio users have.)
func realtime() error {
	const nobody, fifo = 1<<31 - 1, 1
	priority := uint32(1)
	_, _, errno := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, nobody, fifo, uintptr(unsafe.Pointer(&priority)))
	if errno == unix.ESRCH {
		return nil
	}
	return failed(errno)
}

func setID() error {
	return inTemporary(func(dir string) error {
		path := filepath.Join(dir, "program")
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			return err
		}
		return unix.Chmod(path, 0o4755)
	})
}

func inNamespaces(flags uintptr) error {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return cmd.Run()
}

// otherFamilies opens a socket of a family that the daemon does not use.
func otherFamilies() error {
	var errs []error
	for family := unix.AF_UNSPEC + 1; family < unix.AF_MAX; family++ {
		switch family {
		case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK:
			continue
		}
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_SEQPACKET, unix.SOCK_RAW} {
			fd, err := unix.Socket(family, kind, 0)
			if err == nil {
				return unix.Close(fd)
			}
			errs = append(errs, err)
		}
	}
	return errs[0]
}

// foreignCode runs a 32-bit program that only calls exit(0).
func foreignCode() error {
	if runtime.GOARCH != "amd64" {
		return errAbsent
	}
	return inTemporary(func(dir string) error {
		path := filepath.Join(dir, "i386")
		if err := os.WriteFile(path, tiny386(), 0o700); err != nil {
			return err
		}
		err := exec.Command(path).Run()
		if errors.Is(err, unix.ENOEXEC) {
			return errAbsent
		}
		return err
	})
}

// tiny386 returns an ELF file (elf(5)): header, one program header, three instructions.
func tiny386() []byte {
	code := "\x31\xdb\xb8\x01\x00\x00\x00\xcd\x80" // xor ebx,ebx; mov eax,1; int 0x80
	const header = "\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x02\x00\x03\x00\x01\x00\x00\x00\x54\x80\x04\x08\x34\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x34\x00\x20\x00\x01\x00\x00\x00\x00\x00\x00\x00"
	const segment = "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x80\x04\x08\x00\x80\x04\x08" +
		"\x5d\x00\x00\x00\x5d\x00\x00\x00\x05\x00\x00\x00\x00\x10\x00\x00"
	return []byte(header + segment + code)
}

// trace calls ptrace(PTRACE_TRACEME), which no service of the daemon's kind needs.
func trace() error {
	_, _, errno := unix.Syscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0)
	return failed(errno)
}

func openToOthers() error {
	return inTemporary(func(dir string) error {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			return err
		}
		fi, err := os.Stat(path)
		if err == nil && fi.Mode().Perm()&0o077 == 0 {
			err = errors.New("closed to others")
		}
		return err
	})
}

// core raises the limit of core files, which could contain keys.
func core() error {
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20})
}

func inTemporary(do func(dir string) error) error {
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}

func failed(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
