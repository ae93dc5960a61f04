package turns

import (
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/settings"
)

// maxWaiting bounds how many messages of one channel and session may wait for the running one.
const maxWaiting = 100

// queues runs jobs with the same key one by one, and jobs with different keys concurrently. A queue exists only
// while it has jobs.
type queues struct {
	mu   sync.Mutex
	m    map[string]*queue
	none *sync.Cond // signalled when m becomes empty, jobs may follow at once
}

type queue struct{ waiting []*func() }

func newQueues() *queues {
	qs := &queues{m: map[string]*queue{}}
	qs.none = sync.NewCond(&qs.mu)
	return qs
}

// add appends a job to a key's queue and returns a function that removes it while it waits. It fails with errBusy
// if maxWaiting jobs already wait.
func (qs *queues) add(key string, job func()) (remove func(), err error) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q, ok := qs.m[key]
	if !ok {
		q = &queue{}
		qs.m[key] = q
		go qs.work(key, q, job)
		return func() {}, nil
	}
	if len(q.waiting) >= maxWaiting {
		return func() {}, settings.ErrBusy
	}
	q.waiting = append(q.waiting, &job)
	return func() { qs.remove(q, &job) }, nil
}

// busy reports whether a key's queue has a job.
func (qs *queues) busy(key string) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	_, ok := qs.m[key]
	return ok
}

// full reports whether a key's queue accepts no more jobs.
func (qs *queues) full(key string) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q, ok := qs.m[key]
	return ok && len(q.waiting) >= maxWaiting
}

func (qs *queues) remove(q *queue, job *func()) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w *func()) bool { return w == job })
}

// work runs a queue's jobs until none is left.
func (qs *queues) work(key string, q *queue, job func()) {
	for job != nil {
		job()
		job = qs.next(key, q)
	}
}

func (qs *queues) next(key string, q *queue) func() {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if len(q.waiting) == 0 {
		delete(qs.m, key)
		if len(qs.m) == 0 {
			qs.none.Broadcast()
		}
		return nil
	}
	job := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return *job
}

// Size returns how many jobs run and how many wait.
func (qs *queues) size() (running, waiting int) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.m {
		running++
		waiting += len(q.waiting)
	}
	return running, waiting
}

// Wait returns when no job runs or waits.
func (qs *queues) wait() {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for len(qs.m) > 0 {
		qs.none.Wait()
	}
}

// queueKey returns the queue of a channel's conversation.
func queueKey(channel, name string) string { return channel + "\x00" + name }
