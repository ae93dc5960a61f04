// Package record is the main process of a unit that runs a confirmed command
// (tools/unit): it starts the command, keeps what it prints within a limit,
// and writes down how it ended, whether or not anybody is there to hear it.
//
// A run has a directory of its own, closed to others:
//
//	command.json  what to start; the recorder removes it before it does
//	called-off.json  the same file renamed: it never starts
//	alive         a pipe that the recorder holds open until the result is written
//	stdout        what the command printed: see [Stream]
//	stderr
//	ending.json   written when the unit is told to end, in case it is killed before result.json is there
//	result.json   how the command ended
//
// Programs that the command leaves in the background become the recorder's
// children (PR_SET_CHILD_SUBREAPER, prctl(2)). It reads what they print to
// nowhere, so that they neither fill the disk nor meet a broken pipe, and
// stays as long as there is one: its own end would end the unit and them.
//
// The package imports little: the sandbox's helper links it and starts with
// every command.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nidoit/blunux-ai/journal"
)

// Name is what a program is called when it is to be a recorder; its one
// argument is the run's directory.
const Name = "blunux-ai-run"

// The files of a run.
const (
	CommandFile = "command.json"
	OffFile     = "called-off.json"
	AliveFile   = "alive"
	StdoutFile  = "stdout"
	StderrFile  = "stderr"
	EndingFile  = "ending.json"
	ResultFile  = "result.json"
)

// Command is what a recorder starts.
type Command struct {
	File    string        `json:"file"` // absolute path of the program
	Argv    []string      `json:"argv"` // name first
	Env     []string      `json:"env"`  // all of it
	Dir     string        `json:"dir"`
	Timeout time.Duration `json:"timeout"` // after which an end from outside counts as timed out
	Keep    int64         `json:"keep"`    // bytes of the beginning and of the end of each stream that are kept
}

// Result is how a command ended.
type Result struct {
	Exit     int           `json:"exit"` // status; 128+n when signal n ended it; -1 when it did not start
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Error    string        `json:"error,omitempty"` // why it did not start, or its output was not kept
}

// The statuses of a recorder that has no command to report.
const (
	exitUsage   = 2
	exitTrouble = 125
)

// Main records the run in the directory that is its only argument. It returns
// the status to exit with, the command's where there was one.
func Main(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, Name+": started by blunux-ai, not by hand")
		return exitUsage
	}
	r, err := open(args[0])
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "not started: it was called off")
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

// take reads the command and takes its file away, so that nobody starts it a
// second time. Whoever takes the file first has decided: the error is
// [fs.ErrNotExist] when that was somebody else. A machine that loses power
// must not bring the file back.
func take(dir string) (Command, error) {
	var c Command
	path := filepath.Join(dir, CommandFile)
	err := ReadFile(dir, CommandFile, &c)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return c, fmt.Errorf("cannot take the command: %w", err)
	}
	return c, nil
}

// CallOff keeps a command from being started. It reports false when the
// recorder has taken it already, and it has run or is running. What it
// reported once it reports always.
func CallOff(dir string) (bool, error) {
	err := os.Rename(filepath.Join(dir, CommandFile), filepath.Join(dir, OffFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Lstat(filepath.Join(dir, OffFile))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("cannot call the command off: %w", err)
	}
	return true, nil
}

// ReadResult returns what a run's directory says of the command's end: its
// result, or what was written when the unit was told to end. The error is
// [fs.ErrNotExist] when it says nothing.
func ReadResult(dir string) (Result, error) {
	var r Result
	err := ReadFile(dir, ResultFile, &r)
	if errors.Is(err, fs.ErrNotExist) {
		err = ReadFile(dir, EndingFile, &r)
	}
	if err != nil {
		return r, fmt.Errorf("cannot read how the command ended: %w", err)
	}
	return r, nil
}

// WriteFile puts v in a file of the directory, whole or not at all, and
// returns when it is on the disk.
func WriteFile(dir, name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".new"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, place(f, dir, name))
}

func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return journal.Stamp(data), err
}

// ReadFile reads a JSON file of the directory into v. It returns a
// [journal.VersionError] and leaves the file as it is if a newer program wrote it.
func ReadFile(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err == nil {
		err = journal.CheckVersion(path, data)
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	return err
}

// place syncs a file, closes it and gives it its name.
func place(f *os.File, dir, name string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir puts a directory's names on the disk. Some file systems cannot.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// readAll reads a raw descriptor until its end into w.
func readAll(r io.Reader, w io.Writer) {
	_, _ = io.CopyBuffer(w, r, make([]byte, 64<<10)) // w takes everything
}
