package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/ipc"
)

// outbox sends messages to the daemon outside of Update, in order.
type outbox struct {
	daemon Daemon

	mu    sync.Mutex
	queue []ipc.Message

	sending sync.Mutex // only one goroutine sends at a time
}

// unsent is a message that could not be sent.
type unsent struct {
	id  string
	err error
}

// put queues a message. The returned command sends the whole queue.
func (o *outbox) put(m ipc.Message) tea.Cmd {
	o.mu.Lock()
	o.queue = append(o.queue, m)
	o.mu.Unlock()
	return o.send
}

func (o *outbox) send() tea.Msg {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	queue := o.queue
	o.queue = nil
	o.mu.Unlock()
	var failed []unsent
	for _, m := range queue {
		if err := o.daemon.Send(m); err != nil {
			failed = append(failed, unsent{m.ID, err})
		}
	}
	if failed == nil {
		return nil
	}
	return failed
}

// arrived has events from the daemon that arrived together. closed means that no more will follow.
type arrived struct {
	events []ipc.LinkEvent
	closed bool
}

// mostAtOnce is how many events are handled before the screen is drawn again.
const mostAtOnce = 256

// listen waits for the next event, and also takes those that are already queued.
func listen(events <-chan ipc.LinkEvent) tea.Cmd {
	return func() tea.Msg {
		e, open := <-events
		if !open {
			return arrived{closed: true}
		}
		got := []ipc.LinkEvent{e}
		for len(got) < mostAtOnce {
			select {
			case e, open = <-events:
				if !open {
					return arrived{got, true}
				}
				got = append(got, e)
			default:
				return arrived{got, false}
			}
		}
		return arrived{got, false}
	}
}
