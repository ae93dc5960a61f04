package executor

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// maxWaiting bounds how many cells wait at the same time.
const maxWaiting = 4

// waitingCells are cells that were started before their command is known: a cell starts and locks itself in while the
// model thinks. It is safe for concurrent use.
type waitingCells struct {
	sandbox *sandbox.Sandbox

	mu    sync.Mutex
	cells []*waitingCell // not taken
}

// Anticipate starts a closed cell, in the background, for the next command that only reads. release ends it unless a
// command has taken it. A cell that cannot be started is not missed: a command starts its own.
func (x *Executor) Anticipate() (release func()) { return x.cells.anticipate() }

func (ws *waitingCells) anticipate() (release func()) {
	c := &waitingCell{sandbox: ws.sandbox, started: make(chan struct{})}
	ws.mu.Lock()
	full := ws.sandbox == nil || len(ws.cells) >= maxWaiting
	if !full {
		ws.cells = append(ws.cells, c)
	}
	ws.mu.Unlock()
	if full {
		return func() {}
	}
	go c.start()
	return func() {
		if ws.remove(c) {
			c.end()
		}
	}
}

// remove removes a cell and reports whether it was there.
func (ws *waitingCells) remove(c *waitingCell) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	i := slices.Index(ws.cells, c)
	if i >= 0 {
		ws.cells = slices.Delete(ws.cells, i, i+1)
	}
	return i >= 0
}

// take returns a cell whose walls are exactly those for these needs, or nil. The caller must run a command in it.
func (ws *waitingCells) take(n sandbox.Needs) *waitingCell {
	ws.mu.Lock()
	waiting := slices.Clone(ws.cells)
	ws.mu.Unlock()
	for _, c := range waiting {
		<-c.started // it started before now
		if c.group != nil && ws.sandbox.Fits(c.entry, n) && ws.remove(c) {
			return c
		}
	}
	return nil
}

// waitingCell is one such cell.
type waitingCell struct {
	sandbox *sandbox.Sandbox
	started chan struct{} // closed once group is set, or the start has failed

	entry    *sandbox.Start
	group    *group // nil if the cell did not start
	cancel   context.CancelFunc
	out, err lateWriter
}

// start starts the cell's process.
func (c *waitingCell) start() {
	defer close(c.started)
	entry, err := c.sandbox.EnterFirst()
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.out.ready, c.err.ready = make(chan struct{}), make(chan struct{})
	cmd := exec.CommandContext(ctx, entry.Path)
	cmd.Args, cmd.Env, cmd.SysProcAttr = entry.Args, entry.Env, entry.Attr
	cmd.ExtraFiles = []*os.File{entry.Child}
	cmd.Stdout, cmd.Stderr = &c.out, &c.err
	g := newGroup(cmd)
	if err := cmd.Start(); err != nil {
		cancel()
		entry.Close()
		return
	}
	_ = entry.Child.Close() // the cell has its own
	c.entry, c.cancel, c.group = entry, cancel, g
}

// accept gives the cell its program. It reports whether the cell took it; otherwise the cell ends.
func (c *waitingCell) accept(dir string, p program, s *streams) bool {
	c.out.set(s.out)
	c.err.set(s.err)
	taken := c.entry.Send(p.file, p.argv, p.env, dir)
	if !taken {
		c.end()
	}
	return taken
}

// wait waits for the program.
func (c *waitingCell) wait(timed context.Context) (int, error) {
	defer c.cancel()
	defer c.group.close()
	defer c.entry.Close()
	defer context.AfterFunc(timed, c.cancel)()
	return c.group.wait(timed, c.entry.WaitEntered, true)
}

// end ends a cell that has no command.
func (c *waitingCell) end() {
	go func() {
		<-c.started
		if c.group == nil {
			return
		}
		_ = c.group.signal(syscall.SIGKILL)
		_ = c.group.cmd.Wait()
		c.cancel()
		c.group.close()
		c.entry.Close()
	}()
}

// lateWriter passes writes on to a writer that is set later. Writes wait for it.
type lateWriter struct {
	ready chan struct{}
	to    io.Writer
}

func (w *lateWriter) set(to io.Writer) {
	w.to = to
	close(w.ready)
}

// Write implements [io.Writer].
func (w *lateWriter) Write(p []byte) (int, error) {
	<-w.ready
	return w.to.Write(p)
}
