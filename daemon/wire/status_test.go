package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/tail"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

func (p *peer) status() (s ipc.Status) {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: "status"}))
	require.NoError(p.t, p.read().Decode(&s))
	return s
}

func TestStatusHasFiguresOfTheProcessEachConnectionAndEachTask(t *testing.T) {
	h := open(t, doer, func(o *Options) {
		build := o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			rt, err := build(own)
			if err == nil {
				rt.Guards.Privilege = func(context.Context) string { return "run0" }
			}
			return rt, err
		}
		o.Hooks.LogPlace = func() ipc.LogTarget { return ipc.LogTarget{To: "stderr", Level: "warn"} }
		o.Life.IdleExit = 10 * time.Minute
	})
	asks, p := h.hello(ipc.CapAsk), h.hello()
	asks.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: "s", Body: "do touch " + h.home + "/x"})
	ask := asks.last(ipc.TypeAsk)
	s := p.status()
	require.Equal(t, ipc.StateRunning, s.State)
	require.Equal(t, "run0", s.Privilege)
	require.Equal(t, "stderr", s.Log.To)
	require.Positive(t, s.Process.RSS)
	require.Positive(t, s.Process.Heap)
	require.Positive(t, s.Process.Goroutines)
	require.Positive(t, s.Process.OpenFiles)
	require.Equal(t, ipc.Idle{ExitsIn: 600, Activities: []string{"client 1", "task 1"}}, s.Idle)
	require.Len(t, s.Tasks, 1)
	u := s.Tasks[0]
	require.Equal(t, ipc.TaskUsage{ID: u.ID, State: "PAUSED", Channel: "cli", Session: u.Session, Rounds: 1}, u)
	require.Len(t, s.Connections, 2)
	require.False(t, s.Connections[0].Self)
	mine := s.Connections[1]
	require.True(t, mine.Self)
	require.Equal(t, "test/1 cli", mine.Client+" "+mine.Channel)
	require.Equal(t, int64(2), mine.Requests)
	require.Equal(t, int64(2), mine.FramesIn)
	require.Equal(t, int64(1), mine.FramesOut)
	require.Greater(t, mine.BytesIn, int64(100))

	asks.say(ipc.Message{Type: ipc.TypeAction, Re: ask.ID, Action: ipc.ActionAllowOnce})
	asks.last(ipc.TypeResponse)
	require.NoError(t, asks.Close())
	require.Eventually(t, func() bool { return len(p.status().Idle.Activities) == 0 }, time.Minute, time.Millisecond)
	s = p.status()
	require.Empty(t, s.Tasks)
	require.Len(t, s.Connections, 1)
}

func TestStatusShowsTheLastWarningsAndNothingLess(t *testing.T) {
	h := open(t, doer)
	logs := filepath.Join(h.home, "logs")
	require.NoError(t, os.MkdirAll(logs, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "blunux-ai.log.2026-02-19"), []byte("T WRN yesterday\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "blunux-ai.log.2026-02-20"), []byte("T DBG x\nT ERR today\nT INF y\n"), 0o600))
	s := h.hello().status()
	require.Equal(t, []string{"T WRN yesterday", "T ERR today"}, s.LastLog)
	require.Empty(t, s.LastCommands)
}

// follow subscribes to a log and returns its starting position.
func (p *peer) follow(want ipc.Subscription) string {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "f"}.WithData(want))
	line := p.line()
	require.Empty(p.t, line.Line)
	return line.At
}

func (p *peer) line() ipc.LogLine {
	p.t.Helper()
	m := p.read()
	require.Equal(p.t, ipc.TypeEvent, m.Type, string(m.Data))
	var e struct{ What ipc.LogLine }
	require.NoError(p.t, m.Decode(&e))
	return e.What
}

func TestAFollowedLogLosesNoLineAndGoesOnWhereItWas(t *testing.T) {
	h := open(t, doer)
	path := filepath.Join(h.home, "logs", "commands.log")
	p := h.hello()
	at := p.follow(ipc.Subscription{Topics: []string{ipc.TopicLog}, Lines: 5})
	require.Equal(t, tail.Position{}.String(), at, "there is no log yet")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	write := func(from, to int) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		for i := from; i < to; i++ {
			_, err = fmt.Fprintf(f, "line %d\n", i)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
	}
	go write(0, 3000) // more than the event buffer holds
	var line ipc.LogLine
	for i := range 2000 {
		line = p.line()
		require.Equal(t, fmt.Sprint("line ", i), line.Line)
	}
	require.NoError(t, p.Close())
	p = h.hello()
	require.Equal(t, line.At, p.follow(ipc.Subscription{Topics: []string{ipc.TopicLog}, Lines: 5, After: line.At}))
	for i := 2000; i < 3000; i++ {
		require.Equal(t, fmt.Sprint("line ", i), p.line().Line)
	}
	last := h.hello()
	last.follow(ipc.Subscription{Topics: []string{ipc.TopicLog}, Lines: 1})
	require.Equal(t, "line 2999", last.line().Line)
	write(3000, 3001)
	for _, watcher := range []*peer{p, last} {
		require.Equal(t, "line 3000", watcher.line().Line)
	}
}

func TestTheDaemonsLogIsFollowedAcrossMidnight(t *testing.T) {
	h := open(t, doer)
	logs := filepath.Join(h.home, "logs")
	require.NoError(t, os.MkdirAll(logs, 0o700))
	p := h.hello()
	p.follow(ipc.Subscription{Topics: []string{ipc.TopicDaemonLog}})
	for _, day := range []string{"2026-02-28", "2026-03-01", "2026-03-02"} {
		require.NoError(t, os.WriteFile(filepath.Join(logs, "blunux-ai.log."+day), []byte(day+"\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(logs, "blunux-ai.log."+day+".gz"), []byte("no\n"), 0o600))
		require.Equal(t, day, p.line().Line)
	}
}

func TestSubscriptionsThatMakeNoSenseAreRefused(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	for _, want := range []ipc.Subscription{
		{Topics: []string{"weather"}},
		{Topics: []string{ipc.TopicLog}, After: "x"},
		{Topics: []string{ipc.TopicLog}, After: "1:2:../../etc/passwd"},
		{Topics: []string{ipc.TopicLog, ipc.TopicDaemonLog}, After: "begin"},
		{Topics: []string{ipc.TopicLog}, Lines: -1},
		{Topics: []string{ipc.TopicLog}, Lines: 100_001},
	} {
		p.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(want))
		m := p.read()
		require.Equal(t, ipc.CodeBadRequest, m.Error.Code)
		require.True(t, m.Done)
	}
	p.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: []string{ipc.TopicLog, ipc.TopicConfig}}))
	p.line()
	require.NoError(t, h.settings.Reload())
	require.Equal(t, ipc.TypeEvent, p.read().Type, "one subscription may have both")
}
