package automation

import (
	"cmp"
	"container/heap"
	"time"
)

// entry is a rule with due times.
type entry struct {
	ScheduledRule
	due   time.Time
	at    time.Time // when it begins: due plus jitter
	index int       // in the queue; -1 if it is not in it
}

// queue is a heap ordered by the time of beginning, then by name.
type queue []*entry

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	return cmp.Or(q[i].at.Compare(q[j].at), cmp.Compare(q[i].Name, q[j].Name)) < 0
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push and Pop are for package heap.
func (q *queue) Push(e any) {
	entry := e.(*entry) //nolint:forcetypeassert // only entries are pushed
	entry.index = len(*q)
	*q = append(*q, entry)
}

// Pop removes the last entry.
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	e.index = -1
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}

// popDue removes and returns the first entry if it begins by now, else nil.
func (q *queue) popDue(now time.Time) *entry {
	if len(*q) == 0 || (*q)[0].at.After(now) {
		return nil
	}
	e, _ := heap.Pop(q).(*entry)
	return e
}

// replan determines the next due time of every rule.
func (s *Scheduler) replan() {
	s.zone, s.queue = s.o.Zone().String(), s.queue[:0]
	for _, e := range s.entries {
		e.index = -1
		s.plan(e)
	}
}

// plan updates a rule's entry in the queue. A rule that is waiting to begin, or is running and catches up with
// every due time, is left out of the queue meanwhile.
func (s *Scheduler) plan(e *entry) {
	if e.index >= 0 {
		heap.Remove(&s.queue, e.index)
	}
	_, busy := s.running[e.Name]
	if busy && e.CatchUp == CatchAll || s.waiting.has(mark{Rule: e.Name}) || s.entries[e.Name] != e {
		return
	}
	through, _ := s.o.Ledger.decidedUntil(e.Name)
	zone := s.o.Zone()
	if due, ok := e.after(through, zone); ok {
		e.due, e.at = due, due.Add(e.offset(due, zone))
		heap.Push(&s.queue, e)
	}
}

// after returns the rule's first due time after t.
func (e *entry) after(t time.Time, zone *time.Location) (time.Time, bool) {
	due, ok := e.Times.Next(t, zone)
	return due, ok && due.After(t)
}

// offset returns a due time's jitter, limited so that it ends before the next due time.
func (e *entry) offset(due time.Time, zone *time.Location) time.Duration {
	if e.Jitter <= 0 {
		return 0
	}
	o := e.Offset(due)
	if next, ok := e.after(due, zone); ok && !due.Add(o).Before(next) {
		o = next.Sub(due) - time.Second
	}
	return max(o, 0)
}

// next returns the next time when something begins.
func (s *Scheduler) next() (time.Time, bool) {
	if len(s.queue) == 0 {
		return time.Time{}, false
	}
	return s.queue[0].at, true
}

// Next returns a rule's next due time, without jitter.
func (s *Scheduler) Next(rule string) (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[rule]
	if e == nil {
		return time.Time{}, false
	}
	return e.after(s.now(), s.o.Zone())
}

// WakeTimes returns the next n times when something begins, in order, including jitter.
func (s *Scheduler) WakeTimes(n int) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	zone := s.o.Zone()
	ahead := queue{}
	for _, e := range s.queue {
		heap.Push(&ahead, &entry{ScheduledRule: e.ScheduledRule, due: e.due, at: e.at})
	}
	var times []time.Time
	for len(ahead) > 0 && len(times) < n {
		e := ahead[0]
		if len(times) == 0 || !times[len(times)-1].Equal(e.at) {
			times = append(times, e.at)
		}
		due, ok := e.after(e.due, zone)
		if !ok {
			heap.Pop(&ahead)
			continue
		}
		e.due, e.at = due, due.Add(e.offset(due, zone))
		heap.Fix(&ahead, 0)
	}
	return times
}

// Due is a future due time of a rule.
type Due struct {
	Rule string
	At   time.Time
}

// Upcoming returns the next n due times, in order.
func (s *Scheduler) Upcoming(n int) []Due {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, zone := s.now(), s.o.Zone()
	ahead := queue{}
	for _, e := range s.entries {
		if due, ok := e.after(now, zone); ok {
			heap.Push(&ahead, &entry{ScheduledRule: e.ScheduledRule, due: due, at: due})
		}
	}
	next := []Due{}
	for len(ahead) > 0 && len(next) < n {
		e := ahead[0]
		next = append(next, Due{e.Name, e.due})
		due, ok := e.after(e.due, zone)
		if !ok {
			heap.Pop(&ahead)
			continue
		}
		e.due, e.at = due, due
		heap.Fix(&ahead, 0)
	}
	return next
}
