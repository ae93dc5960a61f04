package daemon

import (
	"errors"
	"slices"
	"sync"
)

// maxWaiting is how many messages of one channel and session may wait behind
// the one that runs.
const maxWaiting = 100

// errBusy reports a queue that is full.
var errBusy = errors.New("too many messages are waiting")

// queues run jobs of one key one after the other and jobs of different keys
// side by side. A queue exists only while it has work.
type queues struct {
	mu   sync.Mutex
	m    map[string]*queue
	none *sync.Cond // told when m has become empty; jobs may still come meanwhile
}

type queue struct{ waiting []*func() }

func newQueues() *queues {
	qs := &queues{m: map[string]*queue{}}
	qs.none = sync.NewCond(&qs.mu)
	return qs
}

// add puts a job at the end of a key's queue and returns a function that takes
// it out again as long as it waits. It fails with errBusy when maxWaiting jobs
// are waiting already.
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
		return func() {}, errBusy
	}
	q.waiting = append(q.waiting, &job)
	return func() { qs.remove(q, &job) }, nil
}

// full reports whether a key's queue takes no more jobs just now.
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

// size returns how many jobs run and how many wait.
func (qs *queues) size() (running, waiting int) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.m {
		running++
		waiting += len(q.waiting)
	}
	return running, waiting
}

// wait returns when no job runs or waits.
func (qs *queues) wait() {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for len(qs.m) > 0 {
		qs.none.Wait()
	}
}
