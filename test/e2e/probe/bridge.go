package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// attempt is an action that a bridge's unit forbids or must allow.
type attempt struct {
	name string
	may  bool
	try  func() error
}

// probeBridge tries, in a bridge's unit, what an attacker in the bridge would try and what the bridge needs. It
// prints each result, and returns whether all were as expected.
func probeBridge(channel string) bool {
	systemd.Notifier{}.Ready("trying")
	defer systemd.Notifier{}.Stopping()
	good := true
	for _, a := range slices.Concat(bridgeNeeds(channel), foreignFiles(channel), foreignSockets(channel), forbiddenActions()) {
		err := a.try()
		word := "as it should be"
		if (err == nil) != a.may {
			good, word = false, "NOT AS IT SHOULD BE"
		}
		fmt.Printf("%s: %s: %v\n", word, a.name, err)
	}
	return good
}

// paths returns the bridge's paths, determined as the bridge does.
func paths(channel string) (home, runtimeDir, own, socket, bell string) {
	home, runtimeDir = os.Getenv("HOME"), os.Getenv("XDG_RUNTIME_DIR")
	main := filepath.Join(runtimeDir, "blunux-ai.sock")
	return home, runtimeDir, filepath.Join(home, ".config/blunux-ai", channel), ipc.BridgeSocket(main, channel), ipc.WakeSocketPath(main, channel)
}

// bridgeNeeds lists what a bridge must be able to do.
func bridgeNeeds(channel string) []attempt {
	_, _, own, socket, bell := paths(channel)
	network := channel != ipc.GatewayChannel // its socket is the service manager's
	needs := []attempt{
		{"keep a file of its own", true, func() error { return keepFile(own) }},
		{"lock its directory", true, func() error {
			f, err := os.OpenFile(filepath.Join(own, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			return disk.TryLock(f, disk.Exclusive)
		}},
		{"map a file into its memory", true, func() error { return mapFile(filepath.Join(own, "mapped")) }},
		{"connect to the daemon", true, func() error { return reach("unix", socket) }},
		{"listen to the bell", true, func() error {
			_ = os.Remove(bell)
			c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: bell, Net: "unixgram"})
			if err != nil {
				return err
			}
			defer os.Remove(bell)
			return c.Close()
		}},
		{"talk over the network", network, connectLoopback},
		{"see the network's interfaces", network, func() error { _, err := net.Interfaces(); return err }},
		{"read whom to trust", true, func() error { _, err := os.ReadDir("/etc/ssl"); return err }},
		{"keep a temporary file", true, func() error { return os.WriteFile("/tmp/blunux-ai-probe-tmp", nil, 0o600) }},
	}
	if network {
		needs = append(
			needs,
			attempt{"look a name up", true, func() error { _, err := net.LookupHost("localhost"); return err }},
			attempt{"read which name servers there are", true, func() error { return readable("/etc/resolv.conf") }},
		)
	}
	return needs
}

func keepFile(dir string) error {
	path := filepath.Join(dir, "probe")
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("kept\n")
	if err = errors.Join(err, f.Sync(), f.Close(), os.Rename(path+".new", path)); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(dir, "inbox"), 0o700)
}

// mapFile maps a file for writing, like SQLite's shared memory.
func mapFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return err
	}
	page, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	page[0] = 1
	return unix.Munmap(page)
}

func connectLoopback() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	return reach("tcp", l.Addr().String())
}

func reach(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	return c.Close()
}

func readable(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// foreignFiles lists files that a bridge must not access.
func foreignFiles(channel string) []attempt {
	home, _, own, _, _ := paths(channel)
	all := filepath.Dir(own)
	var list []attempt
	for _, path := range []string{
		filepath.Join(all, "credentials/anthropic"), filepath.Join(all, "config.toml"), filepath.Join(all, "conf.d/50-setup.toml"),
		filepath.Join(all, "sessions/probe"), filepath.Join(all, "logs/probe"), filepath.Join(all, "memory/USER.md"),
		filepath.Join(home, ".ssh/id_ed25519"), filepath.Join(home, "document"), "/var/tmp/blunux-ai-probe-outside", "/tmp/blunux-ai-probe-outside",
		filepath.Join(all, otherChannel(channel), "token"), "/etc/shadow",
	} {
		list = append(list, attempt{"read " + path, false, func() error { return readable(path) }})
	}
	for _, dir := range []string{home, all, filepath.Join(home, ".config"), "/var", "/usr", "/etc", "/run", "/home", "/srv", "/mnt", "/opt", "/"} {
		list = append(list, attempt{"write into " + dir, false, func() error {
			file := filepath.Join(dir, "blunux-ai-probe")
			defer os.Remove(file)
			return os.WriteFile(file, nil, 0o600)
		}})
	}
	return append(
		list,
		attempt{"find something of the person's beside its directory", false, func() error { return findStranger(home, all, own) }},
		attempt{"read another process's environment", false, func() error { return readOtherProcess("environ") }},
		attempt{"go through another process's root", false, func() error { return readOtherProcess("root/etc/hostname") }},
		attempt{"read another process's memory", false, func() error { return readOtherProcess("mem") }},
		attempt{"see the kernel's settings changed", false, func() error {
			return os.WriteFile("/proc/sys/kernel/core_pattern", nil, 0o600)
		}},
	)
}

func otherChannel(channel string) string {
	if channel == "telegram" {
		return "whatsapp"
	}
	return "telegram"
}

// findStranger looks for anything in the home except the path to the bridge's directory.
func findStranger(home, all, own string) error {
	for _, d := range []struct{ dir, only string }{{home, ".config"}, {filepath.Dir(all), filepath.Base(all)}, {all, filepath.Base(own)}} {
		entries, err := os.ReadDir(d.dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() != d.only {
				return nil // something is visible
			}
		}
	}
	return fs.ErrNotExist
}

// readOtherProcess reads a file of any other process in /proc.
func readOtherProcess(name string) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	pids := []string{"1", strconv.Itoa(os.Getppid())}
	for _, e := range entries {
		pids = append(pids, e.Name())
	}
	err = fs.ErrNotExist
	for _, pid := range pids {
		if n, wrong := strconv.Atoi(pid); wrong != nil || n == os.Getpid() {
			continue
		}
		f, failed := os.Open(filepath.Join("/proc", pid, name))
		if failed == nil {
			_, failed = f.Read(make([]byte, 1))
			f.Close()
		}
		if failed == nil {
			return nil
		}
		err = failed
	}
	return err
}

// foreignSockets lists sockets of other programs.
func foreignSockets(channel string) []attempt {
	_, dir, _, _, _ := paths(channel)
	main := filepath.Join(dir, "blunux-ai.sock")
	var list []attempt
	for name, path := range map[string]string{
		"the daemon as anybody": main, "the daemon as another messenger's bridge": ipc.BridgeSocket(main, otherChannel(channel)),
		"the session bus": filepath.Join(dir, "bus"), "the service manager": filepath.Join(dir, "systemd/private"),
		"the system bus": "/run/dbus/system_bus_socket", "the journal": "/run/systemd/journal/stdout",
	} {
		list = append(list, attempt{"connect to " + name, false, func() error { return reach("unix", path) }})
	}
	slices.SortFunc(list, func(a, b attempt) int { return strings.Compare(a.name, b.name) })
	return list
}

// forbiddenActions lists actions that no bridge needs.
func forbiddenActions() []attempt {
	list := []attempt{
		{"start a program", false, func() error { return exec.Command("/usr/bin/true").Run() }},
		{"start a program it wrote", false, startOwn},
		{"make its memory executable", false, func() error {
			page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				return err
			}
			return unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC)
		}},
		{"make memory that is executable", false, func() error {
			_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
			return err
		}},
		{"get a namespace", false, func() error {
			if err := unix.Unshare(unix.CLONE_NEWUSER); !errors.Is(err, unix.EINVAL) {
				return err
			}
			return nil // fails in a multi-threaded program, but was not forbidden
		}},
		{"mount something", false, func() error { return unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "") }},
		{"set the clock", false, func() error { return unix.Settimeofday(&unix.Timeval{Sec: 1}) }},
		{"use the keyring", false, func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err }},
		{"change who it is", false, func() error {
			_, _, errno := unix.RawSyscall(unix.SYS_SETUID, uintptr(os.Getuid()), 0, 0)
			return failed(errno)
		}},
		{"use io_uring", false, func() error {
			_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 0, 0, 0)
			if errno == unix.EFAULT || errno == unix.EINVAL { // the kernel checked the arguments, so the call was allowed
				return nil
			}
			return failed(errno)
		}},
	}
	for _, name := range []string{"LockPersonality", "RestrictRealtime", "RestrictAddressFamilies", "UMask", "LimitCORE"} {
		list = append(list, attempt{name, false, probes[name]})
	}
	if runtime.GOARCH == "amd64" {
		list = append(list, attempt{"SystemCallArchitectures", false, probes["SystemCallArchitectures"]})
	}
	return list
}

// startOwn executes a copy of this program in the temporary directory.
func startOwn() error {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	path := "/tmp/blunux-ai-probe-program"
	defer os.Remove(path)
	if err := os.WriteFile(path, self, 0o700); err != nil {
		return err
	}
	err = exec.Command(path, "UMask").Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return nil // it ran
	}
	return err
}
