// Package look runs commands that only read for the daemon itself, through the gate, which judges and records them. No one is
// asked: what the checker does not class as SAFE does not run.
package look

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Runner is a [check.Runner]. It is safe for concurrent use.
type Runner struct {
	Runtime *settings.Runtime
	// Key is the key of the conversation that the commands are recorded for, Origin the task and channel.
	Key    string
	Origin tools.Origin
	// Name begins the ids of the calls in the command log.
	Name string

	calls atomic.Int64
}

// Run runs a command.
func (r *Runner) Run(ctx context.Context, argv ...string) (check.Output, error) {
	return r.RunLine(ctx, shell.CommandLine(argv))
}

// RunLine runs a command line, which may contain a glob.
func (r *Runner) RunLine(ctx context.Context, command string) (check.Output, error) {
	id := r.Name + "-" + strconv.FormatInt(r.calls.Add(1), 10)
	s, err := r.Runtime.Gate.Look(ctx, id, command, r.Origin, r.Key)
	switch {
	case errors.Is(err, tools.ErrNotLooked):
		return check.Output{}, fmt.Errorf("%w: %w", check.ErrRefused, err)
	case err != nil:
		return check.Output{}, err
	case s.MissingProgram != "":
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrMissing, s.MissingProgram)
	}
	return check.Output{Stdout: s.Stdout, Stderr: s.Stderr, Exit: s.Exit, Truncated: s.Cut}, nil
}
