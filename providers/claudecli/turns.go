package claudecli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// ErrNoTurn reports a capability that is none, is another process's, or whose
// turn is over.
var ErrNoTurn = errors.New("no such turn is running")

// Tools returns the tools of the turn that a capability stands for. pid is who
// asks: only descendants of the process it was made for are told.
func (p *Program) Tools(turn string, pid int) ([]providers.ToolDefinition, error) {
	w := p.turnOf(turn, pid)
	if w == nil {
		return nil, ErrNoTurn
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tools), nil
}

// Call carries out a tool call in the turn that a capability stands for, as
// the request's own Call does, and returns its result. It ends when the turn
// does.
func (p *Program) Call(ctx context.Context, turn string, pid int, use providers.Block) (providers.Block, error) {
	w := p.turnOf(turn, pid)
	if w == nil {
		return providers.Block{}, ErrNoTurn
	}
	a := w.enter()
	if a == nil {
		return providers.Block{}, ErrNoTurn
	}
	defer w.leave(a)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(a.ctx, cancel)
	defer stop()
	return a.call(ctx, use), nil
}

func (p *Program) turnOf(turn string, pid int) *process {
	p.mu.Lock()
	w := p.turns[turn]
	p.mu.Unlock()
	if w == nil || turn == "" || !descends(pid, w.child.PID) {
		return nil
	}
	return w
}

// maxDescent is how many parents are looked at: claude starts our server
// itself, or through a shell.
const maxDescent = 8

// descends reports whether a process is a child of another, or a child's
// child, proc_pid_stat(5).
func descends(pid, from int) bool {
	for range maxDescent {
		if pid == from {
			return true
		}
		if pid <= 1 {
			return false
		}
		pid = parent(pid)
	}
	return false
}

func parent(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// PID (NAME) STATE PPID …; the name may hold anything.
	_, rest, _ := strings.Cut(string(stat[max(strings.LastIndexByte(string(stat), ')'), 0):]), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return n
}
