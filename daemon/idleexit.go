package daemon

import "time"

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

func (i *idleTimer) limit() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.after
}
