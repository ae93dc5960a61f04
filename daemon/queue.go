package daemon

import (
	"errors"
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
	mu sync.Mutex
	m  map[string]*queue
	wg sync.WaitGroup
}

type queue struct{ waiting []func() }

func newQueues() *queues { return &queues{m: map[string]*queue{}} }

// add puts a job at the end of a key's queue. It fails with errBusy when
// maxWaiting jobs are waiting already.
func (qs *queues) add(key string, job func()) error {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q, ok := qs.m[key]
	if ok {
		if len(q.waiting) >= maxWaiting {
			return errBusy
		}
		q.waiting = append(q.waiting, job)
		return nil
	}
	q = &queue{}
	qs.m[key] = q
	qs.wg.Go(func() { qs.work(key, q, job) })
	return nil
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
		return nil
	}
	job := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return job
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
func (qs *queues) wait() { qs.wg.Wait() }
