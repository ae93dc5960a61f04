package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/ipc"
)

// outbox hands messages to the daemon outside of Update and still in the order
// they were put in.
type outbox struct {
	daemon Daemon

	mu    sync.Mutex
	queue []ipc.Message

	sending sync.Mutex // one sender at a time
}

// unsent tells of a message that could not be handed over.
type unsent struct {
	id  string
	err error
}

// put queues a message; the command sends all that is queued.
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

// arrived are events of the daemon that came together; closed when there will be
// no more.
type arrived struct {
	events []ipc.LinkEvent
	closed bool
}

// mostAtOnce bounds how many events one frame of the screen takes up.
const mostAtOnce = 256

// listen waits for the next events, and takes those that are there already.
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
