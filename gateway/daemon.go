package gateway

import (
	"context"
	"sync"

	"github.com/nidoit/blunux-ai/ipc"
)

// Link is the connection to the daemon: an [ipc.Link].
type Link interface {
	Start(ctx context.Context) (stop func())
	Send(m ipc.Message) error
	Events() <-chan ipc.LinkEvent
}

// daemonLink matches the frames of the daemon to the requests that they belong to. It is safe for concurrent use.
type daemonLink struct {
	link Link
	// connected is called after each connection, event with each event. Neither may block.
	connected func()
	event     func(ipc.Event)

	requests *ipc.Requests

	mu    sync.Mutex
	stop  func()
	ended chan struct{}
}

func newDaemonLink(link Link) *daemonLink {
	return &daemonLink{link: link, requests: ipc.NewRequests(link.Send), ended: make(chan struct{})}
}

// start connects at the first call. A stranger's connection does not start the daemon.
func (d *daemonLink) start(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		return
	}
	d.stop = d.link.Start(ctx)
	go func() {
		defer close(d.ended)
		for e := range d.link.Events() {
			d.serve(e)
		}
		d.requests.Fail(ipc.ErrLinkClosed)
	}()
}

// close ends the connection.
func (d *daemonLink) close() {
	d.mu.Lock()
	stop := d.stop
	d.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	<-d.ended
}

func (d *daemonLink) serve(e ipc.LinkEvent) {
	switch {
	case e.Connected != nil:
		d.subscribe()
		d.connected()
	case e.Disconnected != nil:
		d.requests.Fail(e.Disconnected)
	case e.Frame != nil:
		d.requests.Serve(*e.Frame)
	}
}

// subscribe asks for the events of the gateway's channel, again if the daemon dropped a slow subscriber.
func (d *daemonLink) subscribe() {
	_, _ = d.requests.Send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{
		Topics: []string{ipc.TopicTasks, ipc.TopicApprovals, ipc.TopicNotifications},
	}), func(m ipc.Message, err error) {
		var event ipc.Event
		switch {
		case err != nil: // the next connection subscribes
		case m.Done:
			d.subscribe()
		case m.Type == ipc.TypeEvent && m.Decode(&event) == nil:
			d.event(event)
		}
	}) // a failure to queue it ends with the next connection
}
