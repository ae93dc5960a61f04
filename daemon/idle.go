package daemon

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// The activities that keep the daemon running, as status shows them.
const (
	holdClient   = "client"
	holdTask     = "task"
	holdDelivery = "delivery"
)

// idle detects when the daemon is not needed: for a while no connection was open and no task was active. Approvals
// and notifications on disk do not count, because the next connection finds them there.
type idle struct {
	after time.Duration // 0: never
	quit  func()

	mu    sync.Mutex
	holds map[string]int
	timer *time.Timer
	since time.Time // when the last activity ended
}

// newIdle returns a timer that calls quit after the duration without any activity. It starts idle.
func newIdle(after time.Duration, quit func()) *idle {
	i := &idle{after: after, quit: quit, holds: map[string]int{}}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rest()
	return i
}

// enter starts an activity. The returned function ends it.
func (i *idle) enter(what string) (leave func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.holds[what]++
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
	return sync.OnceFunc(func() { i.leave(what) })
}

func (i *idle) leave(what string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.holds[what]--; i.holds[what] == 0 {
		delete(i.holds, what)
	}
	if len(i.holds) == 0 {
		i.rest()
	}
}

func (i *idle) rest() {
	i.since = time.Now()
	if i.after > 0 {
		i.timer = time.AfterFunc(i.after, i.quit)
	}
}

// state returns the timer's state, without the client that asks.
func (i *idle) state() ipc.Idle {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := ipc.Idle{ExitsIn: int(i.after.Seconds()), Holds: []string{}}
	for _, what := range slices.Sorted(maps.Keys(i.holds)) {
		n := i.holds[what]
		if what == holdClient {
			n--
		}
		if n > 0 {
			s.Holds = append(s.Holds, what+" "+itoa(n))
		}
	}
	return s
}

// stop stops the timer.
func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.after = 0
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}
