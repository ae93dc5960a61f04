package sandbox

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// world is everything that a confined command must not change.
type world struct {
	t      *testing.T
	dir    string
	victim *exec.Cmd
	port   int
	calls  chan string // connections and datagrams that were received
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), calls: make(chan string, 100)}
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "file"), []byte("as it was\n"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(w.dir, "directory"), 0o755))
	w.victim = exec.Command("sleep", "600")
	require.NoError(t, w.victim.Start())
	t.Cleanup(func() {
		_ = w.victim.Process.Kill()
		_ = w.victim.Wait()
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u, err := net.ListenPacket("udp", l.Addr().String())
	require.NoError(t, err)
	s, err := net.Listen("unix", filepath.Join(w.dir, "socket"))
	require.NoError(t, err)
	d, err := net.ListenPacket("unixgram", filepath.Join(w.dir, "datagrams"))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close(); u.Close(); s.Close(); d.Close() })
	w.port = l.Addr().(*net.TCPAddr).Port
	for _, l := range []net.Listener{l, s} {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				w.calls <- l.Addr().String()
				c.Close()
			}
		}()
	}
	for _, c := range []net.PacketConn{u, d} {
		go func() {
			for {
				if _, _, err := c.ReadFrom(make([]byte, 10)); err != nil {
					return
				}
				w.calls <- c.LocalAddr().String()
			}
		}()
	}
	return w
}

// state describes the world. Equal texts mean that nothing has changed.
func (w *world) state() string {
	w.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(w.t, err)
		fi, err := d.Info()
		require.NoError(w.t, err)
		st := fi.Sys().(*syscall.Stat_t)
		fmt.Fprintln(&b, path, fi.Mode(), st.Uid, st.Gid, st.Nlink, fi.ModTime().UnixNano())
		if fi.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			require.NoError(w.t, err)
			fmt.Fprintf(&b, "%x\n", sha256.Sum256(data))
		}
		return nil
	})
	require.NoError(w.t, err)
	for _, outside := range []string{"/tmp/blunux-escape", "/var/tmp/blunux-escape", "/dev/shm/blunux-escape", "/run/blunux-escape"} {
		_, err := os.Lstat(outside)
		fmt.Fprintln(&b, outside, err == nil)
	}
	pid := w.victim.Process.Pid
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(w.t, err)
	fields := strings.Fields(string(stat))
	running := !strings.Contains("TtZX", fields[2]) // neither stopped nor dead
	fmt.Fprintln(&b, "victim", running, "priority", fields[17], "nice", fields[18])
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	require.NoError(w.t, err)
	fmt.Fprintf(&b, "%s", limits)
	for _, what := range []string{"msg", "sem", "shm"} {
		data, err := os.ReadFile("/proc/sysvipc/" + what)
		require.NoError(w.t, err)
		fmt.Fprintf(&b, "%s", data)
	}
	fmt.Fprintln(&b, "arrived", len(w.calls))
	return b.String()
}

// forced are commands that change something, with %d for the directory, %v for a process and %p for a port.
var forced = []string{
	`touch %d/new`, `rm -f %d/file`, `rm -rf %d`, `mv %d/file %d/moved`, `cp /etc/hostname %d/file`, `ln %d/file %d/linked`,
	`ln -s /etc %d/link`, `mkdir %d/more`, `rmdir %d/directory`, `mkfifo %d/fifo`, `mknod %d/node c 1 3`, `chmod 777 %d/file`,
	`chmod -R a+rwx %d`, `chown 1:1 %d/file`, `touch -d 2001-01-01 %d/file`, `truncate -s 0 %d/file`, `truncate -s 1M %d/file`,
	`dd if=/dev/zero of=%d/file bs=1 count=1 conv=notrunc status=none`, `echo more >> %d/file`, `: > %d/file`, `echo x > %d/other`,
	`echo x | tee %d/file`, `sed -i s/was/is/ %d/file`, `sort -o %d/file /etc/hostname`, `find %d -type f -delete`,
	`tar -cf %d/all.tar /etc/hostname`, `install -m 644 /etc/hostname %d/file`, `exec 3<>%d/file; echo x >&3`,
	`bash -c 'echo x > %d/file'`, `sh -c 'rm %d/file'`, `awk 'BEGIN { print "x" > "%d/file" }'`, `python3 -c 'open("%d/file","w").write("x")'`,
	`perl -e 'unlink "%d/file"'`, `python3 -c 'import os; os.setxattr("%d/file", "user.x", b"y")'`, `python3 -c 'import os; os.utime("%d/file", (1, 1))'`,
	`echo x > /tmp/blunux-escape`, `echo x > /var/tmp/blunux-escape`, `echo x > /dev/shm/blunux-escape`, `echo x > /run/blunux-escape`,
	`cd %d && git init -q .`, `unshare -rm touch %d/new`, `unshare -Ur bash -c 'mount -t tmpfs x %d; touch %d/y'`, `mount -o remount,rw /; touch %d/new`,
	`sudo -n touch %d/new`, `su -c 'touch %d/new'`, `setsid -f sh -c 'sleep 0.05; touch %d/late'`, `nohup touch %d/new`, `(sleep 0.05; touch %d/late) &`,
	`kill -9 %v`, `kill -STOP %v`, `renice -n 5 -p %v`, `ionice -c 3 -p %v`, `prlimit --pid %v --nofile=7:7`, `taskset -p 1 %v`, `chrt -i -p 0 %v`,
	`python3 -c 'import os,signal; os.kill(%v, signal.SIGKILL)'`, `echo 500 > /proc/%v/oom_score_adj`, `echo x > /proc/%v/mem`,
	`exec 3<>/dev/tcp/127.0.0.1/%p; echo hi >&3`, `echo hi > /dev/udp/127.0.0.1/%p`,
	`python3 -c 'import socket; socket.create_connection(("127.0.0.1", %p))'`,
	`python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", %p))'`,
	`python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("%d/socket")'`,
	`python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()' && touch %d/listening`,
	`ipcmk -Q`, `ipcmk -M 4096`, `ipcmk -S 1`, `ip link add blunux0 type dummy`, `ip link set lo down`, `hostname blunux-escape`,
	`logger blunux-escape`, `date -s 2001-01-01`, `sysctl -w kernel.domainname=blunux-escape`, `echo blunux-escape > /proc/sys/kernel/domainname`,
}

// escapes are the ways out of a cell over sockets, in Python. Exceptions of a line are ignored, so that the
// next one runs. They run in every kind of cell at every level.
var escapes = []string{
	"for s in pairs(): s.sendto(b'x', '%d/datagrams')",
	"for s in pairs(): s.sendmsg([b'x'], [], 0, '%d/datagrams')",
	"for s in pairs(): s.connect('%d/datagrams'); s.send(b'x')",
	"s = socket(AF_UNIX, SOCK_DGRAM); s.sendto(b'x', '%d/datagrams')",
	"s = socket(AF_UNIX, SOCK_DGRAM); s.sendmsg([b'x'], [], 0, '%d/datagrams')",
	"s = socket(AF_UNIX, SOCK_DGRAM); s.connect('%d/datagrams'); s.send(b'x')",
	"s = socket(AF_UNIX, SOCK_STREAM); s.connect('%d/socket')",
	"os.chdir('%d'); s = socket(AF_UNIX, SOCK_STREAM); s.connect('socket')",
	"os.chdir('%d'); s = socket(AF_UNIX, SOCK_STREAM); s.connect('/proc/self/cwd/socket')",
	"for n, s in enumerate(pairs()): s.bind('%d/bound' + str(n))",
	"os.chdir('%d'); s = pairs()[-1]; s.bind('tencharact')",
	"os.chdir('%d'); s = socket(AF_UNIX, SOCK_STREAM); s.bind('tencharac2')",
}

// crashes leave a core file, if that is allowed.
var crashes = []string{
	"os.chdir('%d'); crash()",
	"os.chdir('%d'); resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30)); crash()",
	"os.chdir('%d'); resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); crash()",
}

// hosts are the ways to reach a host, for cells without network access.
var hosts = []string{
	"s = socket(AF_INET, SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', %p))",
	"s = socket(AF_INET, SOCK_DGRAM); s.sendmsg([b'x'], [], 0, ('127.0.0.1', %p))",
	"s = socket(AF_INET, SOCK_DGRAM); s.connect(('127.0.0.1', %p)); s.send(b'x')",
	"s = socket(AF_INET6, SOCK_DGRAM); s.sendto(b'x', ('::ffff:127.0.0.1', %p))",
	"s = socket(AF_INET, SOCK_STREAM); s.connect(('127.0.0.1', %p))",
	"s = socket(AF_INET, SOCK_STREAM); s.sendto(b'x', 0x20000000, ('127.0.0.1', %p))", // MSG_FASTOPEN
}

// python returns a program that runs the lines. Its pairs function returns all socket pairs that can be
// created.
func python(lines ...string) string {
	var b strings.Builder
	b.WriteString(`import os, resource, signal
from socket import *
def pairs():
    made = []
    for kind in (SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM):
        try: made += socketpair(AF_UNIX, kind)
        except OSError: pass
    return made
def crash():
    if os.fork() == 0:
        import ctypes
        ctypes.string_at(0)
    os.wait()
`)
	for _, line := range lines {
		fmt.Fprintf(&b, "def attempt():\n    %s\ntry: attempt()\nexcept Exception as e: print(e)\n", line)
	}
	return b.String()
}

// interpreter returns the path of Python itself, not of a script that looks for it.
var interpreter = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "python3"
	}
	return strings.TrimSpace(string(out))
})

func (w *world) fill(command string) string {
	return strings.NewReplacer("%d", w.dir, "%v", fmt.Sprint(w.victim.Process.Pid), "%p", fmt.Sprint(w.port)).Replace(command)
}

// cells are the kinds of cells without access to other hosts. The first one is for commands that are not in the
// table.
func cells() map[string]Needs {
	return map[string]Needs{
		"closed": {}, "view": {Net: cell.View}, "bus": {Bus: true}, "mounts": {Mounts: true},
		"inspect": {Inspect: true, Net: cell.View}, "devices": {Devices: true}, "interfaces": {Net: cell.Ioctl}, "netstat": {Inspect: true, Net: cell.Ioctl},
		"services": {Sockets: []string{"x11", "docker"}}, "all": {Bus: true, Sockets: []string{"pulse"}, Net: cell.Ioctl}, "hosts": {Net: cell.Reach}, "hosts and services": {Net: cell.Reach, Bus: true},
	}
}

// TestWritingCommandsForcedDownTheSafeLaneChangeNothing runs commands that change things without the checker:
// in every kind of cell and at every level of this machine, the kernel alone must stop them.
func TestWritingCommandsForcedDownTheSafeLaneChangeNothing(t *testing.T) {
	for i, l := range levels(cell.LandlockABI()) {
		s := New(Options{Dir: filepath.Join(t.TempDir(), "sandbox"), Helper: helper, MaxLevel: &l})
		for name, needs := range cells() {
			if needs.Net >= cell.Ioctl || len(needs.Sockets) > 0 {
				continue // the same walls; the escapes over sockets have their own test
			}
			if i > 0 && name != "closed" && name != "mounts" {
				continue // the same walls except for sockets
			}
			t.Run(l.String()+"/"+name, func(t *testing.T) {
				w := newWorld(t)
				before := w.state()
				for _, command := range forced {
					out, _ := confined(t, s, needs, "bash", "-c", w.fill(command))
					require.Equal(t, before, w.state(), "%s\n%s", command, out)
				}
			})
			if name != "closed" || i > 0 {
				continue
			}
			t.Run(l.String()+"/waiting", func(t *testing.T) {
				w := newWorld(t)
				before := w.state()
				for _, command := range forced {
					out, _ := confinedFirst(t, s, "bash", "-c", w.fill(command))
					require.Equal(t, before, w.state(), "%s\n%s", command, out)
				}
				out, _ := confinedFirst(t, s, interpreter(), "-c", w.fill(python(slices.Concat(escapes, hosts)...)))
				require.Equal(t, before, w.state(), out)
			})
		}
	}
}

// TestS5S6S12NoSocketAndNoCrashLeadsOutOfAnyCell tries the escapes in every kind of cell at every level.
func TestS5S6S12NoSocketAndNoCrashLeadsOutOfAnyCell(t *testing.T) {
	allowCores(t)
	for _, l := range everyLevel() {
		s := New(Options{Dir: shortDir(t), Helper: helper, MaxLevel: &l, Bus: listen(t)})
		for name, needs := range cells() {
			t.Run(l.String()+"/"+name, func(t *testing.T) {
				w := newWorld(t)
				before := w.state()
				lines := slices.Concat(escapes, crashes)
				if needs.Net != cell.Reach {
					lines = append(lines, hosts...)
				}
				out, _ := confined(t, s, needs, interpreter(), "-c", w.fill(python(lines...)))
				require.Equal(t, before, w.state(), out)
			})
		}
	}
}

// allowCores raises this process's limit of core files as far as possible.
func allowCores(t *testing.T) {
	t.Helper()
	var had unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_CORE, &had))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: had.Max, Max: had.Max}))
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_CORE, &had) })
}

// TestS5S6TheEscapesAreRealOnes runs outside a cell what the cells must stop.
func TestS5S6TheEscapesAreRealOnes(t *testing.T) {
	for _, line := range slices.Concat(escapes, hosts) {
		if strings.Contains(line, "0x20000000") {
			continue // depends on the kernel's settings
		}
		w := newWorld(t)
		before := w.state()
		out, _ := exec.Command(interpreter(), "-c", w.fill(python(line))).CombinedOutput()
		require.Eventually(t, func() bool { return w.state() != before }, time.Minute, 5*time.Millisecond, "%s\n%s", line, out)
	}
}

// confined runs a command in a cell like the executor does, and returns its output.
func confined(t *testing.T, s *Sandbox, n Needs, argv ...string) (string, error) {
	t.Helper()
	file, err := exec.LookPath(argv[0])
	require.NoError(t, err)
	st, err := s.Enter(n, file, argv, os.Environ())
	require.NoError(t, err)
	defer st.Close()
	var out strings.Builder
	cmd := exec.Command(st.Path)
	cmd.Args, cmd.Env, cmd.SysProcAttr, cmd.ExtraFiles = st.Args, st.Env, st.Attr, []*os.File{st.Child}
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	require.NoError(t, st.WaitEntered())
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return out.String(), err
}

// confinedFirst runs a command in a cell that was started before its command.
func confinedFirst(t *testing.T, s *Sandbox, argv ...string) (string, error) {
	t.Helper()
	file, err := exec.LookPath(argv[0])
	require.NoError(t, err)
	st, err := s.EnterFirst()
	require.NoError(t, err)
	defer st.Close()
	require.True(t, s.Fits(st, Needs{}))
	require.False(t, s.Fits(st, Needs{Net: cell.View}))
	var out strings.Builder
	cmd := exec.Command(st.Path)
	cmd.Args, cmd.Env, cmd.SysProcAttr, cmd.ExtraFiles = st.Args, st.Env, st.Attr, []*os.File{st.Child}
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	dir, err := os.Getwd()
	require.NoError(t, err)
	require.True(t, st.Send(file, argv, os.Environ(), dir))
	require.NoError(t, st.WaitEntered())
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return out.String(), err
}

func TestTheWorldIsNotBlind(t *testing.T) {
	// Outside the sandbox these commands do change the world, so the test above can fail.
	seen := 0
	for _, command := range forced {
		w := newWorld(t)
		before := w.state()
		if !strings.HasPrefix(command, `touch`) && !strings.HasPrefix(command, "ln ") && !strings.HasPrefix(command, "echo x >") {
			continue
		}
		if strings.Contains(command, "blunux-escape") || strings.Contains(command, "/proc/") {
			continue
		}
		_ = exec.Command("bash", "-c", w.fill(command)).Run()
		require.NotEqual(t, before, w.state(), command)
		seen++
	}
	require.Greater(t, seen, 4)
}
