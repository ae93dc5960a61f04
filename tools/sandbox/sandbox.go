// Package sandbox starts commands that are only allowed to read, and has the kernel enforce that.
//
// The checker (tools/safety) proves from a command's text that it only reads. If that proof is wrong, the
// process in the sandbox still cannot write outside a private temporary directory, gain rights, use a network
// that it does not need, signal others, or have another program do the work over a socket.
//
// [Sandbox.Enter] prepares the start of a helper program (package cell), which locks itself in and then executes the
// command. [Level] describes the walls. Programs that need another process, a device or the network are listed with
// exactly what they need ([NeedsOf]). D-Bus clients get a bus that only passes reading calls (package bus).
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

// Level describes what confines a cell on this machine, in addition to the seccomp filter (cell/policy.go). The
// parts are:
//
//   - its own user and mount namespace, in which every mount is recursively read-only (mount_setattr(2), Linux
//     5.12);
//   - Landlock (landlock(7), Linux 5.13), which also covers devices, and signals and abstract sockets from ABI
//     6;
//   - always a seccomp filter of system calls. It also blocks the network, which costs less than a network
//     namespace and keeps the machine's own network visible.
//
// The filter needs at least one of the first two. [Sandbox.Level] returns the parts that withstood an attempt
// to break out (probe.go).
type Level struct {
	Namespaces bool
	Landlock   int // ABI, 0 for none
}

// levels returns the sufficient combinations, strongest first.
func levels(abi int) []Level {
	all := []Level{{Namespaces: true}}
	if abi >= cell.MinLandlock {
		all = []Level{{Namespaces: true, Landlock: abi}, {Namespaces: true}, {Landlock: abi}}
	}
	return all
}

// String returns the level as status shows it, or "none" for the zero value.
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

// ErrNone reports that this machine has no means for a sandbox, or that a test broke out of it.
var ErrNone = errors.New("no sandbox")

// Bus provides a D-Bus that only passes reading calls to processes in the sandbox.
type Bus interface {
	// Sockets returns, for each socket path that clients use, the socket that replaces it. It fails if none can
	// be served.
	Sockets() (map[string]string, error)
}

// Options configures a [Sandbox].
type Options struct {
	// Dir is a directory of the daemon (0700, created if missing) for the private temporary directories. It can
	// be removed while no command runs.
	Dir string
	// RuntimeDir is the user's runtime directory, which has the session's sockets, or "".
	RuntimeDir string
	// Bus serves the read-only D-Bus; nil means that commands reach no bus.
	Bus Bus
	// Helper is the program that becomes the cell (cmd/blunux-ai-cell). If it is "" or other users can write to
	// it, this program is used instead, which starts more slowly.
	Helper string
	// MaxLevel limits the level, for tests of the weaker ones; nil means no limit.
	MaxLevel *Level
}

// Sandbox starts commands that are only allowed to read. It is safe for concurrent use.
type Sandbox struct {
	o      Options
	helper func() string

	mu     sync.Mutex
	proofs map[cellKind]proof
	tested map[string]error // by the encoded specification: kinds can have the same walls
}

// proof is the result of trying to break out of a kind of cell.
type proof struct {
	level Level
	err   error
}

// New returns a sandbox. It creates and tests nothing before the first use.
func New(o Options) *Sandbox {
	return &Sandbox{
		o: o, proofs: map[cellKind]proof{}, tested: map[string]error{},
		helper: sync.OnceValue(func() string { return openHelper(o.Helper) }),
	}
}

// openHelper returns a path to the helper as it is now, even if an upgrade replaces it while this program runs.
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

// Level returns the parts of a closed cell, or [ErrNone] with the reason. The first call tests them, which
// takes some milliseconds.
func (s *Sandbox) Level() (Level, error) {
	p := s.prove(Needs{})
	return p.level, p.err
}

// Prove tests the most common kinds of cells in advance, so that the first command does not wait for it. A command that
// needs another kind waits for its test.
func (s *Sandbox) Prove() {
	for _, n := range []Needs{{Mounts: true}, {}} {
		s.prove(n)
	}
}

// prove finds the strongest level at which a cell with these needs withstands the test.
func (s *Sandbox) prove(n Needs) proof {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := n.kind()
	p, known := s.proofs[kind]
	if known {
		return p
	}
	for _, l := range s.candidates() {
		err := s.testWalls(l, n)
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

// testWalls tests whether a cell with these needs withstands attempts to escape at a level, once for the same walls.
func (s *Sandbox) testWalls(l Level, n Needs) error {
	sp, err := s.spec(l, n)
	if err != nil {
		return err
	}
	walls := sp.Encode()
	err, known := s.tested[walls]
	if !known {
		err = s.testEscape(l, n)
		s.tested[walls] = err
	}
	return err
}

func (s *Sandbox) candidates() []Level {
	if s.o.MaxLevel != nil {
		return []Level{*s.o.MaxLevel}
	}
	return levels(cell.LandlockABI())
}

// CanConfine returns nil if commands with these needs can be confined, or the reason why not. The first call for a kind
// of cell tests it. A need to see more of the machine is not a reason: such commands run with a reduced view.
func (s *Sandbox) CanConfine(n Needs) error {
	_, p := s.resolve(n)
	return p.err
}

// resolve returns the needs that can be met, and the proof for them.
func (s *Sandbox) resolve(n Needs) (Needs, proof) {
	if n.Unconfined {
		return n, proof{err: fmt.Errorf("%w in which it works", ErrNone)}
	}
	p := s.prove(n)
	if p.err != nil && n.needsHostView() {
		n.Inspect, n.Mounts = false, false // it sees less of the machine
		p = s.prove(n)
	}
	return n, p
}

// Enter prepares the start of file in a cell with these needs, or fails with [ErrNone]. argv and env are passed
// to the program.
func (s *Sandbox) Enter(n Needs, file string, argv, env []string) (*Start, error) {
	n, p := s.resolve(n)
	if p.err != nil {
		return nil, p.err
	}
	return s.prepare(p.level, n, command{file: file, argv: argv, env: env})
}

// EnterFirst prepares the start of a closed cell that locks itself in and then waits for its command: [Start.Send]. It
// ends when the start is closed.
func (s *Sandbox) EnterFirst() (*Start, error) {
	n, p := s.resolve(Needs{})
	if p.err != nil {
		return nil, p.err
	}
	return s.prepare(p.level, n, command{})
}

// Fits reports whether the cell of a start by [Sandbox.EnterFirst] is exactly the one that a command with these needs
// would get.
func (s *Sandbox) Fits(st *Start, n Needs) bool {
	n, p := s.resolve(n)
	if p.err != nil {
		return false
	}
	sp, err := s.spec(p.level, n)
	return err == nil && sp.Encode() == st.walls
}

// command is what a cell executes, or the attempt it makes instead.
type command struct {
	file      string
	argv, env []string
	attempt   *cell.EscapeTest
}

// prepare prepares a start at a level.
func (s *Sandbox) prepare(l Level, n Needs, c command) (*Start, error) {
	if err := s.makeDirs(); err != nil {
		return nil, fmt.Errorf("cannot make the sandbox's directory: %w", err)
	}
	sp, err := s.spec(l, n)
	if err != nil {
		return nil, err
	}
	sp.Attempt = c.attempt
	if c.attempt != nil && c.attempt.Service != "" && n.usesServices() {
		sp.Sockets = append(sp.Sockets, c.attempt.Service)
	}
	st := &Start{Path: s.helper(), connector: newConnector(sp), walls: sp.Encode()}
	if !sp.Namespaces && !sp.Strict {
		if sp.Tmp, err = os.MkdirTemp(s.o.Dir, "run-"); err != nil {
			return nil, fmt.Errorf("cannot make a private temporary directory: %w", err)
		}
		st.tmpDir = sp.Tmp
	}
	if err := st.makeSocketPair(); err != nil {
		return nil, err
	}
	st.spec = sp
	st.Args = []string{cell.Name, sp.Encode()}
	if c.file != "" || c.attempt != nil {
		st.Args = append(append(st.Args, c.file), c.argv...)
	}
	if st.Env = confinedEnv(c.env, sp); c.file == "" { // the environment of the cell, not of a command
		st.Env = leanRuntime
	}
	st.Attr = processAttributes(sp)
	return st, nil
}

// leanRuntime makes the Go program of a waiting cell start faster: with one processor, for which it reads no
// /sys/fs/cgroup, and without garbage collection.
var leanRuntime = []string{"GOMAXPROCS=1", "GOGC=off"}

// spec returns the specification of a cell with these needs at a level.
func (s *Sandbox) spec(l Level, n Needs) (cell.Spec, error) {
	// A user namespace shows other users' files as owned by the user nobody, and its mounts as read-only. Where the
	// kernel can confine the command without one, the command sees the machine as it is.
	talks := n.usesServices()
	sp := cell.Spec{
		Namespaces: l.Namespaces && !n.needsHostView() && (talks || n.Queues || l.Landlock == 0), Landlock: l.Landlock, Net: n.Net, Tmp: s.tmpDir(), Root: os.Getuid() == 0,
		Sockets: socketPaths(n.Sockets, s.o.RuntimeDir),
	}
	// Landlock stops a process from inspecting others. Without Landlock, a cell that needs the original mounts
	// only has the filter.
	sp.Strict = n.Inspect || n.Mounts && l.Landlock == 0
	if sp.Strict {
		sp.Landlock = 0
	}
	if sp.OwnIPC = n.Queues; n.Queues && !sp.Namespaces {
		return sp, fmt.Errorf("%w for programs that need message queues", ErrNone)
	}
	if n.Devices {
		sp.Devices = existingPaths(devices)
	}
	if n.Bus && s.o.Bus != nil {
		sockets, err := s.o.Bus.Sockets()
		if err != nil {
			return sp, fmt.Errorf("cannot serve a reading bus: %w", err)
		}
		sp.Bus = sockets
	}
	if sp.Namespaces && talks {
		sp.Covers, sp.Keep = s.coveredDirs(), s.readablePaths()
		sp.OwnNetwork = l.Landlock < cell.ScopedLandlock // otherwise abstract sockets would be reachable
	}
	return sp, nil
}

// coveredDirs returns the directories in which services listen.
func (s *Sandbox) coveredDirs() []string {
	dirs := []string{"/run", "/tmp"}
	if s.o.RuntimeDir != "" && !strings.HasPrefix(s.o.RuntimeDir, "/run/") {
		dirs = append(dirs, s.o.RuntimeDir)
	}
	return existingPaths(dirs)
}

// readablePaths returns the files in these directories that stay visible.
func (s *Sandbox) readablePaths() []string {
	patterns := readablePatterns
	if s.o.RuntimeDir != "" {
		for _, name := range []string{"units", "transient", "generator", "generator.early", "generator.late"} {
			patterns = append(slices.Clip(patterns), filepath.Join(s.o.RuntimeDir, "systemd", name))
		}
	}
	return existingPaths(patterns)
}

// existingPaths returns the paths that match the patterns, without symbolic links.
func existingPaths(patterns []string) []string {
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

func (s *Sandbox) tmpDir() string { return filepath.Join(s.o.Dir, "tmp") }

func (s *Sandbox) makeDirs() error {
	if !filepath.IsAbs(s.o.Dir) {
		return fmt.Errorf("%q is not an absolute path", s.o.Dir)
	}
	if err := os.MkdirAll(s.tmpDir(), 0o700); err != nil {
		return err
	}
	fi, err := os.Lstat(s.o.Dir)
	if err != nil {
		return err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !fi.IsDir() || ok && int(st.Uid) != os.Getuid() || fi.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not a private directory of this user", s.o.Dir)
	}
	return nil
}

// processAttributes returns the namespaces in which a cell starts. Root maps all IDs, so that it can still read other
// users' files. A user only maps its own ID.
func processAttributes(sp cell.Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if !sp.Namespaces {
		return attr
	}
	// A user who is not root keeps these until the mounts are made. They only apply in the new namespace
	// (capabilities(7), "Ambient").
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if sp.OwnNetwork {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if sp.OwnIPC {
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

// confinedEnv returns env with the writable temporary directory and the reachable buses.
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
		if sp.Namespaces {
			source = target // the read-only bus is mounted there
		}
		out = append(out, name+"=unix:path="+source)
	}
	return out
}

// busVariables maps the usual file name of a bus's socket to its variable (D-Bus Specification, "Well-known
// Message Bus Instances").
var busVariables = map[string]string{
	"bus":               "DBUS_SESSION_BUS_ADDRESS",
	"system_bus_socket": "DBUS_SYSTEM_BUS_ADDRESS",
}
