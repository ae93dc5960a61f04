package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// subscription sends numbered events to one request of a connection.
type subscription struct {
	c  *peerConn
	re string

	mu  sync.Mutex
	seq int64
}

func (s *subscription) send(m ipc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	m.Type, m.Re, m.Seq = ipc.TypeEvent, s.re, s.seq
	_ = s.c.send(m)
}

// subscribe sends the events of the wanted topics until the connection ends. A peer that names the topic
// notifications first gets the waiting ones. Each is sent again on its next subscription until it is acknowledged.
func (c *peerConn) subscribe(m ipc.Message) {
	var want ipc.Subscription
	err := m.Decode(&want)
	if err == nil {
		err = c.checkTopics(want)
	}
	var logs []*logFollower
	if err == nil {
		logs, err = c.followLogs(want)
	}
	if err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	s := &subscription{c: c, re: m.ID}
	for _, f := range logs {
		c.s.life.Serving.Go(func() { f.run(m, s) })
	}
	if len(logs) > 0 && len(logs) == len(want.Topics) {
		return
	}
	ch, drop := c.s.post.Events.Subscribe(want.Topics)
	waiting := []outbox.Message{}
	if slices.Contains(want.Topics, post.TopicNotifications) {
		waiting = c.s.post.Outbox.Ready(c.visibleChannel())
	}
	c.s.life.Serving.Go(func() {
		defer drop()
		c.pushEvents(m, s, waiting, ch)
	})
}

// checkTopics validates a subscription.
func (c *peerConn) checkTopics(want ipc.Subscription) error {
	logs := 0
	for _, topic := range want.Topics {
		_, allowed, known := c.s.routes.find("topic", topic, c.kind())
		switch {
		case !known:
			return fmt.Errorf("no topic %q", topic)
		case !allowed:
			return fmt.Errorf("the topic %q is only for local clients", topic)
		}
		if _, isLog := c.s.logFiles(topic); isLog {
			logs++
		}
	}
	switch {
	case logs > 1 && want.After != "":
		return errors.New(`"after" is a position in one log`)
	case want.Lines < 0 || want.Lines > maxLogLines:
		return fmt.Errorf("lines: %d is not between 0 and %d", want.Lines, maxLogLines)
	}
	return nil
}

// followLogs prepares to follow the wanted logs.
func (c *peerConn) followLogs(want ipc.Subscription) (logs []*logFollower, err error) {
	for _, topic := range want.Topics {
		files, ok := c.s.logFiles(topic)
		if !ok {
			continue
		}
		f, err := c.newLogFollower(topic, files, want)
		if err != nil {
			for _, f := range logs {
				f.close()
			}
			return nil, err
		}
		logs = append(logs, f)
	}
	return logs, nil
}

// pushEvents sends the waiting notifications and then the events.
func (c *peerConn) pushEvents(m ipc.Message, s *subscription, waiting []outbox.Message, ch <-chan ipc.Message) {
	for _, t := range waiting {
		s.send(ipc.Message{}.WithData(post.Event{Topic: post.TopicNotifications, What: post.NoticeOf(t)}))
	}
	for {
		select {
		case e, ok := <-ch:
			if !ok {
				c.Fail(m, &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrBusy.In(c.language())})
				return
			}
			if c.mayReceive(e) {
				s.send(e)
			}
		case <-c.gone:
			return
		}
	}
}

// visibleChannel returns the channel whose notifications a peer may see: its own, or "" (all) for local clients.
func (c *peerConn) visibleChannel() string {
	if c.kind() == local {
		return ""
	}
	return c.hello.Channel
}

// mayReceive reports whether an event is for this peer. Remote ones only get events of their channel.
func (c *peerConn) mayReceive(e ipc.Message) bool {
	channel := c.visibleChannel()
	if channel == "" {
		return true
	}
	var of struct {
		What struct {
			Channel string `json:"channel"`
		} `json:"what"`
	}
	var topic post.Event
	if e.Decode(&of) != nil {
		return false
	}
	return of.What.Channel == channel || c.kind() == bridge && e.Decode(&topic) == nil && topic.Topic == post.TopicConfig
}

// acknowledge removes delivered notifications from the outbox.
func (c *peerConn) acknowledge(m ipc.Message) {
	var data ipc.Acknowledgement
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	var ids []string
	var sent []outbox.Message
	for _, t := range c.s.post.Outbox.Waiting(c.visibleChannel()) {
		if slices.Contains(data.IDs, t.ID) {
			ids, sent = append(ids, t.ID), append(sent, t)
			if c.kind() == bridge { // a delivered question can be answered
				c.s.turns.Stored.MarkSeen(t.Approval, post.KeyOf(t.Channel, t.To), true)
			}
		}
	}
	if err := c.s.post.Outbox.Remove(ids); err != nil {
		c.Fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	for _, t := range sent {
		c.s.files.RemoveSentFiles(t)
	}
	c.ok(m, strconv.Itoa(len(ids)))
}

// ServePoll answers a poll with the oldest notifications of a channel.
func (c *peerConn) ServePoll(channel string, wanted func(outbox.Message) bool, reply func([]ipc.Notification) error) {
	err := c.s.post.Outbox.Take(channel, perPoll, wanted, func(texts []outbox.Message) error {
		ns := make([]ipc.Notification, len(texts))
		for i, t := range texts {
			ns[i] = ipc.Notification{To: t.To, Body: t.Body, ID: t.ID}
			c.s.approvals.MarkShowing(t.Approval)
		}
		err := reply(ns)
		if err == nil {
			c.recordSent(texts...)
		}
		for _, t := range texts {
			c.s.turns.Stored.MarkSeen(t.Approval, post.KeyOf(t.Channel, t.To), err == nil)
		}
		return err
	})
	if err != nil {
		c.s.log.Warn().Err(err).Msg("cannot deliver notifications")
	}
}

// perPoll is how many notifications one poll returns (original protocol).
const perPoll = 10

func (c *peerConn) queryNotifications(_ context.Context, _ ipc.Query) (any, error) {
	notices := []ipc.Notice{}
	for _, t := range c.s.post.Outbox.Waiting(c.visibleChannel()) {
		notices = append(notices, post.NoticeOf(t))
	}
	return notices, nil
}
