package serve

import (
	"path/filepath"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/internal/tail"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxLogLines bounds how many last lines of a log a subscription starts with.
const maxLogLines = 100_000

// logFiles returns the files of a log's topic.
func (sv *Server) logFiles(topic string) (files tail.Files, ok bool) {
	logs := filepath.Join(sv.settings.Home, "logs")
	switch topic {
	case ipc.TopicLog:
		return tail.SingleFile(filepath.Join(logs, "commands.log")), true
	case ipc.TopicDaemonLog:
		return tail.Files{Dir: logs, Match: logfile.IsLogName}, true
	}
	return tail.Files{}, false
}

// logFollower sends a log to a subscriber. It reads the log's files, so each line of any writer comes once and in
// order, and a slow subscriber only falls behind.
type logFollower struct {
	c       *peerConn
	topic   string
	from    tail.Position
	reader  *tail.Reader
	changes *watch.Watcher
}

// newLogFollower prepares to follow a log. It starts watching before it looks for the end of the log, so that no
// line is missed.
func (c *peerConn) newLogFollower(topic string, files tail.Files, want ipc.Subscription) (*logFollower, error) {
	warn := func(err error) { c.s.log.Warn().Err(err).Msg("cannot follow log") }
	changes, err := watch.New(warn, watch.Dir{Path: files.Dir, Match: files.Match, Appends: true})
	if err != nil {
		return nil, err
	}
	var from tail.Position
	if want.After != "" {
		from, err = files.ParsePosition(want.After)
	} else {
		from, err = files.PositionBefore(want.Lines)
	}
	if err != nil {
		changes.Close()
		return nil, err
	}
	return &logFollower{c, topic, from, files.From(from), changes}, nil
}

func (f *logFollower) close() {
	f.changes.Close()
	_ = f.reader.Close() // opened read-only
}

// Run sends lines until the connection ends.
func (f *logFollower) run(m ipc.Message, s *subscription) {
	defer f.close()
	f.sendLine(s, ipc.LogLine{At: f.from.String()})
	for {
		for {
			line, ok, err := f.reader.Next()
			if err != nil {
				f.c.Fail(m, f.c.s.settings.Failure(err, f.c.language()))
				return
			}
			if !ok || f.isEnded() {
				break
			}
			f.sendLine(s, ipc.LogLine{Line: chat.ExcerptOf(line.Text, chat.MaxBody), At: line.End.String()})
		}
		select {
		case <-f.changes.Changes():
		case <-f.c.gone:
			return
		}
	}
}

func (f *logFollower) sendLine(s *subscription, line ipc.LogLine) {
	s.send(ipc.Message{}.WithData(post.Event{Topic: f.topic, What: line}))
}

func (f *logFollower) isEnded() bool {
	select {
	case <-f.c.gone:
		return true
	default:
		return false
	}
}
