package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// State is where a task is (Moonbot specification section 9.3).
type State string

// The states.
const (
	Pending State = "PENDING" // waits in its queue
	Running State = "RUNNING"
	Paused  State = "PAUSED" // waits for a person's answer
	Done    State = "DONE"
	Failed  State = "FAILED"
	Aborted State = "ABORTED"
)

// Change is what happens to a task.
type Change string

// The changes.
const (
	Start  Change = "start"
	Pause  Change = "pause"
	Resume Change = "resume"
	Finish Change = "finish"
	Fail   Change = "fail"
	Abort  Change = "abort"
)

// moves is the whole state machine. What is not in it cannot happen.
var moves = map[State]map[Change]State{
	Pending: {Start: Running, Abort: Aborted},
	Running: {Pause: Paused, Finish: Done, Fail: Failed, Abort: Aborted},
	Paused:  {Resume: Running, Abort: Aborted},
}

// Next returns the state after a change, or an error when the change is not
// possible in this state.
func (s State) Next(c Change) (State, error) {
	next, ok := moves[s][c]
	if !ok {
		return s, fmt.Errorf("a task that is %s cannot %s", s, c)
	}
	return next, nil
}

// task is one message on its way to its answer.
type task struct {
	id      string
	channel string
	session string // key of the conversation
	text    string
	created time.Time
	client  client
	cancel  context.CancelFunc
	ctx     context.Context
	dequeue func() // takes a waiting task out of its queue and ends it

	figures taskFigures

	mu      sync.Mutex
	state   State
	updated time.Time
}

// move changes the state and reports whether that was possible.
func (t *task) move(c Change, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, err := t.state.Next(c)
	if err != nil {
		return false
	}
	t.state, t.updated = next, now
	return true
}

func (t *task) current() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// taskInfo is a task as a query shows it.
type taskInfo struct {
	ID      string    `json:"id"`
	State   State     `json:"state"`
	Channel string    `json:"channel"`
	Session string    `json:"session"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

func (t *task) info() taskInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return taskInfo{t.id, t.state, t.channel, t.session, excerpt(t.text), t.created, t.updated}
}

// maxExcerpt bounds a task's words where tasks are listed, in bytes.
const maxExcerpt = 200

func excerpt(s string) string { return excerptOf(s, maxExcerpt) }

func excerptOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// tasks are the tasks that live and the last few that ended.
type tasks struct {
	mu    sync.Mutex
	live  map[string]*task
	ended []taskInfo
}

// keptTasks is how many ended tasks are remembered.
const keptTasks = 50

func newTasks() *tasks { return &tasks{live: map[string]*task{}} }

func (ts *tasks) add(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.live[t.id] = t
}

func (ts *tasks) remove(t *task) {
	info := t.info()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.live, t.id)
	ts.ended = append(ts.ended, info)
	if over := len(ts.ended) - keptTasks; over > 0 {
		ts.ended = slices.Delete(ts.ended, 0, over)
	}
}

func (ts *tasks) all() []*task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var all []*task
	for _, t := range ts.live {
		all = append(all, t)
	}
	return all
}

// list returns ended and live tasks, the oldest first.
func (ts *tasks) list() []taskInfo {
	ts.mu.Lock()
	list := append([]taskInfo{}, ts.ended...)
	ts.mu.Unlock()
	for _, t := range ts.all() {
		list = append(list, t.info())
	}
	slices.SortFunc(list, func(a, b taskInfo) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list
}
