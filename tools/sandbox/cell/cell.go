// Package cell is the inside of the sandbox (tools/sandbox): this program, started under another name, locks
// itself in and executes a command.
//
// It imports few packages on purpose: its init runs before the rest of the program is initialized, which saves
// milliseconds for every command.
package cell

import (
	"encoding/json"
	"fmt"

	"golang.org/x/sys/unix"
)

// Name is the argv[0] that makes this program lock itself in. A person who starts it by that name loses rights
// and gains none.
const Name = "blunux-ai-cell"

// SocketFD is the descriptor of the socket to the daemon. It carries an error, and the listener of the filter if
// there is one. It closes when the process executes the command.
const SocketFD = 3

// Net is how much of the network a command can use.
type Net int

// The degrees of network access. Each includes the ones before it.
const (
	NoNet Net = iota
	View      // the machine's own interfaces and sockets, over netlink and procfs
	Ioctl     // the same, also queried with an internet socket that cannot connect
	Reach     // other hosts
)

// Spec is the specification of a cell.
type Spec struct {
	Namespaces bool     `json:"parted,omitempty"`   // started in its own namespaces, where mounts become read-only
	Landlock   int      `json:"landlock,omitempty"` // ABI to use, 0 for none
	OwnIPC     bool     `json:"private,omitempty"`  // started in its own IPC namespace
	OwnNetwork bool     `json:"apart,omitempty"`    // started in its own network namespace
	Strict     bool     `json:"strict,omitempty"`   // no file can be opened for writing; sends a listener for /dev/null
	Root       bool     `json:"root,omitempty"`     // the daemon is root
	Net        Net      `json:"net,omitempty"`
	Tmp        string   `json:"tmp"`               // the private temporary directory; not writable if Strict
	Devices    []string `json:"devices,omitempty"` // devices that can be written to and controlled
	// Sockets are the paths of services that the command can use. Bus maps paths to the sockets that replace
	// them. If there are any and the cell is parted, all other sockets are covered.
	Sockets []string          `json:"sockets,omitempty"`
	Bus     map[string]string `json:"bus,omitempty"`
	Covers  []string          `json:"covers,omitempty"` // the directories to cover
	Keep    []string          `json:"keep,omitempty"`   // paths in them that stay visible
	Attempt *EscapeTest       `json:"attempt,omitempty"`
}

// Command is what a cell executes that was started before its command was known.
type Command struct {
	File string   `json:"file"`
	Argv []string `json:"argv"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"` // absolute
}

// MaxCommand bounds an encoded [Command], in bytes. A larger one needs another cell.
const MaxCommand = 64 << 10

// Encode returns the specification as an argument.
func (sp Spec) Encode() string {
	data, err := json.Marshal(sp)
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return string(data)
}

// Supervised reports whether the cell sends the listener of its filter, for calls that the daemon makes on
// behalf of the command.
func (sp Spec) Supervised() bool { return sp.Strict || sp.usesServices() || sp.Net == Ioctl }

// usesServices reports whether the command can use sockets of services on this machine.
func (sp Spec) usesServices() bool { return len(sp.Sockets) > 0 || len(sp.Bus) > 0 }

// coreLimit prevents crashes from leaving anything behind: it is too small for a core file, and unlike 0 it
// also makes the kernel start no program that collects cores (core(5); fs/coredump.c).
const coreLimit = 1

// limitCoreFiles sets the limit of core files, which the filter protects from changes.
func limitCoreFiles() error {
	limit := unix.Rlimit{Cur: coreLimit, Max: coreLimit}
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &have); err == nil && have.Max < coreLimit {
		limit = unix.Rlimit{} // the limit is 0 and cannot be raised
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return fmt.Errorf("cannot forbid core files: %w", err)
	}
	return nil
}
