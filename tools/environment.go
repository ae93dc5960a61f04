package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// environmentAction reports with which variables of input methods and of the display the running processes of a program were
// started. The checker holds /proc/PID/environ secret, and no command may read it: this program reads it itself and shows
// nothing but what [machine.InputEnvironment] shows.
type environmentAction struct {
	looking
	// Program is the name of a program or the number of a process.
	Program string
}

const (
	// maxEnviron bounds the environment of a process that is read, and maxProcesses how many processes are reported.
	maxEnviron   = 1 << 20
	maxProcesses = 16
)

// environmentOf returns the action of a look of [machine.InputEnvironmentProbe].
func environmentOf(command string) (a environmentAction, ok bool) {
	argv, literal := shell.ParseLiteral(command)
	if !literal || len(argv) != 3 || !slices.Equal(argv, machine.InputEnvironmentProbe(argv[2])) {
		return a, false
	}
	return environmentAction{Program: argv[2]}, argv[2] != "" && action.IsObject(argv[2]) && !strings.Contains(argv[2], "/")
}

// Argv returns the command line of the action.
func (a environmentAction) Argv() []string { return machine.InputEnvironmentProbe(a.Program) }

func (environmentAction) Kind() string { return "environment" }

func (a environmentAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do writes a line for each process: its number and its variables.
func (a environmentAction) Do(ctx context.Context, _ action.Services, _ action.Call, to io.Writer) (action.Result, error) {
	dir, err := os.ReadDir("/proc")
	if err != nil {
		return action.Result{}, fmt.Errorf("cannot list the processes: %w", err)
	}
	count := 0
	for _, entry := range dir {
		if _, err := strconv.Atoi(entry.Name()); err != nil || ctx.Err() != nil || count == maxProcesses {
			continue
		}
		variables, err := a.variablesOf(entry.Name())
		if err != nil {
			continue // it is another program's or user's, or it has ended
		}
		count++
		if _, err := fmt.Fprintln(to, machine.StartedWith{PID: entry.Name(), Variables: variables}); err != nil {
			return action.Result{}, fmt.Errorf("cannot write the variables: %w", err)
		}
	}
	return action.Result{}, ctx.Err()
}

var errOther = errors.New("the process is another one's")

// variablesOf reads the variables of a process if it is one of the program and of this user. All is read below one opened
// directory, which stays that of this process when its number is used again.
func (a environmentAction) variablesOf(pid string) ([]string, error) {
	process, err := os.OpenRoot("/proc/" + pid)
	if err != nil {
		return nil, err
	}
	defer func() { _ = process.Close() }()
	info, err := process.Stat(".")
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return nil, errOther
	}
	if name, err := programOf(process); err != nil || pid != a.Program && !strings.EqualFold(name, a.Program) {
		return nil, errors.Join(err, errOther)
	}
	environ, err := readBelow(process, "environ", maxEnviron)
	if err != nil {
		return nil, err
	}
	return machine.InputEnvironment(environ), nil
}

// programOf returns the name of the program that a process runs: the first word of its command line, without its directory.
func programOf(process *os.Root) (string, error) {
	line, err := readBelow(process, "cmdline", 4<<10)
	if err != nil {
		return "", err
	}
	first, _, _ := bytes.Cut(line, []byte{0})
	return path.Base(string(first)), nil
}

func readBelow(dir *os.Root, name string, most int64) ([]byte, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY, fs.FileMode(0))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

// lookAtEnvironment does the action, which is judged and recorded like a command.
func (g *Gate) lookAtEnvironment(ctx context.Context, id string, a environmentAction, from Origin, session string) (providers.Step, error) {
	call := Call{ID: id, Name: runCommand, Input: inputOf(shell.CommandLine(a.Argv()))}
	return g.look(ctx, g.judge.classify(call, Plan{Tool: runCommand, Action: a, Timeout: g.env.Limits.Command}, session), from)
}
