package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// outputGrace is how long to wait after the command's end for output of processes that it did not wait for.
const outputGrace = time.Second

// recorder records one run.
type recorder struct {
	dir           string
	command       Command
	alive         *os.File
	file          *os.File // becomes result.json
	out           output
	errOut        output
	ended         chan syscall.WaitStatus // the command has ended
	noProcess     chan struct{}           // no process is left
	stopRequested bool                    // the unit was told to end
	result        Result
}

// output is one of the command's two outputs.
type output struct {
	*streamWriter
	read, write *os.File
	eof         chan struct{}
}

// newRecorder takes the command of a directory and prepares everything for it.
func newRecorder(dir string) (*recorder, error) {
	r := &recorder{dir: dir, ended: make(chan syscall.WaitStatus, 1), noProcess: make(chan struct{})}
	var err error
	// Open both ends, because opening the one for writing would wait for a reader.
	if r.alive, err = os.OpenFile(filepath.Join(dir, AliveFile), os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("cannot open the run's pipe: %w", err)
	}
	if r.command, err = takeCommand(dir); err != nil {
		r.alive.Close()
		return nil, err
	}
	if err = r.createResultFile(); err == nil {
		err = r.out.open(filepath.Join(dir, StdoutFile), r.command.Keep)
	}
	if err == nil {
		err = r.errOut.open(filepath.Join(dir, StderrFile), r.command.Keep)
	}
	if err != nil {
		return nil, errors.Join(err, r.alive.Close())
	}
	return r, nil
}

// createResultFile creates the file of the result with allocated space, which would be missing if the command fills the
// disk. Not every file system supports this.
func (r *recorder) createResultFile() error {
	f, err := os.OpenFile(filepath.Join(r.dir, ResultFile+".new"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot create the result file: %w", err)
	}
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, 4096)
	r.file = f
	return nil
}

func (o *output) open(path string, keep int64) error {
	var err error
	if o.streamWriter, err = newStreamWriter(path, keep); err != nil {
		return fmt.Errorf("cannot save the output: %w", err)
	}
	// Not os.Pipe: its write end would be non-blocking, and the command inherits it.
	fds := []int{-1, -1}
	if err := unix.Pipe2(fds, unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("cannot create a pipe: %w", err)
	}
	o.read, o.write = os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write")
	o.eof = make(chan struct{})
	return nil
}

func (r *recorder) close() { r.alive.Close() }

// run starts the command and returns when none of its processes is left.
func (r *recorder) run() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot become the command's subreaper: %w", err)
	}
	// Handle the signals instead of ignoring them, which the command would inherit.
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	pid, err := r.start()
	if err != nil {
		r.result.Exit, r.result.Error = -1, err.Error()
		err := r.finish()
		notify("READY=1")
		return err
	}
	notify("READY=1")
	go r.reap(pid)
	status := r.waitForEnd(told)
	r.waitForOutput()
	r.result.Exit, r.result.Took = exitStatus(status), time.Since(r.result.Started)
	// The command's end and the signal to end can arrive in any order.
	r.result.TimedOut = r.result.Took >= r.command.Timeout && (r.stopRequested || status.Signaled())
	if err := r.finish(); err != nil {
		return err
	}
	r.waitForBackground()
	return nil
}

// start starts the command in its own session, without input, and begins to read its output.
func (r *recorder) start() (int, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	r.result.Started = time.Now()
	p, err := os.StartProcess(r.command.File, r.command.Argv, &os.ProcAttr{
		Dir: r.command.Dir, Env: r.command.Env, Files: []*os.File{null, r.out.write, r.errOut.write},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	r.out.write.Close()
	r.errOut.write.Close()
	if err != nil {
		return 0, err
	}
	pid := p.Pid
	_ = p.Release() // reap waits for it and all other children
	go r.out.copy()
	go r.errOut.copy()
	return pid, nil
}

func (o *output) copy() {
	defer close(o.eof)
	copyAll(o.read, o.streamWriter)
}

// reap waits for the command and all other children of this process.
func (r *recorder) reap(command int) {
	defer close(r.noProcess)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD: no process is left
			return
		case pid == command:
			r.ended <- status
		}
	}
}

// waitForEnd waits for the command's end. A signal to end means that the whole unit is about to be killed, so it
// immediately writes the result for that case.
func (r *recorder) waitForEnd(told <-chan os.Signal) syscall.WaitStatus {
	for {
		select {
		case status := <-r.ended:
			return status
		case <-told:
			took := time.Since(r.result.Started)
			r.stopRequested = true
			_ = WriteFile(r.dir, EndingFile, Result{
				Exit: 128 + int(syscall.SIGKILL), Started: r.result.Started, Took: took, TimedOut: took >= r.command.Timeout,
			})
		}
	}
}

// waitForOutput waits a moment for the rest of the output.
func (r *recorder) waitForOutput() {
	timer := time.NewTimer(outputGrace)
	defer timer.Stop()
	for _, eof := range []chan struct{}{r.out.eof, r.errOut.eof} {
		select {
		case <-eof:
		case <-timer.C:
			return
		}
	}
}

// finish writes the result and closes the pipe that signals that there is none yet.
func (r *recorder) finish() error {
	if err := errors.Join(r.out.close(), r.errOut.close()); err != nil && r.result.Error == "" {
		r.result.Error = "cannot save the output: " + err.Error()
	}
	data, err := encode(r.result)
	if err == nil {
		_, err = r.file.Write(data)
	}
	if err = errors.Join(err, commitFile(r.file, r.dir, ResultFile)); err != nil {
		return fmt.Errorf("cannot write the command's result: %w", err)
	}
	fmt.Fprintf(os.Stderr, "ended with %d after %s, %d bytes of output\n",
		r.result.Exit, r.result.Took.Round(time.Millisecond), r.out.bytes+r.errOut.bytes)
	return r.alive.Close()
}

// unlimitedRuntime replaces the unit's RuntimeMaxSec, which only applies to the command, in microseconds: a hundred
// years.
const unlimitedRuntime = 100 * 365 * 24 * 3600 * 1_000_000

// waitForBackground waits for the programs that the command left in the background.
func (r *recorder) waitForBackground() {
	select {
	case <-r.noProcess:
		return
	default:
	}
	notify("EXTEND_TIMEOUT_USEC=" + strconv.FormatInt(unlimitedRuntime, 10) +
		"\nSTATUS=the command has ended, its background programs are running")
	<-r.noProcess
}

// exitStatus returns an exit status like shells do.
func exitStatus(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// Main records the run in the directory that is its only argument. It returns the exit status, which is the
// command's if it ran.
func Main(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, Name+": started by blunux-ai, not by hand")
		return exitUsage
	}
	r, err := newRecorder(args[0])
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "not started: called off")
		return 0
	}
	if err == nil {
		defer r.close()
		err = r.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitTrouble
	}
	return max(r.result.Exit, 0)
}

// takeCommand reads the command and removes its file, so that it is never started twice. If the file was already taken
// or called off, the error is [fs.ErrNotExist]. The removal is synced, so that the file does not reappear after
// a power failure.
func takeCommand(dir string) (Command, error) {
	var c Command
	path := filepath.Join(dir, CommandFile)
	err := ReadFile(dir, CommandFile, &c)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = disk.SyncDir(dir)
	}
	if err != nil {
		return c, fmt.Errorf("cannot take the command: %w", err)
	}
	return c, nil
}

// copyAll copies r to w until the end.
func copyAll(r io.Reader, w io.Writer) {
	_, _ = io.CopyBuffer(w, r, make([]byte, 64<<10)) // w accepts everything
}
