package cell

import (
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (linux/seccomp.h).
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// x32 marks calls of the x32 ABI, whose numbers are not in the rules.
const x32 = 0x40000000

// filter builds a seccomp program (seccomp(2)). It sees call numbers and plain arguments, never data behind a pointer,
// so it forbids kinds of calls. Every rule returns a result or is skipped as a whole. Calls without a rule are allowed.
type filter struct{ code []bpf.Instruction }

func result(action uint32) bpf.Instruction { return bpf.RetConstant{Val: action} }

func errorAction(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// newFilter returns a filter that refuses calls of other architectures.
func newFilter() *filter {
	f := &filter{}
	f.code = append(f.code,
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		result(errorAction(unix.ENOSYS)),
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		result(errorAction(unix.ENOSYS)),
	)
	return f
}

// addRule adds a rule for one system call. body must return a result.
func (f *filter) addRule(number uintptr, body ...bpf.Instruction) {
	f.code = append(f.code, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(number), SkipTrue: uint8(len(body))})
	f.code = append(f.code, body...)
}

func (f *filter) deny(e unix.Errno, numbers ...uintptr) {
	for _, n := range numbers {
		f.addRule(n, result(errorAction(e)))
	}
}

// allowOnly allows a call if its argument, masked with mask, is one of the values.
func (f *filter) allowOnly(number uintptr, arg int, mask uint32, e unix.Errno, values ...uint32) {
	body := []bpf.Instruction{loadLow(arg), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask}}
	for i, v := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	body = append(body, result(errorAction(e)), result(unix.SECCOMP_RET_ALLOW))
	f.addRule(number, body...)
}

// denyValues forbids a call if its argument is one of the values.
func (f *filter) denyValues(number uintptr, arg int, e unix.Errno, values ...uint32) {
	body := []bpf.Instruction{loadLow(arg)}
	for i, v := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	body = append(body, result(unix.SECCOMP_RET_ALLOW), result(errorAction(e)))
	f.addRule(number, body...)
}

// allowWithoutBits allows a call if none of the bits is set in its argument.
func (f *filter) allowWithoutBits(number uintptr, arg int, bits, otherwise uint32) {
	f.addRule(number, loadLow(arg), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1},
		result(otherwise), result(unix.SECCOMP_RET_ALLOW))
}

// allowSockets applies the families' actions to a call that creates sockets, if the type and protocol match, and
// forbids all others.
func (f *filter) allowSockets(number uintptr, families ...family) {
	body := []bpf.Instruction{loadLow(0)}
	for _, fam := range families {
		block := fam.check()
		body = append(body, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: fam.number, SkipTrue: uint8(len(block))})
		body = append(body, block...)
	}
	f.addRule(number, append(body, result(errorAction(unix.EACCES)))...)
}

// family is a socket family that a cell can use.
type family struct {
	number    uint32
	kind      uint32   // the type of its sockets, 0 for any
	protocols []uint32 // empty for any
	action    uint32   // what the filter returns
}

// check returns a rule body that returns the family's action, or an error for any other type or protocol.
func (fam family) check() []bpf.Instruction {
	var block []bpf.Instruction
	if fam.kind != 0 {
		block = append(block,
			loadLow(1),
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}, // SOCK_CLOEXEC and SOCK_NONBLOCK are higher bits (socket(2))
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: fam.kind, SkipTrue: 1},
			result(errorAction(unix.EACCES)),
		)
	}
	if len(fam.protocols) > 0 {
		block = append(block, loadLow(2))
		for i, p := range fam.protocols {
			block = append(block, bpf.JumpIf{Cond: bpf.JumpEqual, Val: p, SkipTrue: uint8(len(fam.protocols) - i)})
		}
		block = append(block, result(errorAction(unix.EACCES)))
	}
	return append(block, result(fam.action))
}

// allowOwnLimits lets a process change its own limits, except for core files: that call succeeds without effect,
// because some programs end if it fails.
func (f *filter) allowOwnLimits() {
	f.addRule(unix.SYS_PRLIMIT64,
		loadLow(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		result(errorAction(unix.EPERM)),
		loadLow(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.RLIMIT_CORE, SkipTrue: 1},
		result(unix.SECCOMP_RET_ALLOW),
		loadLow(2),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 3},
		loadHigh(2),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1},
		result(unix.SECCOMP_RET_ALLOW), // no new limit: a query
		result(errorAction(0)),
	)
	f.denyValues(unix.SYS_SETRLIMIT, 0, 0, unix.RLIMIT_CORE)
}

// allowZero allows a call if all of these arguments are 0.
func (f *filter) allowZero(number uintptr, args ...int) {
	var body []bpf.Instruction
	for i, arg := range args {
		left := len(args) - i - 1
		body = append(body, loadLow(arg), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: uint8(2*left + 1)})
	}
	body = append(body, result(unix.SECCOMP_RET_ALLOW), result(errorAction(unix.EPERM)))
	f.addRule(number, body...)
}

// loadLow loads the lower half of an argument. All supported architectures are little-endian.
func loadLow(arg int) bpf.Instruction {
	return bpf.LoadAbsolute{Off: uint32(offArgs + 8*arg), Size: 4}
}

// loadHigh loads the upper half of an argument.
func loadHigh(arg int) bpf.Instruction {
	return bpf.LoadAbsolute{Off: uint32(offArgs + 8*arg + 4), Size: 4}
}

// assemble returns the complete program.
func (f *filter) assemble() ([]bpf.RawInstruction, error) {
	return bpf.Assemble(append(f.code, result(unix.SECCOMP_RET_ALLOW)))
}

// filterFlags are the ways to install the filter, best first. Before Linux 5.19, a signal makes a process
// repeat a call that the daemon is already answering.
func (sp Spec) filterFlags() []uintptr {
	if !sp.Supervised() {
		return []uintptr{0}
	}
	const listener = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	return []uintptr{listener | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, listener}
}

// sendListener sends the filter's listener to the daemon.
func sendListener(fd int) error {
	if err := unix.Sendmsg(SocketFD, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return fmt.Errorf("cannot hand over the filter's listener: %w", err)
	}
	return unix.Close(fd)
}

// writeFlags are the open flags that can change something.
const writeFlags = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | unix.O_TMPFILE&^unix.O_DIRECTORY
