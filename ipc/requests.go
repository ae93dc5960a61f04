package ipc

import (
	"context"
	"errors"
	"strconv"
	"sync"
)

// FrameHandler receives the frames of a request. Either the last one has Done, or the connection was lost, which is err.
// It must not block.
type FrameHandler func(m Message, err error)

// ErrNoReply reports a daemon that did not answer in time.
var ErrNoReply = errors.New("the daemon did not answer in time")

// Requests matches the frames of a daemon to the requests that they belong to. It is safe for concurrent use.
type Requests struct {
	send func(Message) error

	mu   sync.Mutex
	next int
	open map[string]FrameHandler
}

// NewRequests returns no open requests. send queues a message for the daemon.
func NewRequests(send func(Message) error) *Requests {
	return &Requests{send: send, open: map[string]FrameHandler{}}
}

// Serve passes a frame to its request.
func (r *Requests) Serve(m Message) {
	r.mu.Lock()
	handle := r.open[m.Re]
	if m.Done {
		delete(r.open, m.Re)
	}
	r.mu.Unlock()
	if handle != nil {
		handle(m, nil)
	}
}

// Fail ends all open requests.
func (r *Requests) Fail(err error) {
	r.mu.Lock()
	open := r.open
	r.open = map[string]FrameHandler{}
	r.mu.Unlock()
	for _, handle := range open {
		handle(Message{}, err)
	}
}

// Send sends a request, whose frames go to handle, and returns its id. After an error there are none.
func (r *Requests) Send(m Message, handle FrameHandler) (id string, err error) {
	r.mu.Lock()
	r.next++
	m.ID = "r" + strconv.Itoa(r.next)
	r.open[m.ID] = handle
	r.mu.Unlock()
	if err := r.send(m); err != nil {
		r.forget(m.ID)
		return "", err
	}
	return m.ID, nil
}

func (r *Requests) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}

// Await sends a request and waits for the first frame that is enough. The frames after it still go to enough. An error
// frame becomes an error. It returns [ErrNoReply] when ctx ends, and then enough gets no more frames.
func (r *Requests) Await(ctx context.Context, m Message, enough func(Message) bool) (Message, error) {
	type reply struct {
		m   Message
		err error
	}
	got := make(chan reply, 1)
	id, err := r.Send(m, func(m Message, err error) {
		if err == nil && m.Error != nil {
			err = m.Error
		}
		if err != nil || enough(m) {
			select {
			case got <- reply{m, err}:
			default: // it has what it waited for
			}
		}
	})
	if err != nil {
		return Message{}, err
	}
	select {
	case a := <-got:
		return a.m, a.err
	case <-ctx.Done():
		r.forget(id)
		return Message{}, ErrNoReply
	}
}

// Query asks for something and decodes the answer into v.
func (r *Requests) Query(ctx context.Context, q Query, v any) error {
	m, err := r.Await(ctx, Message{Type: TypeQuery}.WithData(q), IsDone)
	if err != nil {
		return err
	}
	return m.Decode(v)
}

// IsDone reports the last frame of a request.
func IsDone(m Message) bool { return m.Done }
