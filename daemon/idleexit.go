package daemon

import (
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// set changes after how long an idle daemon leaves; 0 is never.
func (i *idle) set(after time.Duration) {
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
	if i.busy == 0 && after > 0 {
		i.timer = time.AfterFunc(max(after-time.Since(i.since), 0), i.quit)
	}
}

func (i *idle) limit() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.after
}

// idleState tells when the daemon leaves, and what keeps it: everything but
// the connection that asks.
func (d *Daemon) idleState(asking *connection) ipc.Idle {
	state := ipc.Idle{ExitsIn: int(d.idle.limit().Seconds()), Holds: []string{}}
	if state.ExitsIn == 0 {
		state.Holds = append(state.Holds, "never")
	}
	others := 0
	for _, c := range d.connections.all() {
		if c != asking {
			others++
		}
	}
	running, waiting := d.queues.size()
	for _, hold := range []struct {
		what string
		n    int
	}{{"connections", others}, {"tasks", running + waiting}} {
		if hold.n > 0 {
			state.Holds = append(state.Holds, fmt.Sprintf("%s: %d", hold.what, hold.n))
		}
	}
	return state
}
