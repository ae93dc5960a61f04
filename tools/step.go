package tools

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// stepResult is the result of a command of a call, whether it ran or not.
type stepResult struct {
	providers.Step
	bytes      int            // size of its output
	cut        bool           // some of the output was left out
	noteChange *memory.Change // its change of the notes
}

// step records and runs one command of a call.
func (r run) step(ctx context.Context, j JudgedPlan, index int, class commandlog.Class) (stepResult, error) {
	if j.Plan.Action != nil {
		return r.stepAction(ctx, j, class)
	}
	c := j.Plan.Commands[index]
	step := stepResult{Step: providers.Step{Command: c.String(), Exit: -1}}
	for _, program := range startedPrograms(c.argv()) {
		if !r.env.HasProgram(program) {
			step.MissingProgram = program
			class = commandlog.Failed
			break
		}
	}
	rec, err := r.beginRecord(j, class, step.Command)
	if err != nil {
		return step, err
	}
	if step.MissingProgram != "" {
		return step, nil
	}
	job := Job{Command: c, Dir: j.Plan.Dir, Timeout: j.Plan.Timeout, Cells: j.commandCells(index, class)}
	if class == commandlog.Confirmed {
		job.Note = r.encodeNote(j, index, rec.ref)
	}
	if j.Origin.Watched {
		job.OnOutput = func(text string) { r.report(j, Event{State: StateRunning, Output: text}) }
	}
	crash.Here(crash.BeforeExec)
	res, err := r.startJob(ctx, job, j.Origin.Task)
	crash.Here(crash.ExecEnded)
	if errors.Is(err, ErrStillRunning) { // the next process records its result
		return step, fmt.Errorf("%w: %s", err, step.Command)
	}
	r.endRecord(rec, r.logResult(res, err))
	r.saveRun(j.Origin.Task, res)
	if ctx.Err() != nil {
		return step, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step.Step = fillStep(step.Step, res, err)
	if step.TimedOut {
		step.Limit = int(job.Timeout.Seconds())
	}
	if program := c.notFound(step.Exit, r.env.HasProgram); program != "" {
		step.MissingProgram = program
	}
	if class == commandlog.Confirmed {
		step.Step = r.addByHand(j, index, step.Step)
	}
	if errors.Is(err, exec.ErrNotFound) {
		step.MissingProgram = c.argv()[0]
	}
	if err != nil && !step.Interrupted {
		if _, lerr := r.beginRecord(j, commandlog.Failed, step.Command); lerr != nil {
			return step, lerr
		}
	}
	step.bytes, step.cut = res.Bytes, res.Cut
	return step, nil
}

// startJob runs a job. A confirmed job runs in a unit named after its task.
func (r run) startJob(ctx context.Context, job Job, task string) (Result, error) {
	for {
		if job.Note != nil {
			job.Unit = r.unitNames.next(task)
		}
		res, err := r.executor.Run(ctx, job)
		if errors.Is(err, unit.ErrExists) { // by an earlier daemon's command, or one with background processes
			continue
		}
		return res, err
	}
}

// logResult returns a command's result for the command log.
func (g *Gate) logResult(res Result, err error) commandlog.Result {
	ended := commandlog.Result{Exit: res.Exit, Took: res.Took, TimedOut: res.TimedOut}
	switch {
	case errors.Is(err, context.Canceled):
		ended.Error = commandlog.ErrorCancelled
	case err != nil:
		ended.Error = g.redactor.Redact(err.Error())
	}
	return ended
}

// fillStep fills a step with the result of its command.
func fillStep(step providers.Step, res Result, err error) providers.Step {
	step.Stdout, step.Stderr, step.Exit = res.Stdout, res.Stderr, res.Exit
	step.TimedOut, step.Cut = res.TimedOut, res.Cut
	step.Interrupted = errors.Is(err, unit.ErrUnknown)
	if err != nil && !step.Interrupted {
		step.Stderr = err.Error()
	}
	return step
}

// StepText returns the text for a model about a command whose result came late.
func StepText(s providers.Step) string { return stepsText([]providers.Step{s}) }

// stepsText returns the text for a model about the executed commands.
func stepsText(steps []providers.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "$ %s\n", s.Command)
		if s.MissingProgram != "" {
			fmt.Fprintf(&b, "[%s]\n", missingText(s.MissingProgram, s.FoundPath))
			continue
		}
		writeStream(&b, s.Stdout)
		if strings.TrimSpace(s.Stderr) != "" {
			b.WriteString("[stderr]\n")
			writeStream(&b, s.Stderr)
		}
		switch {
		case s.Interrupted:
			b.WriteString("[started, but the result is unknown: check before you run it again]\n")
		case s.TimedOut:
			b.WriteString(timeoutText(s.Limit))
		case s.Denied != "":
			fmt.Fprintf(&b, "[exit %d: no root's rights (%s); never ask for a password: tell the person to run this in a terminal: %s]\n", s.Exit, s.Denied, s.ManualCommand)
		case s.Exit != 0:
			fmt.Fprintf(&b, "[exit %d]\n", s.Exit)
		case s.Stdout == "" && s.Stderr == "":
			b.WriteString("[no output, exit 0]\n")
		}
	}
	return b.String()
}

func timeoutText(limit int) string {
	if limit == 0 {
		return "[timed out, killed]\n"
	}
	return fmt.Sprintf("[timed out after %d s, killed]\n", limit)
}

// notFound returns the program of a shell source that is a single command, if the shell did not find it:
// bash(1), "EXIT STATUS".
func (c Command) notFound(exit int, has func(string) bool) string {
	const commandNotFound = 127
	if c.Shell == "" || exit != commandNotFound {
		return ""
	}
	argv, literal := parseLiteral(c.Shell)
	if !literal || strings.Contains(argv[0], "/") || has(argv[0]) {
		return ""
	}
	return argv[0]
}

func writeStream(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}
