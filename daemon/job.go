package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

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
	client   client
	retried  bool // an earlier daemon started it
	ctx      context.Context
	cancel   context.CancelCauseFunc
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
	return end{change: change, frame: errorFrame(e), failure: &task.Failure{Code: string(e.Code), UserMessage: e.Message, InternalMessage: internal}}
}

// finish ends a job. Its end is on disk before the client gets the answer, and the delivery is recorded
// afterwards. If the client is not connected, the answer goes to the outbox.
func (ts *Turns) finish(j *job, e end) {
	if !j.step(e.change) {
		return
	}
	ts.logEnded(j)
	crash.Here(crash.AnswerInConversation)
	ts.recordChange(j, ts.tasks.End(j.rec.ID, task.End{Change: e.change, Answer: answerOf(e.frame), Error: e.failure, Update: e.unsaid}))
	crash.Here(crash.AnswerStored)
	ts.files.removeInboundFiles(j.rec.Channel, j.rec.Files)
	if turn, ok := j.client.(*originalTurn); ok {
		turn.task = j.rec.ID
	}
	delivered := j.client.finish(e.frame)
	crash.Here(crash.AnswerSent)
	if !delivered && !j.req.DryRun && e.change != task.Abort {
		delivered = ts.queueAnswer(j.rec, answerOf(e.frame))
	}
	if delivered || j.req.DryRun || e.change == task.Abort {
		ts.markDelivered(j.rec.ID)
	}
	ts.rules.endTaskRun(j.rec, outcomeOfEnd(j, e))
}

// markDelivered records that a task's answer was delivered or is not needed.
func (ts *Turns) markDelivered(id string) {
	if err := ts.tasks.MarkDelivered(id); err != nil && !errors.Is(err, task.ErrUnknown) {
		ts.log.Warn().Err(err).Str("task", id).Msg("cannot save delivery")
	}
	ts.publishTask(id)
}

// answerID returns the id of the message that reports a task's end, whichever part sends it. It returns "" for no
// task.
func answerID(id string) string {
	if id == "" {
		return ""
	}
	return "task:" + id
}

// queueAnswer puts a task's answer into the outbox and reports whether it is there. Repeated calls add it once.
func (ts *Turns) queueAnswer(r task.Record, body string) bool {
	if r.Rule != "" && ts.rules != nil {
		return ts.rules.announceFor(r, "task:"+r.ID, body, nil)
	}
	t := outbox.Message{ID: answerID(r.ID), Channel: r.Channel, To: r.Name, Session: r.Session, Task: r.ID, Body: body}
	if slices.Contains(ipc.Bridged, r.Channel) {
		t.Body, t.Markup, t.Re, t.Lang = chat.BoundBody(chat.Text(body), i18n.Lang(r.Lang)), ipc.MarkupMarkdown, r.MessageID, r.Lang
		t = ts.files.attachLongAnswer(t, i18n.Lang(r.Lang))
	}
	return ts.post.Notify(t)
}

// answerOf returns the text of a last frame.
func answerOf(m ipc.Message) string {
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

func (c *peerConn) queryTasks(_ context.Context, q ipc.Query) (any, error) {
	list := []taskInfo{}
	for _, r := range c.s.turns.tasks.List() {
		if q.Task == "" || q.Task == r.ID {
			list = append(list, infoOf(r))
		}
	}
	return list, nil
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

// all returns the jobs, oldest first.
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

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return hex.EncodeToString(b)
}

// request returns the data that came with a task's words.
func request(r task.Record) ipc.Request {
	var req ipc.Request
	_ = json.Unmarshal(r.Request, &req) // written by this program; the zero value is the default
	return req
}
