// Package turns runs the tasks of people and rules.
//
// [Turns.Submit] stores a message as a task and queues it, one queue for each channel and session. The queue's worker
// runs the agent's turn ([agent.Agent]), asks for approvals ([Stored] keeps those that no turn waits for, and continues
// the turn after a late yes) and ends the task: the conversation and the answer are on disk before the client gets it. [Recovery] resumes the tasks of earlier
// daemons.
//
// A [Client] receives a task's frames. Packages serve, remote and rules implement it.
package turns

import (
	"context"
	"time"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
)

// Turns run the tasks of people and rules: queue, turn, end.
type Turns struct {
	settings   *settings.Settings
	life       *life.Life
	post       *post.Post
	files      *files.Files
	log        zerolog.Logger
	spareReady func() error
	tasks      *task.Store
	Approvals  *approval.Approvals
	spending   spending
	backlog    backlog
	Stored     *Stored
	Recovery   *Recovery
}

// Options make [Turns].
type Options struct {
	Settings  *settings.Settings
	Life      *life.Life
	Post      *post.Post
	Files     *files.Files
	Tasks     *task.Store
	Approvals *approval.Approvals
	Ledger    *usage.Ledger
	Log       zerolog.Logger
	// SpareReady reports whether commands that only read can be recorded elsewhere while the disk takes no records. If
	// it is nil, nothing runs then.
	SpareReady func() error
}

// New returns the turns, with what earlier daemons left. [Turns.connect] must follow.
func New(o Options) *Turns {
	ts := &Turns{
		settings: o.Settings, life: o.Life, post: o.Post, files: o.Files, log: o.Log, spareReady: o.SpareReady,
		tasks: o.Tasks, Approvals: o.Approvals, spending: spending{ledger: o.Ledger},
		backlog: backlog{queues: newQueues(), jobs: newJobs()},
	}
	ts.tasks.SetRedactor(ts.settings.Redactor)
	ts.Approvals.SetRedactor(ts.settings.Redactor)
	ts.Stored = &Stored{ts: ts}
	ts.Recovery = &Recovery{ts: ts}
	ts.Recovery.load()
	return ts
}

// Connect connects those whom the turns work for.
func (ts *Turns) Connect(rules Rules, senders Senders) {
	ts.backlog.rules, ts.Recovery.senders = rules, senders
}

// backlog is the work of the turns and whose rules it serves.
type backlog struct {
	queues *queues
	jobs   *jobs
	rules  Rules
}

// Size returns how many tasks run and how many wait.
func (ts *Turns) Size() (running, waiting int) { return ts.backlog.queues.size() }

// Running returns the counters of the running tasks, oldest first.
func (ts *Turns) Running() []ipc.TaskUsage { return ts.backlog.jobs.usage(time.Now()) }

// Wait returns when no task runs or waits.
func (ts *Turns) Wait() { ts.backlog.queues.wait() }

// Leave leaves the tasks that wait, or all, to the next daemon.
func (ts *Turns) Leave(all bool) {
	for _, j := range ts.backlog.jobs.all() {
		if all || j.currentState() != task.Running {
			ts.abort(j, settings.ErrStopping)
		}
	}
}

// Close closes the files.
func (ts *Turns) Close() error {
	ts.tasks.Close()
	ts.Approvals.Close()
	return ts.spending.ledger.Close()
}

// Rules are the automations whose tasks run as turns.
type Rules interface {
	// WithAutomation returns the context of a task's turn, with the budget of its rule.
	WithAutomation(ctx context.Context, r task.Record) context.Context
	// ClientOf returns the client of a rule's task.
	ClientOf(r task.Record) Client
	// AnnounceFor sends the answer of a task on its rule's channels and reports whether it is in the outbox.
	AnnounceFor(r task.Record, body string) bool
	// AnnounceStored sends the end of an approval that a rule's task asked for.
	AnnounceStored(r approval.Record, who AnswerSource, o automation.Outcome)
	// EndTaskRun ends the run of a task that is over.
	EndTaskRun(r task.Record, o automation.Outcome)
	// ResumeRuns resumes the runs of earlier daemons.
	ResumeRuns()
}

// Senders are the people who write over a messenger.
type Senders interface {
	// ClientOf returns the client of a task that an earlier daemon accepted.
	ClientOf(r task.Record, lang i18n.Lang) Client
	// RepeatQuestion repeats the question of such a task.
	RepeatQuestion(r task.Record)
}
