package daemon

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// followUp waits for the commands of a task that kept running, or ended, without a daemon, and reports their
// results. It waits in the queue of its conversation, like the turn it ends.
func (rc *Recovery) followUp(rt *settings.Runtime, r task.Record, runs []tools.UnfinishedRun, lang i18n.Lang) {
	j := &job{rec: r, answerIn: lang, client: noClient{}, state: task.Running}
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	leave := rc.ts.life.Idle.Begin(life.ActivityTask)
	rc.ts.jobs.add(j)
	work := func() {
		defer leave()
		defer rc.ts.jobs.remove(j)
		defer j.cancel(nil)
		rc.awaitCommands(rt, j, runs)
	}
	if _, err := rc.ts.queues.add(queueKey(r.Channel, r.Name), work); err != nil {
		rc.ts.life.Serving.Go(work) // the queue is full, but the task must be ended
	}
}

func (rc *Recovery) awaitCommands(rt *settings.Runtime, j *job, runs []tools.UnfinishedRun) {
	outcome, results := map[commandlog.Ref]providers.Step{}, map[string]string{}
	for _, run := range runs {
		step, err := run.Wait(j.ctx)
		switch {
		case errors.Is(err, tools.ErrStillRunning):
			return // the next daemon waits for it
		case errors.Is(err, tools.ErrNotStarted):
			step.Stderr = err.Error()
		case err != nil:
			rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot wait for command of earlier daemon")
		}
		outcome[run.Ref] = step
		results[run.CallID] += tools.StepText(step)
	}
	ran, err := rt.CommandLog.RunsSince(j.rec.ID, j.rec.LogFrom)
	if err != nil {
		rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot read commands of task")
	}
	rows := interruptedRows(j.rec, ran, j.answerIn)
	brief := strings.Join(rows, "\n")
	for _, c := range ran {
		if step, ok := outcome[c.Ref]; ok {
			rows = append(rows, outputRows(step)...)
		}
	}
	text := chat.BoundBody(strings.Join(rows, "\n"), j.answerIn)
	rc.ts.addToConversation(j.rec.Session, session.LateResult{Results: results, Text: text, Brief: brief, Tool: "run_command"})
	rc.endInterrupted(j.rec, text, "the daemon died while commands ran")
	for _, run := range runs {
		if err := run.Remove(); err != nil {
			rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot remove command record")
		}
	}
}

// outputRows returns the output of a command, below its command line.
func outputRows(s providers.Step) []string {
	text := strings.TrimSpace(s.Stdout + s.Stderr)
	if text == "" {
		return nil
	}
	return []string{"", "$ " + s.Command, text}
}
