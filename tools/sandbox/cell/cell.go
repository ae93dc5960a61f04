// Package cell is the inside of the sandbox (tools/sandbox): this program,
// started under another name, locks itself in and turns into a command.
//
// It imports little on purpose: its init runs before the rest of the program has
// set itself up, so that a command costs milliseconds less.
package cell

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Name is what this program is called when it is to lock itself in. A
// person who starts it by that name loses rights and gains none.
const Name = "blunux-ai-cell"

// Line is the descriptor of the socket to the daemon: over it come an error, and
// the listener of the filter where there is one. It closes when the process has
// become the command.
const Line = 3

// Net is how much of the network a command sees.
type Net int

// The views of the network. Each holds what the one before it does.
const (
	NoNet Net = iota
	View      // the machine's own interfaces and sockets, over netlink and procfs
	Ioctl     // the same, asked for over an internet socket that connects nowhere
	Reach     // other hosts
)

// Spec is what a cell is told to be.
type Spec struct {
	Parted   bool     `json:"parted,omitempty"`   // started in namespaces of its own, where mounts become read-only
	Landlock int      `json:"landlock,omitempty"` // ABI to use, 0 for none
	Private  bool     `json:"private,omitempty"`  // started in an IPC namespace of its own
	Apart    bool     `json:"apart,omitempty"`    // started in a network namespace of its own
	Strict   bool     `json:"strict,omitempty"`   // no file may be opened for writing; hands over a listener for /dev/null
	Root     bool     `json:"root,omitempty"`     // the daemon is root
	Net      Net      `json:"net,omitempty"`
	Tmp      string   `json:"tmp"`               // the private temporary directory; not writable when Strict
	Devices  []string `json:"devices,omitempty"` // devices that may be written to and controlled
	// Sockets are the paths of services that the command may talk to, and Bus the
	// sockets that stand in for others, by the path they are found at. Where
	// there is any and the cell is parted, all others are covered.
	Sockets []string          `json:"sockets,omitempty"`
	Bus     map[string]string `json:"bus,omitempty"`
	Covers  []string          `json:"covers,omitempty"` // the directories to cover
	Keep    []string          `json:"keep,omitempty"`   // what stays visible in them
	Attempt *Attempt          `json:"attempt,omitempty"`
}

// Encode returns the specification as an argument.
func (sp Spec) Encode() string {
	data, err := json.Marshal(sp)
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return string(data)
}

// Supervised reports whether the cell hands over a listener of its filter, for
// calls that the daemon makes in the command's place.
func (sp Spec) Supervised() bool { return sp.Strict || sp.talks() || sp.Net == Ioctl }

// talks reports whether the command may use sockets of this machine's services.
func (sp Spec) talks() bool { return len(sp.Sockets) > 0 || len(sp.Bus) > 0 }

// init takes up a start of tools/sandbox. It is an init so that it runs before
// the program's other packages have set themselves up, which would double the
// cost of every command, and so that tests of any package that links this one
// have a sandbox too.
func init() {
	if len(os.Args) < 3 || os.Args[0] != Name {
		return
	}
	runtime.LockOSThread() // what follows binds the thread that will be the command
	err := inside(os.Args[1], os.Args[2], os.Args[3:])
	_, _ = unix.Write(Line, []byte(err.Error()))
	os.Exit(127)
}

// inside locks the process in and turns it into file. It returns only when it
// cannot.
func inside(encoded, file string, argv []string) error {
	unix.CloseOnExec(Line)
	var sp Spec
	dec := json.NewDecoder(strings.NewReader(encoded))
	dec.DisallowUnknownFields() // a newer daemon may want walls that this does not know
	if err := dec.Decode(&sp); err != nil {
		return fmt.Errorf("cannot read the sandbox's specification: %w", err)
	}
	if err := sp.lock(); err != nil {
		return err
	}
	if sp.Attempt != nil {
		return sp.report()
	}
	err := unix.Exec(file, argv, os.Environ())
	return fmt.Errorf("cannot start %s: %w", file, err)
}

// lock gives everything up, from the outermost wall inwards: each step needs a
// right that the next one drops.
func (sp Spec) lock() error {
	// A command must not hold open what the daemon did.
	if err := unix.CloseRange(Line+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("cannot close what was inherited: %w", err)
	}
	if err := noCore(); err != nil {
		return err
	}
	if sp.Parted {
		if err := sp.mounts(); err != nil {
			return err
		}
	}
	if err := sp.dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up new privileges: %w", err)
	}
	if sp.Landlock > 0 {
		if err := sp.landlock(); err != nil {
			return err
		}
	}
	return sp.install()
}

// coreLimit keeps a crash from leaving anything: it is too small for a core
// file, and at 1 the kernel starts no program that collects cores either, which
// it does at 0 (core(5); fs/coredump.c).
const coreLimit = 1

// noCore sets the limit of core files, which the filter keeps as it is.
func noCore() error {
	limit := unix.Rlimit{Cur: coreLimit, Max: coreLimit}
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &have); err == nil && have.Max < coreLimit {
		limit = unix.Rlimit{} // it was 0 and cannot be raised
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return fmt.Errorf("cannot forbid core files: %w", err)
	}
	return nil
}
