package daemon

import (
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/logfile"
	"github.com/nidoit/blunux-ai/tail"
	"github.com/nidoit/blunux-ai/watch"
)

// maxLogLines bounds how many of a log's last lines a subscription begins with.
const maxLogLines = 100_000

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
