package life

import (
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// The activities that keep the daemon running, as status shows them.
const (
	ActivityClient   = "client"
	ActivityTask     = "task"
	ActivityDelivery = "delivery"
)

// idleTimer detects when the daemon is not needed: for a while no connection was open and no task was active.
// Approvals and notifications on disk do not count, because the next connection finds them there.
type idleTimer struct {
	after time.Duration // 0: never
	quit  func()

	mu         sync.Mutex
	activities map[string]int
	timer      *time.Timer
	since      time.Time // when the last activity ended
}

// newIdleTimer returns a timer that calls quit after the duration without any activity. It starts idle.
func newIdleTimer(after time.Duration, quit func()) *idleTimer {
	i := &idleTimer{after: after, quit: quit, activities: map[string]int{}}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.startTimer()
	return i
}

// Begin starts an activity. The returned function ends it.
func (i *idleTimer) Begin(what string) (leave func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.activities[what]++
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
	return sync.OnceFunc(func() { i.end(what) })
}

func (i *idleTimer) end(what string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.activities[what]--; i.activities[what] == 0 {
		delete(i.activities, what)
	}
	if len(i.activities) == 0 {
		i.startTimer()
	}
}

func (i *idleTimer) startTimer() {
	i.since = time.Now()
	if i.after > 0 {
		i.timer = time.AfterFunc(i.after, i.quit)
	}
}

// State returns the timer's state, without the client that asks.
func (i *idleTimer) State() ipc.Idle {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := ipc.Idle{ExitsIn: int(i.after.Seconds()), Activities: []string{}}
	for _, what := range slices.Sorted(maps.Keys(i.activities)) {
		n := i.activities[what]
		if what == ActivityClient {
			n--
		}
		if n > 0 {
			s.Activities = append(s.Activities, what+" "+strconv.Itoa(n))
		}
	}
	return s
}

// stop stops the timer.
func (i *idleTimer) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.after = 0
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}

// setLimit changes the idle limit. 0 means forever.
func (i *idleTimer) setLimit(after time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.after == after {
		return
	}
	i.after = after
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
	if len(i.activities) == 0 && after > 0 {
		i.timer = time.AfterFunc(max(after-time.Since(i.since), 0), i.quit)
	}
}

func (i *idleTimer) Limit() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.after
}
