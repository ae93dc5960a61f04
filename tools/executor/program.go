package executor

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// program is a program to start.
type program struct {
	file string
	argv []string // name first
	env  []string
}

// programOf returns what to start for a command in a directory. For a shell source, that is bash, or the program that
// bash would only look up and execute, which saves the start of bash.
func (x *Executor) programOf(c shell.Command, dir string) (program, error) {
	if p, ok := x.plainProgram(c.Shell, dir); ok {
		return p, nil
	}
	argv := c.Args()
	file, err := x.FindProgram(argv[0])
	return program{file: file, argv: argv, env: x.env}, err
}

// environmentPrinters print their environment in its order, which bash changes.
var environmentPrinters = []string{"env", "printenv"}

// plainProgram returns the program that bash would execute for a shell source, with the words and the environment
// that bash would give it. ok is false where bash could do anything else, such as print why it found no program.
func (x *Executor) plainProgram(source, dir string) (p program, ok bool) {
	argv, plain := shell.Plain(source)
	if !plain || slices.Contains(environmentPrinters, filepath.Base(argv[0])) {
		return program{}, false
	}
	file := x.lookUp(argv[0])
	if file == "" || !isStartable(file) {
		return program{}, false
	}
	pwd, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(pwd) {
		return program{}, false
	}
	// bash(1), "Shell Variables". SHLVL counts the shells around a program: bash takes itself out before it executes one.
	env := append(slices.Clip(x.env), "PWD="+pwd, "SHLVL=0", "_="+file)
	return program{file: file, argv: argv, env: env}, true
}

// lookUp returns the file that bash would execute for a command word, or "" if that is not certain: bash(1), "Command
// Execution". It takes the first file that this user can execute. It refuses relative paths.
func (x *Executor) lookUp(name string) string {
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) && isExecutable(name) {
			return name
		}
		return ""
	}
	for _, dir := range x.path {
		if file := dir + "/" + name; filepath.IsAbs(dir) && isExecutable(file) {
			return file
		}
	}
	return ""
}

// isExecutable reports whether a file is a program that this user can execute.
func isExecutable(file string) bool {
	fi, err := os.Stat(file)
	return err == nil && fi.Mode().IsRegular() && unix.Faccessat(unix.AT_FDCWD, file, unix.X_OK, unix.AT_EACCESS) == nil
}

// isStartable reports whether the kernel starts a file: a binary of this machine, or a script of one. If the kernel does
// not, bash prints why or runs the file as a script.
func isStartable(file string) bool {
	head := readHead(file)
	interpreter, isScript := bytes.CutPrefix(head, []byte("#!"))
	if !isScript {
		return isBinary(head)
	}
	line, _, complete := bytes.Cut(interpreter, []byte("\n"))
	words := bytes.Fields(line)
	if !complete || len(words) == 0 || len(line) > 100 {
		return false
	}
	path := string(words[0])
	return filepath.IsAbs(path) && isExecutable(path) && isBinary(readHead(path))
}

// readHead returns the beginning of a file, which has a binary's program headers, or nil.
func readHead(file string) []byte {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 2<<10)
	n, _ := io.ReadFull(f, head) // a short script ends earlier
	return head[:n]
}

// isBinary reports whether a file with this beginning is a binary of this machine with an existing loader, elf(5).
func isBinary(head []byte) bool {
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	var h elf.Header64
	if _, err := binary.Decode(head, binary.LittleEndian, &h); err != nil ||
		string(h.Ident[:elf.EI_DATA+1]) != elf.ELFMAG+string([]byte{byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)}) ||
		machine == elf.EM_NONE || elf.Machine(h.Machine) != machine || h.Phentsize != uint16(binary.Size(elf.Prog64{})) {
		return false
	}
	for i := range uint64(h.Phnum) {
		var p elf.Prog64
		at := h.Phoff + i*uint64(h.Phentsize)
		if at > uint64(len(head)) {
			return false
		}
		if _, err := binary.Decode(head[at:], binary.LittleEndian, &p); err != nil {
			return false
		}
		if elf.ProgType(p.Type) != elf.PT_INTERP {
			continue
		}
		if p.Off > uint64(len(head)) || p.Filesz > uint64(len(head))-p.Off {
			return false
		}
		loader := string(bytes.TrimRight(head[p.Off:p.Off+p.Filesz], "\x00"))
		return filepath.IsAbs(loader) && isExecutable(loader)
	}
	return true // static
}
