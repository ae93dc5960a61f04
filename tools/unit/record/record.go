// Package record is the main process of a unit that runs a confirmed command (tools/unit): it starts the
// command, stores a limited part of its output, and records its result even if no daemon is running.
//
// Each run has a private directory with the files below. Programs that the command leaves in the background become the
// recorder's children (PR_SET_CHILD_SUBREAPER, prctl(2)). It discards their output, so that they neither fill the disk
// nor get a broken pipe, and stays until they have ended: its own end would end the unit and them.
//
// The package imports little, because the sandbox's helper links it and starts with every command.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
)

// Name is the argv[0] that makes a program a recorder. Its one argument is the run's directory.
const Name = "blunux-ai-run"

// The files of a run.
const (
	CommandFile   = "command.json"    // what to start; the recorder removes it before the start
	CancelledFile = "called-off.json" // the same file renamed: the command never starts
	AliveFile     = "alive"           // a pipe that the recorder holds open until the result is written
	StdoutFile    = "stdout"          // the command's output, see [Stream]
	StderrFile    = "stderr"
	EndingFile    = "ending.json" // written when the unit is told to end, in case it is killed before the result is written
	ResultFile    = "result.json" // the command's result
)

// Command is what a recorder starts.
type Command struct {
	File    string        `json:"file"` // absolute path of the program
	Argv    []string      `json:"argv"` // name first
	Env     []string      `json:"env"`  // the complete environment
	Dir     string        `json:"dir"`
	Timeout time.Duration `json:"timeout"` // after which an end from outside counts as timed out
	Keep    int64         `json:"keep"`    // bytes to keep of the beginning and of the end of each stream
}

// Result is the result of a command.
type Result struct {
	Exit     int           `json:"exit"` // status; 128+n if signal n ended it; -1 if it did not start
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Error    string        `json:"error,omitempty"` // why it did not start or its output was not saved
}

// The exit statuses of a recorder without a command's status.
const (
	exitUsage   = 2
	exitTrouble = 125
)

// Cancel prevents a command from being started. It returns false if the recorder has already taken it, so that
// it is running or has run. Later calls return the same.
func Cancel(dir string) (bool, error) {
	err := os.Rename(filepath.Join(dir, CommandFile), filepath.Join(dir, CancelledFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Lstat(filepath.Join(dir, CancelledFile))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("cannot call the command off: %w", err)
	}
	return true, nil
}

// ReadResult returns the result in a run's directory: the recorded one, or the one written when the unit was
// asked to end. The error is [fs.ErrNotExist] if there is none.
func ReadResult(dir string) (Result, error) {
	var r Result
	err := ReadFile(dir, ResultFile, &r)
	if errors.Is(err, fs.ErrNotExist) {
		err = ReadFile(dir, EndingFile, &r)
	}
	if err != nil {
		return r, fmt.Errorf("cannot read the command's result: %w", err)
	}
	return r, nil
}

// WriteFile writes v to a file of the directory atomically, and returns when it is on disk.
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
	return errors.Join(err, commitFile(f, dir, name))
}

func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return journal.AddVersion(data), err
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

// commitFile syncs and closes a file, and renames it to name.
func commitFile(f *os.File, dir, name string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}
