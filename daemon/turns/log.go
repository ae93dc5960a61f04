package turns

import (
	"context"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/rs/zerolog"
)

// The log has these lines per task: queued, each round, each tool call, each provider request, ended. Words of
// people and models, and output of tools, only appear in the request bodies at level trace.

// logOf returns a logger with the fields of a job.
func (ts *Turns) logOf(j *job) zerolog.Logger {
	return ts.log.With().Str("task", j.rec.ID).Str("session", j.rec.Session).Str("channel", j.rec.Channel).Logger()
}

// withLog returns a context that carries the job's logger to [NewObserver].
func (w *worker) withLog(ctx context.Context) context.Context {
	log := w.ts.logOf(w.job)
	return log.WithContext(ctx)
}

func (ts *Turns) logQueued(j *job) {
	running, waiting := ts.backlog.queues.size()
	log := ts.logOf(j)
	log.Debug().Int("words", len(j.rec.Text)).Bool("again", j.retried).Int("running", running).Int("waiting", waiting).Msg("queued")
}

func (ts *Turns) logEnded(j *job) {
	log, u := ts.logOf(j), j.usageInfo(time.Now())
	log.Debug().Str("state", u.State).Int("rounds", u.Rounds).Int("in", u.TokensIn).Int("out", u.TokensOut).
		Int("commands", u.Commands).Dur("age_ms", time.Since(j.rec.Created)).Msg("ended")
}

// logRound counts and logs one request of the turn to a model.
func (w *worker) logRound(r agent.Round) {
	w.stats.round(r)
	w.bookRound(r)
	log := w.ts.logOf(w.job)
	e := log.Debug().Int("round", r.Number).Int("history", r.History).Int("calls", r.Calls).Str("stop", string(r.Stop)).
		Int("in", r.Usage.InputTokens).Int("out", r.Usage.OutputTokens).Str("provider", r.Provider).Str("model", r.Model).Dur("took_ms", r.Took)
	if r.Err != nil {
		e = e.Str("error", w.rt.Redact(r.Err.Error()))
	}
	e.Msg("round")
}

// logCall counts and logs a tool call.
func (w *worker) logCall(e tools.Event) {
	log := w.ts.logOf(w.job)
	line := log.Info()
	if e.State == tools.StateRunning {
		line = log.Debug()
	}
	line = line.Str("tool", e.Name).Str("class", e.Class).Str("state", e.State)
	if e.State != tools.StateRunning {
		line = line.Int("exit", e.Exit).Dur("took_ms", e.Took).Int("out_bytes", e.OutBytes)
	}
	if e.Reason != "" {
		line = line.Str("reason", e.Reason)
	}
	line.Msg("tool call")
	if e.State == tools.StateDone {
		w.stats.commands.Add(1)
	}
}
