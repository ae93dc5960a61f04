package daemon

import (
	"fmt"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// subscribe sends the events of the wanted topics until the connection ends. A
// peer that names the topic notifications first gets those that wait for it;
// each comes again on its next subscription until it acknowledges it.
func (c *peerConn) subscribe(m ipc.Message) {
	var s ipc.Subscription
	err := m.Decode(&s)
	for _, topic := range s.Topics {
		if !slices.Contains(topics, topic) {
			err = fmt.Errorf("no topic %q", topic)
		}
	}
	if err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
		return
	}
	ch, drop := c.events.subscribe(s.Topics)
	waiting := []outbox.Text{}
	if slices.Contains(s.Topics, topicNotifications) {
		waiting = c.outbox.Waiting(c.visibleChannel())
	}
	c.serving.Go(func() {
		defer drop()
		c.push(m, waiting, ch)
	})
}

// push sends what waits and then what happens.
func (c *peerConn) push(m ipc.Message, waiting []outbox.Text, ch <-chan ipc.Message) {
	var seq int64
	send := func(e ipc.Message) {
		seq++
		e.Re, e.Seq = m.ID, seq
		_ = c.send(e)
	}
	for _, t := range waiting {
		send(ipc.Message{Type: ipc.TypeEvent}.WithData(event{topicNotifications, noticeOf(t)}))
	}
	for {
		select {
		case e, ok := <-ch:
			if !ok {
				c.fail(m, &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrBusy.In(c.language())})
				return
			}
			if c.mayHear(e) {
				send(e)
			}
		case <-c.gone:
			return
		}
	}
}

// visibleChannel is the channel whose notifications a peer may see: at the
// machine all, "", elsewhere its own.
func (c *peerConn) visibleChannel() string {
	if slices.Contains(atTheMachine, c.hello.Channel) {
		return ""
	}
	return c.hello.Channel
}

// mayHear reports whether an event is for this peer: from afar only what
// concerns its own channel.
func (c *peerConn) mayHear(e ipc.Message) bool {
	channel := c.visibleChannel()
	if channel == "" {
		return true
	}
	var of struct {
		What struct {
			Channel string `json:"channel"`
		} `json:"what"`
	}
	return e.Decode(&of) == nil && of.What.Channel == channel
}

// acknowledge takes notifications that arrived out of the outbox.
func (c *peerConn) acknowledge(m ipc.Message) {
	var data ipc.Acknowledged
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
		return
	}
	var ids []string
	for _, t := range c.outbox.Waiting(c.visibleChannel()) {
		if slices.Contains(data.IDs, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	if err := c.outbox.Gone(ids); err != nil {
		c.fail(m, c.failure(err, c.language()))
		return
	}
	c.ok(m, itoa(len(ids)))
}

func noticeOf(t outbox.Text) ipc.Notice {
	return ipc.Notice{ID: t.ID, Channel: t.Channel, To: t.To, Session: t.Session, Task: t.Task, Body: t.Body, Created: t.Created}
}

// notify puts a text into the outbox and reports whether it is there.
func (d *Daemon) notify(t outbox.Text) bool {
	if err := d.outbox.Put(t); err != nil {
		d.o.Log.Error().Err(err).Str("task", t.Task).Msg("a late answer is only in the conversation")
		return false
	}
	d.events.tell(topicNotifications, noticeOf(t))
	return true
}

// handOver answers a poll with the oldest notifications of a channel.
func (c *peerConn) handOver(channel string, reply func([]ipc.Notification) error) {
	err := c.outbox.Take(channel, perPoll, func(texts []outbox.Text) error {
		ns := make([]ipc.Notification, len(texts))
		for i, t := range texts {
			ns[i] = ipc.Notification{To: t.To, Body: t.Body, ID: t.ID}
		}
		err := reply(ns)
		if err == nil {
			c.sent(texts...)
		}
		return err
	})
	if err != nil {
		c.o.Log.Warn().Err(err).Msg("cannot deliver notifications")
	}
}

// perPoll is how many notifications one poll takes (original protocol).
const perPoll = 10

func (c *peerConn) queryNotifications(ipc.Query) (any, error) {
	notices := []ipc.Notice{}
	for _, t := range c.outbox.Waiting(c.visibleChannel()) {
		notices = append(notices, noticeOf(t))
	}
	return notices, nil
}
