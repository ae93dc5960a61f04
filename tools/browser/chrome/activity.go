package chrome

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// activity is what a page loads: frames, and requests except those that never end.
type activity struct {
	mu       sync.Mutex
	frames   map[cdp.FrameID]bool
	requests map[network.RequestID]bool
	changed  time.Time
}

// The times that a page gets to react to an input.
const (
	quietTime    = 400 * time.Millisecond // without a request
	settleAtMost = 10 * time.Second
	settleLook   = 25 * time.Millisecond
)

// notice records an event of the page.
func (a *activity) notice(event any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.frames == nil {
		a.frames, a.requests = map[cdp.FrameID]bool{}, map[network.RequestID]bool{}
	}
	switch e := event.(type) {
	case *page.EventFrameRequestedNavigation:
		a.frames[e.FrameID] = true
	case *page.EventFrameStartedLoading:
		a.frames[e.FrameID] = true
	case *page.EventFrameStoppedLoading:
		delete(a.frames, e.FrameID)
	case *page.EventFrameDetached:
		delete(a.frames, e.FrameID)
	case *network.EventRequestWillBeSent:
		switch e.Type {
		case network.ResourceTypeMedia, network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing:
			return
		}
		a.requests[e.RequestID] = true
	case *network.EventLoadingFinished:
		delete(a.requests, e.RequestID)
	case *network.EventLoadingFailed:
		delete(a.requests, e.RequestID)
	default:
		return
	}
	a.changed = time.Now()
}

// isQuiet reports whether nothing has been loading since a time, and for a while.
func (a *activity) isQuiet(since time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed.After(since) {
		since = a.changed
	}
	return len(a.frames) == 0 && len(a.requests) == 0 && time.Since(since) >= quietTime
}

// await waits until the page is quiet, and reports false if that takes too long.
func (a *activity) await(ctx context.Context) bool {
	begin := time.Now()
	look := time.NewTicker(settleLook)
	defer look.Stop()
	for !a.isQuiet(begin) {
		if time.Since(begin) > settleAtMost {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-look.C:
		}
	}
	return true
}
