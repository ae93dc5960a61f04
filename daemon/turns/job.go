package turns

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// job is a task that is active in this daemon. Its record is in the store. The job has its client and how to stop
// it.
type job struct {
	rec      task.Record // as it was accepted
	req      ipc.Request
	answerIn i18n.Lang
	client   Client
	retried  bool // an earlier daemon started it
	ctx      context.Context
	cancel   context.CancelCauseFunc
	// accepted waits until the task's record is on disk and its client knows, and returns the error of the former. nil
	// means that it is.
	accepted func() error
	// dequeue removes a waiting job from its queue and releases it.
	dequeue func()

	err   error // why it has no answer
	stats jobStats

	mu    sync.Mutex
	state task.State
}

// step changes the state and reports whether that was possible.
func (j *job) step(c task.Change) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	next, err := j.state.Next(c)
	if err != nil {
		return false
	}
	j.state = next
	return true
}

// awaitAccepted waits for the task's record. On an error nothing of the task may happen: [Turns.Accept] reports it.
func (j *job) awaitAccepted() error {
	if j.accepted == nil {
		return nil
	}
	return j.accepted()
}

func (j *job) currentState() task.State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state
}

// recordChange logs the error of storing a job's change, and publishes the change. A change that cannot be stored
// costs a retry after a crash, not the answer.
func (ts *Turns) recordChange(j *job, err error) {
	if err != nil && !errors.Is(err, task.ErrUnknown) {
		ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot save task")
	}
	ts.publishTask(j.rec.ID)
}

func (ts *Turns) publishTask(id string) {
	if r, err := ts.tasks.Get(id); err == nil {
		ts.post.Events.Publish(post.TopicTasks, infoOf(r))
	}
}

// end is how a job ends: its last frame, and what is stored of it.
type end struct {
	change  task.Change
	frame   ipc.Message
	failure *task.Failure
	unsaid  *task.ConversationUpdate // what the conversation lacks, may be nil
	// stored waits until the conversation is on disk. It may be nil.
	stored func() error
}

// failedEnd returns the end of a job that has no answer.
func (ts *Turns) failedEnd(j *job, err error) end {
	j.err = err
	e := ts.settings.Failure(err, j.answerIn)
	internal := err.Error()
	if rt := ts.settings.Current(); rt != nil {
		internal = rt.Redact(internal)
	}
	e = settings.PublicError(e, j.rec.Channel, j.rec.ID, j.answerIn)
	change := task.Fail
	if e.Code == ipc.CodeCancelled || e.Code == ipc.CodeTimeout {
		change = task.Abort
	}
	return end{change: change, frame: ErrorFrame(e), failure: &task.Failure{Code: string(e.Code), UserMessage: e.Message, InternalMessage: internal}}
}

// Finish ends a job. Its end is on disk before the client gets the answer, and the delivery is recorded
// afterwards. If the client is not connected, the answer goes to the outbox.
func (ts *Turns) finish(j *job, e end) {
	if j.awaitAccepted() != nil || !j.step(e.change) {
		return
	}
	ts.logEnded(j)
	crash.Here(crash.AnswerInConversation)
	ts.recordChange(j, ts.tasks.End(j.rec.ID, task.End{Change: e.change, Answer: AnswerOf(e.frame), Error: e.failure, Update: e.unsaid}))
	if e.stored != nil { // synced at the same time
		if err := e.stored(); err != nil {
			ts.log.Error().Err(err).Str("task", j.rec.ID).Msg("cannot save conversation")
			e.frame.Body += "\n\n" + i18n.DiskNotWritable(ts.settings.Home).In(j.answerIn)
		}
	}
	crash.Here(crash.AnswerStored)
	ts.files.RemoveInboundFiles(j.rec.Channel, j.rec.Files)
	if c, ok := j.client.(taskClient); ok {
		c.SetTask(j.rec.ID)
	}
	delivered := j.client.Finish(e.frame)
	crash.Here(crash.AnswerSent)
	if !delivered && !j.req.DryRun && e.change != task.Abort {
		delivered = ts.QueueAnswer(j.rec, AnswerOf(e.frame))
	}
	if delivered || j.req.DryRun || e.change == task.Abort {
		ts.markDelivered(j.rec.ID)
	}
	ts.backlog.rules.EndTaskRun(j.rec, outcomeOfEnd(j, e))
}

// markDelivered records that a task's answer was delivered or is not needed.
func (ts *Turns) markDelivered(id string) {
	if err := ts.tasks.MarkDelivered(id); err != nil && !errors.Is(err, task.ErrUnknown) {
		ts.log.Warn().Err(err).Str("task", id).Msg("cannot save delivery")
	}
	ts.publishTask(id)
}

// AnswerID returns the id of the message that reports a task's end, whichever part sends it. It returns "" for no
// task.
func AnswerID(id string) string {
	if id == "" {
		return ""
	}
	return "task:" + id
}

// QueueAnswer puts a task's answer into the outbox and reports whether it is there. Repeated calls add it once.
func (ts *Turns) QueueAnswer(r task.Record, body string) bool {
	return ts.QueueAnswerAbout(r, body, "")
}

// QueueAnswerAbout is [Turns.QueueAnswer] for an answer about a change, which a button can take back.
func (ts *Turns) QueueAnswerAbout(r task.Record, body, change string) bool {
	if r.Rule != "" {
		return ts.backlog.rules.AnnounceFor(r, body)
	}
	t := outbox.Message{ID: AnswerID(r.ID), Channel: r.Channel, To: r.Name, Session: r.Session, Task: r.ID, Re: r.MessageID, Body: body}
	if slices.Contains(ipc.Bridged, r.Channel) {
		t.Body, t.Markup, t.Lang = chat.BoundBody(chat.Text(body), i18n.Lang(r.Lang)), ipc.MarkupMarkdown, r.Lang
		t = ts.files.AttachLongAnswer(t, i18n.Lang(r.Lang))
		if change != "" {
			t.Change, t.Actions = change, []string{ipc.ActionUndo}
		}
	}
	return ts.post.Notify(t)
}

// AnswerOf returns the text of a last frame.
func AnswerOf(m ipc.Message) string {
	if m.Error == nil {
		return m.Body
	}
	text := m.Error.Message
	if m.Error.Hint != "" {
		text += "\n" + m.Error.Hint
	}
	return text
}

// taskInfo is a task as a query shows it.
type taskInfo struct {
	ID       string        `json:"id"`
	State    task.State    `json:"state"`
	Channel  string        `json:"channel"`
	Session  string        `json:"session"`
	Text     string        `json:"text"`
	Created  time.Time     `json:"created"`
	Updated  time.Time     `json:"updated"`
	Attempts int           `json:"attempts"`
	Approval string        `json:"approval,omitempty"` // the code that a PAUSED one waits for
	Rounds   int           `json:"rounds,omitempty"`
	Tokens   int           `json:"tokens,omitempty"`
	Commands int           `json:"commands,omitempty"`
	Answer   string        `json:"answer,omitempty"`
	Error    *task.Failure `json:"error,omitempty"`
}

func infoOf(r task.Record) taskInfo {
	return taskInfo{
		ID: r.ID, State: r.State, Channel: r.Channel, Session: r.Session, Text: chat.ExcerptOf(r.Text, chat.MaxExcerpt), Created: r.Created, Updated: r.Updated,
		Attempts: r.Attempts, Approval: r.Approval, Rounds: r.Rounds, Tokens: r.Tokens, Commands: r.Commands,
		Answer: chat.ExcerptOf(r.Answer, chat.MaxExcerpt), Error: r.Error,
	}
}

// Task returns a task by its id.
func (ts *Turns) Task(id string) (task.Record, error) { return ts.tasks.Get(id) }

// ByMessageID returns the task of a sender's message, by the channel's id of the message.
func (ts *Turns) ByMessageID(channel, name, id string) (task string, known bool) {
	return ts.tasks.ByMessageID(channel, name, id)
}

// List returns the tasks of a channel, or the named one of them. The channel "" represents all.
func (ts *Turns) List(id, channel string) []taskInfo {
	list := []taskInfo{}
	for _, r := range ts.tasks.List() {
		if (id == "" || id == r.ID) && (channel == "" || channel == r.Channel) {
			list = append(list, infoOf(r))
		}
	}
	return list
}

// jobs are the jobs of this daemon that have not ended.
type jobs struct {
	mu   sync.Mutex
	live map[string]*job
}

func newJobs() *jobs { return &jobs{live: map[string]*job{}} }

func (js *jobs) add(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.live[j.rec.ID] = j
}

func (js *jobs) remove(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	delete(js.live, j.rec.ID)
}

// All returns the jobs, oldest first.
func (js *jobs) all() []*job {
	js.mu.Lock()
	defer js.mu.Unlock()
	var all []*job
	for _, j := range js.live {
		all = append(all, j)
	}
	slices.SortFunc(all, func(a, b *job) int {
		return cmp.Or(a.rec.Created.Compare(b.rec.Created), cmp.Compare(a.rec.ID, b.rec.ID))
	})
	return all
}

// request returns the data that came with a task's words.
func request(r task.Record) ipc.Request {
	var req ipc.Request
	_ = json.Unmarshal(r.Request, &req) // written by this program; the zero value is the default
	return req
}

// jobStats holds the counters of a job.
type jobStats struct{ rounds, in, out, commands atomic.Int64 }

func (f *jobStats) round(r agent.Round) {
	f.rounds.Add(1)
	f.in.Add(int64(r.Usage.InputTokens))
	f.out.Add(int64(r.Usage.OutputTokens))
}

func (j *job) usageInfo(now time.Time) ipc.TaskUsage {
	return ipc.TaskUsage{
		ID: j.rec.ID, State: string(j.currentState()), Channel: chat.ExcerptOf(j.rec.Channel, chat.MaxExcerpt), Session: chat.ExcerptOf(j.rec.Session, chat.MaxExcerpt),
		Age: int(now.Sub(j.rec.Created).Seconds()), Rounds: int(j.stats.rounds.Load()), Commands: int(j.stats.commands.Load()),
		TokensIn: int(j.stats.in.Load()), TokensOut: int(j.stats.out.Load()),
	}
}

// usage returns the counters of the running jobs, oldest first.
func (js *jobs) usage(now time.Time) []ipc.TaskUsage {
	list := []ipc.TaskUsage{}
	for _, j := range js.all() {
		list = append(list, j.usageInfo(now))
	}
	return list
}
