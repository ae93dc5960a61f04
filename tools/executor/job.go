package executor

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Job is a command to run.
type Job struct {
	shell.Command
	Dir     string
	Timeout time.Duration
	// Confine runs the command in the sandbox with these openings. If nil, it runs with all of the user's
	// rights, as confirmed commands do.
	Confine *sandbox.Needs
	// Cells are the parts of the command, each with its own openings. If set, they run one after the other,
	// like the shell would run them, instead of the whole command.
	Cells []Cell
	// Unit is the name of the unit for a confirmed command, without prefix and suffix. If empty, the command
	// runs as a child process. Note is stored with the unit for [Executor.EarlierRuns].
	Unit string
	Note json.RawMessage
	// OnOutput is called with the command's output while it runs: whole lines without secrets, at most the last
	// 64 KiB at a time. It can be nil, and it is not called after Run has returned.
	OnOutput func(text string)
}

// Cell is a part of a command with its own openings.
type Cell struct {
	After string // ";", "&&" or "||"; "" for the first part
	shell.Command
	Needs sandbox.Needs
}

// Result is the result of a command.
type Result struct {
	Stdout, Stderr string
	Exit           int  // status; 128+n if signal n ended it; -1 if it did not start
	Cut            bool // some output was left out
	Bytes          int  // size of the output before it was cut
	TimedOut       bool
	Took           time.Duration

	run *unit.Run // the run's files on disk, or nil
}

// HasFiles reports whether the run has files on disk.
func (r Result) HasFiles() bool { return r.run != nil }

// Files returns a result that has the run's files only.
func (r Result) Files() Result { return Result{run: r.run} }

// RemoveFiles removes the run's files.
func (r Result) RemoveFiles() error {
	if r.run == nil {
		return nil
	}
	return r.run.Remove()
}
