package record

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// linger is how long after the command's end its output may still come, from
// what it started and did not wait for.
const linger = time.Second

// recorder is one run being recorded.
type recorder struct {
	dir     string
	command Command
	alive   *os.File
	file    *os.File // becomes result.json
	out     output
	errOut  output
	ended   chan syscall.WaitStatus // the command has ended
	alone   chan struct{}           // no process is left
	told    bool                    // to end, with the whole unit
	result  Result
}

// output is one of the command's two outputs.
type output struct {
	*keeper
	read, write *os.File
	eof         chan struct{}
}

// open takes the command of a directory and makes everything ready for it.
func open(dir string) (*recorder, error) {
	r := &recorder{dir: dir, ended: make(chan syscall.WaitStatus, 1), alone: make(chan struct{})}
	var err error
	// Both ends, since opening the one for writing would wait for a reader.
	if r.alive, err = os.OpenFile(filepath.Join(dir, AliveFile), os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("cannot say that the run is alive: %w", err)
	}
	if r.command, err = take(dir); err != nil {
		r.alive.Close()
		return nil, err
	}
	if err = r.room(); err == nil {
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

// room makes the file of the result with room for it, which a disk that the
// command fills would not have. Not every file system can.
func (r *recorder) room() error {
	f, err := os.OpenFile(filepath.Join(r.dir, ResultFile+".new"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make the file of the result: %w", err)
	}
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, 4096)
	r.file = f
	return nil
}

func (o *output) open(path string, keep int64) error {
	var err error
	if o.keeper, err = newKeeper(path, keep); err != nil {
		return fmt.Errorf("cannot keep the output: %w", err)
	}
	// Not os.Pipe: its writing end would not block, and the command inherits it.
	fds := []int{-1, -1}
	if err := unix.Pipe2(fds, unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	o.read, o.write = os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write")
	o.eof = make(chan struct{})
	return nil
}

func (r *recorder) close() { r.alive.Close() }

// run starts the command and returns when nothing of it is left.
func (r *recorder) run() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot look after what the command leaves: %w", err)
	}
	// Handled and not ignored, which the command would inherit.
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
	status := r.await(told)
	r.settle()
	r.result.Exit, r.result.Took = exitOf(status), time.Since(r.result.Started)
	// Its own end and the news that it is to end may arrive in either order.
	r.result.TimedOut = r.result.Took >= r.command.Timeout && (r.told || status.Signaled())
	if err := r.finish(); err != nil {
		return err
	}
	r.drain()
	return nil
}

// start starts the command in a session of its own, with no input, and begins
// to read what it prints.
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
	_ = p.Release() // reap waits for it, and for all others
	go r.out.copy()
	go r.errOut.copy()
	return pid, nil
}

func (o *output) copy() {
	defer close(o.eof)
	readAll(o.read, o.keeper)
}

// reap waits for the command and for whatever becomes this process's child.
func (r *recorder) reap(command int) {
	defer close(r.alone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD: there is no process left
			return
		case pid == command:
			r.ended <- status
		}
	}
}

// await waits for the command's end. When it is told to end meanwhile, all of
// the unit is, and will be killed in a moment: it writes down at once how that
// would be told.
func (r *recorder) await(told <-chan os.Signal) syscall.WaitStatus {
	for {
		select {
		case status := <-r.ended:
			return status
		case <-told:
			took := time.Since(r.result.Started)
			r.told = true
			_ = WriteFile(r.dir, EndingFile, Result{
				Exit: 128 + int(syscall.SIGKILL), Started: r.result.Started, Took: took, TimedOut: took >= r.command.Timeout,
			})
		}
	}
}

// settle waits a little for the rest of the output.
func (r *recorder) settle() {
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for _, eof := range []chan struct{}{r.out.eof, r.errOut.eof} {
		select {
		case <-eof:
		case <-timer.C:
			return
		}
	}
}

// finish writes the result and lets go of the pipe that tells that there is
// none yet.
func (r *recorder) finish() error {
	if err := errors.Join(r.out.close(), r.errOut.close()); err != nil && r.result.Error == "" {
		r.result.Error = "cannot keep the output: " + err.Error()
	}
	data, err := encode(r.result)
	if err == nil {
		_, err = r.file.Write(data)
	}
	if err = errors.Join(err, place(r.file, r.dir, ResultFile)); err != nil {
		return fmt.Errorf("cannot write how the command ended: %w", err)
	}
	fmt.Fprintf(os.Stderr, "ended with %d after %s, %d bytes of output\n",
		r.result.Exit, r.result.Took.Round(time.Millisecond), r.out.bytes+r.errOut.bytes)
	return r.alive.Close()
}

// forever lifts the unit's RuntimeMaxSec, which is meant for the command, in
// microseconds: a hundred years.
const forever = 100 * 365 * 24 * 3600 * 1_000_000

// drain stays with the programs that the command left in the background.
func (r *recorder) drain() {
	select {
	case <-r.alone:
		return
	default:
	}
	notify("EXTEND_TIMEOUT_USEC=" + strconv.FormatInt(forever, 10) +
		"\nSTATUS=the command has ended, what it left in the background goes on")
	<-r.alone
}

// exitOf is a status as shells have it.
func exitOf(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
