// Package child starts programs that communicate over pipes and must not outlive this process: a model's program
// and MCP servers.
//
// Each child has its own session and process group, which is killed as a whole. The kernel kills the first process
// when this process dies for any reason.
package child

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outputGrace is how long a child's output may stay open after its end.
const outputGrace = 2 * time.Second

// Start describes the program to start.
type Start struct {
	File string // absolute
	Args []string
	Dir  string
	Env  []string
	// Errors receives the standard error, from one goroutine.
	Errors io.Writer
}

// Child is a running program.
type Child struct {
	PID    int
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	done   chan struct{}
	exit   error
	mu     sync.Mutex // held while the group's pid is released
	reaped bool
}

// New starts a program and waits for its end in the background.
func New(s Start) (*Child, error) {
	cmd := exec.Command(s.File, s.Args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = s.Dir, s.Env, s.Errors, outputGrace
	// The kernel kills the child when this process dies for any reason.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &Child{Stdout: out, done: make(chan struct{})}
	cmd.Stdout = childOut
	if c.Stdin, err = cmd.StdinPipe(); err != nil {
		out.Close()
		childOut.Close()
		return nil, err
	}
	started := make(chan error, 1)
	go func() {
		// PR_SET_PDEATHSIG(2const) refers to the thread that started the child, so this thread must live as long
		// as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		childOut.Close()
		if err == nil {
			c.PID = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			c.reap(cmd, out)
		}
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, err
	}
	return c, nil
}

// reap waits for the leader's end, kills the rest of its group while the group's pid is still reserved, and
// collects the exit status.
func (c *Child) reap(cmd *exec.Cmd, out *os.File) {
	for {
		err := unix.Waitid(unix.P_PID, c.PID, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.mu.Lock()
	c.reaped = true
	_ = unix.Kill(-c.PID, unix.SIGKILL)
	c.mu.Unlock()
	// Processes that left the group may keep the output open. Do not wait for them longer than that.
	closing := time.AfterFunc(outputGrace, func() { out.Close() })
	defer closing.Stop()
	c.exit = cmd.Wait()
	close(c.done)
}

// Done is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Exit returns the error of the program's exit, nil for success, once [Child.Done] is closed.
func (c *Child) Exit() error { return c.exit }

// Kill kills the whole process group. It does not wait.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = unix.Kill(-c.PID, unix.SIGKILL)
	}
}
