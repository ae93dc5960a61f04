// Package sandbox starts a command that may only read, and has the kernel hold
// it to that.
//
// The checker (tools/safety) proves from a command's text that it only reads.
// This package is the second wall: should the proof be wrong, the process still
// cannot write outside a private temporary directory, gain rights, reach a
// network it has no need of, signal others, or have another program do the work
// over a socket.
//
// A command is started as a helper program, or this very one under another name
// ([Sandbox.Enter] makes the start, package cell takes it up), which locks itself
// in and then turns into the command. What the walls are made of depends on the machine:
//
//   - a user and a mount namespace of its own, in which every mount is read-only,
//     recursively (mount_setattr(2), Linux 5.12);
//   - Landlock (landlock(7), Linux 5.13), which also covers devices, and from ABI 6
//     on signals and abstract sockets;
//   - a seccomp filter over system calls (cell/policy.go), always; it is what keeps
//     a command off the network, which costs less than a network namespace and
//     leaves the machine's own network to be looked at.
//
// Either of the first two is enough together with the third; [Sandbox.Level]
// tells which there are, after each was tried by trying to break it (probe.go).
//
// Programs that answer from another process, a device or the network are listed
// with exactly what they need ([NeedsOf]). What talks to D-Bus gets a bus that
// only passes reading calls (package bus), not the real one.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// Level is what a sandbox is made of on this machine, the seccomp filter apart.
type Level struct {
	Namespaces bool
	Landlock   int // ABI, 0 for none
}

// levels are the combinations that are good enough, the strongest first.
func levels(abi int) []Level {
	all := []Level{{Namespaces: true}}
	if abi >= cell.MinLandlock {
		all = []Level{{Namespaces: true, Landlock: abi}, {Namespaces: true}, {Landlock: abi}}
	}
	return all
}

// String returns the level as status shows it; "none" for the zero value.
func (l Level) String() string {
	var parts []string
	if l.Namespaces {
		parts = append(parts, "namespaces")
	}
	if l.Landlock > 0 {
		parts = append(parts, "landlock "+strconv.Itoa(l.Landlock))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(append(parts, "seccomp"), " + ")
}

// ErrNone reports that this machine has nothing to make a sandbox of, or that
// what it has was broken when tried.
var ErrNone = errors.New("no sandbox")

// Bus gives processes in the sandbox a D-Bus that only passes reading calls.
type Bus interface {
	// Sockets returns, for each socket a client looks for, the socket to be
	// found there instead. It fails when none can be served.
	Sockets() (map[string]string, error)
}

// Options make a [Sandbox].
type Options struct {
	// Dir is a directory of our own (0700, made when missing) below which the
	// private temporary directories are. It may be removed when nothing runs.
	Dir string
	// RuntimeDir is the user's runtime directory, where session sockets are; "" when there is none.
	RuntimeDir string
	// Bus serves the named D-Bus readers; nil means that they reach no bus.
	Bus Bus
	// Helper is the program that is the inside of the sandbox
	// (cmd/blunux-ai-cell); "" or one that others could have put there means this
	// very program, which takes longer to start.
	Helper string
	// Most bounds the level to try, for tests of the weaker ones; nil means whatever there is.
	Most *Level
}

// Sandbox starts commands that may only read. It is safe for concurrent use.
type Sandbox struct {
	o      Options
	helper func() string

	mu     sync.Mutex
	proofs map[lane]proof
}

// proof is what trying to break a kind of cell came to.
type proof struct {
	level Level
	err   error
}

// New returns a sandbox. Nothing is made or tried before it is needed.
func New(o Options) *Sandbox {
	return &Sandbox{o: o, proofs: map[lane]proof{}, helper: sync.OnceValue(func() string { return openHelper(o.Helper) })}
}

// openHelper returns a path that leads to the helper as it is now, whatever an
// upgrade puts in its place while this program runs.
func openHelper(path string) string {
	const self = "/proc/self/exe"
	if path == "" {
		return self
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return self
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o022 != 0 || st.Uid != 0 && int(st.Uid) != os.Getuid() {
		unix.Close(fd)
		return self
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd)
}

// Level returns what a closed cell is made of, or [ErrNone] with the reason. The
// first call finds out by trying to break it, which takes some milliseconds.
func (s *Sandbox) Level() (Level, error) {
	p := s.prove(Needs{})
	return p.level, p.err
}

// Prove tries to break the usual kinds of cells ahead of need, so that the first
// command need not wait for it.
func (s *Sandbox) Prove() {
	for _, n := range []Needs{{Mounts: true}, {}, {Net: cell.View, Inspect: true}} {
		s.prove(n)
	}
}

// prove finds the strongest level at which a cell with these needs holds.
func (s *Sandbox) prove(n Needs) proof {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := n.lane()
	p, known := s.proofs[kind]
	if known {
		return p
	}
	for _, l := range s.candidates() {
		err := s.breakIn(l, n)
		if err == nil {
			p = proof{level: l}
			break
		}
		p.err = errors.Join(p.err, fmt.Errorf("%s: %w", l, err))
	}
	if p.err != nil {
		p.err = fmt.Errorf("%w: %w", ErrNone, p.err)
	}
	s.proofs[kind] = p
	return p
}

func (s *Sandbox) candidates() []Level {
	if s.o.Most != nil {
		return []Level{*s.o.Most}
	}
	return levels(cell.LandlockABI())
}

// Holds reports whether commands with these needs can be confined: nil, or why
// not. The first call for a kind of cell tries to break it. What a command would
// like to see of the machine but cannot be let see is no reason.
func (s *Sandbox) Holds(n Needs) error {
	_, p := s.settle(n)
	return p.err
}

// settle returns the needs that can be met, and how.
func (s *Sandbox) settle(n Needs) (Needs, proof) {
	if n.Outside {
		return n, proof{err: fmt.Errorf("%w that it would work in", ErrNone)}
	}
	p := s.prove(n)
	if p.err != nil && n.seesAll() {
		n.Inspect, n.Mounts = false, false // it will see less, but still only see
		p = s.prove(n)
	}
	return n, p
}

// Enter prepares the start of file in a cell with these needs, or fails with
// [ErrNone]. argv and env are what the program is to see.
func (s *Sandbox) Enter(n Needs, file string, argv, env []string) (*Start, error) {
	n, p := s.settle(n)
	if p.err != nil {
		return nil, p.err
	}
	return s.enter(p.level, n, command{file: file, argv: argv, env: env})
}

// command is what a cell is to become, or to try instead.
type command struct {
	file      string
	argv, env []string
	attempt   *cell.Attempt
}

// enter prepares a start at a level.
func (s *Sandbox) enter(l Level, n Needs, c command) (*Start, error) {
	if err := s.makeDirs(); err != nil {
		return nil, fmt.Errorf("cannot make the sandbox's directory: %w", err)
	}
	sp, err := s.spec(l, n)
	if err != nil {
		return nil, err
	}
	sp.Attempt = c.attempt
	if c.attempt != nil && c.attempt.Service != "" && n.talks() {
		sp.Sockets = append(sp.Sockets, c.attempt.Service)
	}
	st := &Start{Path: s.helper(), deputy: deputyOf(sp)}
	if !sp.Parted && !sp.Strict {
		if sp.Tmp, err = os.MkdirTemp(s.o.Dir, "run-"); err != nil {
			return nil, fmt.Errorf("cannot make a private temporary directory: %w", err)
		}
		st.remove = sp.Tmp
	}
	if err := st.pair(); err != nil {
		return nil, err
	}
	st.Args = append([]string{cell.Name, sp.Encode(), c.file}, c.argv...)
	st.Env = confinedEnv(c.env, sp)
	st.Attr = attributes(sp)
	return st, nil
}

// spec turns needs into what the cell is to be at a level.
func (s *Sandbox) spec(l Level, n Needs) (cell.Spec, error) {
	// A user namespace shows other users' files as nobody's, and its mounts as
	// read-only: what the kernel can hold without, sees the machine as it is.
	talks := n.talks()
	sp := cell.Spec{
		Parted: l.Namespaces && !n.seesAll() && (talks || n.Queues || l.Landlock == 0), Landlock: l.Landlock, Net: n.Net, Tmp: s.tmp(), Root: os.Getuid() == 0,
		Sockets: socketPaths(n.Sockets, s.o.RuntimeDir),
	}
	// Landlock keeps a process from looking into others; and a cell that must see
	// the mounts as they are is left with the filter where there is no Landlock.
	sp.Strict = n.Inspect || n.Mounts && l.Landlock == 0
	if sp.Strict {
		sp.Landlock = 0
	}
	if sp.Private = n.Queues; n.Queues && !sp.Parted {
		return sp, fmt.Errorf("%w for programs that need message queues", ErrNone)
	}
	if n.Devices {
		sp.Devices = existing(devices)
	}
	if n.Bus && s.o.Bus != nil {
		sockets, err := s.o.Bus.Sockets()
		if err != nil {
			return sp, fmt.Errorf("cannot serve a reading bus: %w", err)
		}
		sp.Bus = sockets
	}
	if sp.Parted && talks {
		sp.Covers, sp.Keep = s.covers(), s.readable()
		sp.Apart = l.Landlock < cell.ScopedLandlock // or abstract sockets would be in reach
	}
	return sp, nil
}

// covers are the directories where services listen.
func (s *Sandbox) covers() []string {
	dirs := []string{"/run", "/tmp"}
	if s.o.RuntimeDir != "" && !strings.HasPrefix(s.o.RuntimeDir, "/run/") {
		dirs = append(dirs, s.o.RuntimeDir)
	}
	return existing(dirs)
}

// readable are the files that stay visible in them.
func (s *Sandbox) readable() []string {
	patterns := readable
	if s.o.RuntimeDir != "" {
		for _, name := range []string{"units", "transient", "generator", "generator.early", "generator.late"} {
			patterns = append(slices.Clip(patterns), filepath.Join(s.o.RuntimeDir, "systemd", name))
		}
	}
	return existing(patterns)
}

// existing returns what is there of some patterns, no links among them.
func existing(patterns []string) []string {
	var there []string
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // fails only for a bad pattern
		for _, path := range found {
			if fi, err := os.Lstat(path); err == nil && fi.Mode()&os.ModeSymlink == 0 {
				there = append(there, path)
			}
		}
	}
	return there
}

func (s *Sandbox) tmp() string { return filepath.Join(s.o.Dir, "tmp") }

func (s *Sandbox) makeDirs() error {
	if !filepath.IsAbs(s.o.Dir) {
		return fmt.Errorf("%q is not an absolute path", s.o.Dir)
	}
	if err := os.MkdirAll(s.tmp(), 0o700); err != nil {
		return err
	}
	fi, err := os.Lstat(s.o.Dir)
	if err != nil {
		return err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !fi.IsDir() || ok && int(st.Uid) != os.Getuid() || fi.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not a directory of ours alone", s.o.Dir)
	}
	return nil
}

// attributes are the namespaces a cell starts in. Root keeps every number, so
// that it still reads what belongs to others; a user maps only itself.
func attributes(sp cell.Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if !sp.Parted {
		return attr
	}
	// Who is not root keeps these, which mean something only in the new namespace,
	// until the mounts are made (capabilities(7), "Ambient").
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if sp.Apart {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if sp.Private {
		attr.Cloneflags |= unix.CLONE_NEWIPC
	}
	uid, gid, size := os.Getuid(), os.Getgid(), 1
	if uid == 0 {
		uid, gid, size = 0, 0, 1<<32-1
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: size}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: size}}
	return attr
}

// confinedEnv is env with the temporary directory that can be written, and the
// buses that can be reached.
func confinedEnv(env []string, sp cell.Spec) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if name != "TMPDIR" && name != "DBUS_SESSION_BUS_ADDRESS" && name != "DBUS_SYSTEM_BUS_ADDRESS" {
			out = append(out, v)
		}
	}
	if !sp.Strict {
		out = append(out, "TMPDIR="+sp.Tmp)
	}
	for target, source := range sp.Bus {
		name, ok := busVariables[filepath.Base(target)]
		if !ok {
			continue
		}
		if sp.Parted {
			source = target // what is found there is the reading bus
		}
		out = append(out, name+"=unix:path="+source)
	}
	return out
}

// busVariables name the socket of a bus by its usual file name (D-Bus
// Specification, "Well-known Message Bus Instances").
var busVariables = map[string]string{
	"bus":               "DBUS_SESSION_BUS_ADDRESS",
	"system_bus_socket": "DBUS_SYSTEM_BUS_ADDRESS",
}
