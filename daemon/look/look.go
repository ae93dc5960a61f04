// Package look runs commands that only read for the daemon itself, through the gate, which judges and records them. Nobody is
// asked: what the checker does not class as SAFE does not run.
package look

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
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
	input, err := json.Marshal(map[string]string{"command": shell.CommandLine(argv)})
	if err != nil {
		return check.Output{}, fmt.Errorf("cannot write the command: %w", err)
	}
	call := tools.Call{ID: r.Name + "-" + strconv.FormatInt(r.calls.Add(1), 10), Name: "run_command", Input: input}
	j, refused := r.Runtime.Gate.Prepare(call, r.Key, r.Runtime.Config.Home)
	if refused != nil {
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrRefused, refused.Text)
	}
	if j.Class != safety.Safe {
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrRefused, j.Command())
	}
	j.Origin = r.Origin
	out := r.Runtime.Gate.Run(ctx, j, denyAll{}, nil)
	switch {
	case ctx.Err() != nil:
		return check.Output{}, ctx.Err()
	case out.Output.Refusal != "" || len(out.Output.Steps) == 0:
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrRefused, out.Text)
	}
	s := out.Output.Steps[0]
	if s.MissingProgram != "" {
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrMissing, s.MissingProgram)
	}
	return check.Output{Stdout: s.Stdout, Stderr: s.Stderr, Exit: s.Exit, Truncated: s.Cut}, nil
}

// denyAll rejects every approval, since read-only commands need none.
type denyAll struct{}

// Approve rejects the plan.
func (denyAll) Approve(context.Context, tools.JudgedPlan) tools.Decision {
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}
}
