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

// ErrNoTurn reports a capability that is invalid, belongs to another process, or whose turn has ended.
var ErrNoTurn = errors.New("no such turn is running")

// Tools returns the tools of the turn with this capability. pid is the calling process, which must be a
// descendant of the claude process that got the capability.
func (p *Program) Tools(turn string, pid int) ([]providers.ToolDefinition, error) {
	w := p.processOf(turn, pid)
	if w == nil {
		return nil, ErrNoTurn
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tools), nil
}

// Call runs a tool call in the turn with this capability through the request's own Call. It is cancelled when
// the turn ends.
func (p *Program) Call(ctx context.Context, turn string, pid int, use providers.Block) (providers.Block, error) {
	w := p.processOf(turn, pid)
	if w == nil {
		return providers.Block{}, ErrNoTurn
	}
	a := w.beginCall()
	if a == nil {
		return providers.Block{}, ErrNoTurn
	}
	defer w.endCall(a)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(a.ctx, cancel)
	defer stop()
	return a.runCall(ctx, use), nil
}

func (p *Program) processOf(turn string, pid int) *process {
	p.mu.Lock()
	w := p.turns[turn]
	p.mu.Unlock()
	if w == nil || turn == "" || !isDescendant(pid, w.child.PID) {
		return nil
	}
	return w
}

// maxDescent bounds the number of ancestors to check: claude starts our server directly or through a shell.
const maxDescent = 8

// isDescendant reports whether a process is another one or its descendant (proc_pid_stat(5)).
func isDescendant(pid, from int) bool {
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
	// PID (NAME) STATE PPID …, where NAME can contain any character.
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
