package gateway

import (
	"context"
	"errors"
	"strconv"
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

	mu    sync.Mutex
	next  int
	open  map[string]frameHandler
	stop  func()
	ended chan struct{}
}

// frameHandler receives the frames of a request. Either the last one has Done, or the connection was lost, which is err.
// It must not block.
type frameHandler func(m ipc.Message, err error)

func newDaemonLink(link Link) *daemonLink {
	return &daemonLink{link: link, open: map[string]frameHandler{}, ended: make(chan struct{})}
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
		d.fail(ipc.ErrLinkClosed)
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
		d.fail(e.Disconnected)
	case e.Frame != nil:
		d.frame(*e.Frame)
	}
}

// subscribe asks for the events of the gateway's channel, again if the daemon dropped a slow subscriber.
func (d *daemonLink) subscribe() {
	_, _ = d.send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{
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

func (d *daemonLink) frame(m ipc.Message) {
	d.mu.Lock()
	handle := d.open[m.Re]
	if m.Done {
		delete(d.open, m.Re)
	}
	d.mu.Unlock()
	if handle != nil {
		handle(m, nil)
	}
}

// fail ends all open requests.
func (d *daemonLink) fail(err error) {
	d.mu.Lock()
	open := d.open
	d.open = map[string]frameHandler{}
	d.mu.Unlock()
	for _, handle := range open {
		handle(ipc.Message{}, err)
	}
}

// send sends a request, whose frames go to handle, and returns its id.
func (d *daemonLink) send(m ipc.Message, handle frameHandler) (id string, err error) {
	d.mu.Lock()
	d.next++
	m.ID = "g" + strconv.Itoa(d.next)
	d.open[m.ID] = handle
	d.mu.Unlock()
	if err := d.link.Send(m); err != nil {
		d.mu.Lock()
		delete(d.open, m.ID)
		d.mu.Unlock()
		return "", err
	}
	return m.ID, nil
}

// errNoReply reports a daemon that did not answer in time.
var errNoReply = errors.New("the daemon did not answer in time")

// request sends a request and waits for its last frame. An error frame becomes an error.
func (d *daemonLink) request(ctx context.Context, m ipc.Message) (ipc.Message, error) {
	type reply struct {
		m   ipc.Message
		err error
	}
	got := make(chan reply, 1)
	id, err := d.send(m, func(m ipc.Message, err error) {
		if err == nil && !m.Done {
			return
		}
		if err == nil && m.Error != nil {
			err = m.Error
		}
		got <- reply{m, err}
	})
	if err != nil {
		return ipc.Message{}, err
	}
	select {
	case r := <-got:
		return r.m, r.err
	case <-ctx.Done():
		d.mu.Lock()
		delete(d.open, id)
		d.mu.Unlock()
		return ipc.Message{}, errNoReply
	}
}

// query asks for something and decodes the answer into v.
func (d *daemonLink) query(ctx context.Context, q ipc.Query, v any) error {
	m, err := d.request(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(q))
	if err != nil {
		return err
	}
	return m.Decode(v)
}
