package daemon

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/logfile"
	"github.com/nidoit/blunux-ai/tail"
	"github.com/nidoit/blunux-ai/watch"
)

// told are the topics of [events].
var toldTopics = []string{topicTasks, topicApprovals, topicNotifications, topicConfig}

// maxLogLines bounds how many of a log's last lines a subscription begins with.
const maxLogLines = 100_000

// subscription sends events to one request of a connection, numbered.
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
	s.c.send(m)
}

// subscribe sends the events of the wanted topics until the connection ends.
func (c *peerConn) subscribe(m ipc.Message) {
	var want ipc.Subscription
	err := m.Decode(&want)
	if err == nil {
		err = checkTopics(want)
	}
	var logs []*followed
	for _, topic := range want.Topics {
		if err != nil {
			break
		}
		if files, ok := c.logFiles(topic); ok {
			var f *followed
			if f, err = c.followed(topic, files, want); err == nil {
				logs = append(logs, f)
			}
		}
	}
	if err != nil {
		for _, f := range logs {
			f.close()
		}
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
		return
	}
	s := &subscription{c: c, re: m.ID}
	for _, f := range logs {
		c.serving.Go(func() { f.run(m, s) })
	}
	if len(logs) == 0 || len(logs) < len(want.Topics) {
		ch, drop := c.events.subscribe(want.Topics)
		c.serving.Go(func() {
			defer drop()
			c.pass(m, ch, s)
		})
	}
}

// pass sends events as they are told.
func (c *peerConn) pass(m ipc.Message, ch <-chan ipc.Message, s *subscription) {
	for {
		select {
		case e, ok := <-ch:
			if !ok {
				c.fail(m, &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrBusy.In(c.language())})
				return
			}
			s.send(e)
		case <-c.gone:
			return
		}
	}
}

func checkTopics(s ipc.Subscription) error {
	logs := 0
	for _, topic := range s.Topics {
		switch {
		case topic == ipc.TopicLog, topic == ipc.TopicDaemonLog:
			logs++
		case !slices.Contains(toldTopics, topic):
			return fmt.Errorf("no topic %q", topic)
		}
	}
	switch {
	case logs > 1 && s.After != "":
		return errors.New(`"after" is a position in one log`)
	case s.Lines < 0 || s.Lines > maxLogLines:
		return fmt.Errorf("lines: %d is not from 0 to %d", s.Lines, maxLogLines)
	}
	return nil
}

// logFiles returns the files of a log's topic.
func (d *Daemon) logFiles(topic string) (files tail.Files, ok bool) {
	logs := joinHome(d.o.Home, "logs")
	switch topic {
	case ipc.TopicLog:
		return tail.One(joinHome(logs, "commands.log")), true
	case ipc.TopicDaemonLog:
		return tail.Files{Dir: logs, Match: logfile.Is}, true
	}
	return tail.Files{}, false
}

// followed is a log on its way to a subscriber. The files are read, not the
// daemon's own records: whoever writes a line there, it comes once and in its
// place, and a subscriber that reads slowly only falls behind.
type followed struct {
	c       *peerConn
	topic   string
	from    tail.Position
	reader  *tail.Reader
	changes *watch.Watcher
}

// followed prepares to follow a log. It watches before it looks where the log
// ends, so that no line falls in between.
func (c *peerConn) followed(topic string, files tail.Files, want ipc.Subscription) (*followed, error) {
	warn := func(err error) { c.o.Log.Warn().Err(err).Msg("a log cannot be followed") }
	changes, err := watch.New(warn, watch.Dir{Path: files.Dir, Match: files.Match, Appends: true})
	if err != nil {
		return nil, err
	}
	var from tail.Position
	if want.After != "" {
		from, err = files.ParsePosition(want.After)
	} else {
		from, err = files.Before(want.Lines)
	}
	if err != nil {
		changes.Close()
		return nil, err
	}
	return &followed{c, topic, from, files.From(from), changes}, nil
}

func (f *followed) close() {
	f.changes.Close()
	_ = f.reader.Close() // it was only read
}

// run sends lines until the connection ends.
func (f *followed) run(m ipc.Message, s *subscription) {
	defer f.close()
	f.tell(s, ipc.LogLine{At: f.from.String()})
	for {
		for {
			line, ok, err := f.reader.Next()
			if err != nil {
				f.c.fail(m, f.c.failure(err, f.c.language()))
				return
			}
			if !ok || f.ended() {
				break
			}
			f.tell(s, ipc.LogLine{Line: excerptOf(line.Text, maxBody), At: line.End.String()})
		}
		select {
		case <-f.changes.Changes():
		case <-f.c.gone:
			return
		}
	}
}

func (f *followed) tell(s *subscription, line ipc.LogLine) {
	s.send(ipc.Message{}.WithData(event{f.topic, line}))
}

func (f *followed) ended() bool {
	select {
	case <-f.c.gone:
		return true
	default:
		return false
	}
}
