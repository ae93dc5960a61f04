package daemon

import (
	"sync"
	"time"
)

// idle notices when nobody needs the daemon: no connection is open and no
// task lives for a while.
type idle struct {
	after time.Duration // 0: never
	quit  func()

	mu    sync.Mutex
	busy  int
	timer *time.Timer
	since time.Time
}

// newIdle returns a watch that calls quit once nothing has been busy for the
// duration. It starts idle.
func newIdle(after time.Duration, quit func()) *idle {
	i := &idle{after: after, quit: quit}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rest()
	return i
}

// enter marks something that needs the daemon; the function it returns marks
// its end.
func (i *idle) enter() (leave func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy++
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
	var once sync.Once
	return func() { once.Do(i.leave) }
}

func (i *idle) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy--
	if i.busy == 0 {
		i.rest()
	}
}

func (i *idle) rest() {
	i.since = time.Now()
	if i.after > 0 {
		i.timer = time.AfterFunc(i.after, i.quit)
	}
}

// stop ends the watch.
func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.after = 0
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}
