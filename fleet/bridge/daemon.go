package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/ipc"
)

// Link is the connection to the daemon: an [ipc.Link].
type Link interface {
	Start(ctx context.Context) (stop func())
	Send(m ipc.Message) error
	Events() <-chan ipc.LinkEvent
}

// daemon is the daemon as the bridge uses it: on the socket of the fleet's channel, where it may ask and answer, and
// sees nothing of other channels. It is safe for concurrent use.
type daemon struct {
	link Link
	// These handle what the daemon sends, one after the other. An error is retried. re is the request that it belongs
	// to.
	notice    func(context.Context, ipc.Notice) error
	resolved  func(context.Context, ipc.Resolved) error
	connected func(context.Context) error
	asked     func(ctx context.Context, a ipc.Ask, re string) error
	ended     func(ctx context.Context, re string, o ipc.Outcome) error

	requests *ipc.Requests

	mu   sync.Mutex
	caps []string // what the daemon can do
	work []func(context.Context) error
	more chan struct{}
}

func newDaemon(link Link) *daemon {
	return &daemon{link: link, requests: ipc.NewRequests(link.Send), more: make(chan struct{}, 1)}
}

// start connects. stop waits for the end.
func (d *daemon) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	end := d.link.Start(ctx)
	all.Go(func() {
		for e := range d.link.Events() {
			d.serve(e)
		}
		d.requests.Fail(ipc.ErrLinkClosed)
	})
	all.Go(func() { d.doWork(ctx) })
	return func() {
		cancel()
		end()
		all.Wait()
	}
}

func (d *daemon) serve(e ipc.LinkEvent) {
	switch {
	case e.Connected != nil:
		d.mu.Lock()
		d.caps = e.Connected.Caps
		d.mu.Unlock()
		d.subscribe()
		d.later(d.connected)
	case e.Disconnected != nil:
		d.requests.Fail(e.Disconnected)
	case e.Frame != nil:
		d.requests.Serve(*e.Frame)
	}
}

// subscribe asks for what happens in the fleet's channel, again if the daemon dropped a slow subscriber.
func (d *daemon) subscribe() {
	_, _ = d.requests.Send(
		ipc.Message{
			Type: ipc.TypeSubscribe,
		}.WithData(
			ipc.Subscription{Topics: []string{ipc.TopicApprovals, ipc.TopicNotifications}},
		),
		func(m ipc.Message, err error) {
			var e ipc.Event
			var n ipc.Notice
			var r ipc.Resolved
			switch {
			case err != nil: // the next connection subscribes
			case m.Done:
				d.subscribe()
			case m.Type != ipc.TypeEvent || m.Decode(&e) != nil:
			case e.Topic == ipc.TopicApprovals:
				if json.Unmarshal(e.What, &r) == nil && r.Action != "" {
					d.later(func(ctx context.Context) error { return d.resolved(ctx, r) })
				}
			case e.Topic == ipc.TopicNotifications && json.Unmarshal(e.What, &n) == nil:
				d.later(func(ctx context.Context) error { return d.deliver(ctx, n) })
			}
		},
	)
}

// deliver hands a notice over, and then takes it from the daemon's outbox.
func (d *daemon) deliver(ctx context.Context, n ipc.Notice) error {
	if err := d.notice(ctx, n); err != nil {
		return err
	}
	_, _ = d.requests.Send(
		ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: []string{n.ID}}),
		func(ipc.Message, error) {},
	)
	return nil
}

// later queues work that may wait for the fleet.
func (d *daemon) later(do func(context.Context) error) {
	d.mu.Lock()
	d.work = append(d.work, do)
	d.mu.Unlock()
	select {
	case d.more <- struct{}{}:
	default:
	}
}

// doWork does the queued work in its order until ctx ends. What fails is tried again: without the fleet nothing else
// can be done.
func (d *daemon) doWork(ctx context.Context) {
	for ctx.Err() == nil {
		d.mu.Lock()
		var do func(context.Context) error
		if len(d.work) > 0 {
			do = d.work[0]
		}
		d.mu.Unlock()
		if do == nil {
			select {
			case <-d.more:
			case <-ctx.Done():
			}
			continue
		}
		if err := do(ctx); err != nil && !errors.Is(err, ipc.ErrLost) && !errors.Is(err, ipc.ErrUnreachable) {
			pause(ctx, retryAfter)
			continue
		}
		d.mu.Lock()
		d.work = d.work[1:]
		d.mu.Unlock()
	}
}

// ask hands a question to the daemon, and returns when it is on its disk. The answer comes as a notice. A question with
// the same id becomes no second task.
func (d *daemon) ask(ctx context.Context, r fleet.Request) error {
	m := ipc.Message{Type: ipc.TypeMessage, Session: r.Console, Body: r.Text}
	data := ipc.GatewayRequest{MID: r.ID}
	data.Lang = r.Lang
	_, err := d.requests.Await(ctx, m.WithData(data), func(m ipc.Message) bool {
		var a ipc.Ask
		var o ipc.Outcome
		switch {
		case m.Type == ipc.TypeAsk && m.Decode(&a) == nil:
			d.later(func(ctx context.Context) error { return d.asked(ctx, a, r.ID) })
		case m.Type == ipc.TypeResponse && m.Decode(&o) == nil && o.Stop != ipc.StopDuplicate:
			d.later(func(ctx context.Context) error { return d.ended(ctx, r.ID, o) })
		}
		return m.Type == ipc.TypeAccepted || m.Done
	})
	return err
}

// appliesPolicy reports whether the daemon applies root's policy to a decision. Its hello says so, and a query makes sure
// that there is one.
func (d *daemon) appliesPolicy(ctx context.Context) (bool, error) {
	if _, err := d.waiting(ctx); err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.caps, ipc.CapPolicy), nil
}

// decide answers what waits, for the plan with the decision's digest.
func (d *daemon) decide(ctx context.Context, console string, of fleet.Decision) error {
	action := ipc.ActionReject
	if of.Yes {
		action = ipc.ActionAllowOnce
	}
	m := ipc.Message{
		Type:    ipc.TypeAction,
		Action:  action,
		Session: console,
	}.WithData(
		ipc.Answer{Code: of.Code, Digest: of.Digest},
	)
	_, err := d.requests.Await(ctx, m, ipc.IsDone)
	return err
}

// waiting returns what waits for a yes in the fleet's channel.
func (d *daemon) waiting(ctx context.Context) (asks []ipc.Ask, err error) {
	return asks, d.requests.Query(ctx, ipc.Query{What: "approvals"}, &asks)
}
