package chat

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

// sendFailure is a message that could not be sent.
type sendFailure struct {
	id  string
	err error
}

// enqueue queues a message. The returned command sends the whole queue.
func (o *outbox) enqueue(m ipc.Message) tea.Cmd {
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
	var failed []sendFailure
	for _, m := range queue {
		if err := o.daemon.Send(m); err != nil {
			failed = append(failed, sendFailure{m.ID, err})
		}
	}
	if failed == nil {
		return nil
	}
	return failed
}

// eventBatch has events from the daemon that arrived together. closed means that no more will follow.
type eventBatch struct {
	events []ipc.LinkEvent
	closed bool
}

// maxBatch is how many events are handled before the screen is drawn again.
const maxBatch = 256

// listen waits for the next event, and also takes those that are already queued.
func listen(events <-chan ipc.LinkEvent) tea.Cmd {
	return func() tea.Msg {
		e, open := <-events
		if !open {
			return eventBatch{closed: true}
		}
		got := []ipc.LinkEvent{e}
		for len(got) < maxBatch {
			select {
			case e, open = <-events:
				if !open {
					return eventBatch{got, true}
				}
				got = append(got, e)
			default:
				return eventBatch{got, false}
			}
		}
		return eventBatch{got, false}
	}
}
