package turns

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// noRules has no automations.
type noRules struct{ Rules }

func (noRules) WithAutomation(ctx context.Context, _ task.Record) context.Context { return ctx }
func (noRules) EndTaskRun(task.Record, automation.Outcome)                        {}

// diary records the order of events. It is also a client, whose end is an event.
type diary struct {
	NoClient
	mu     sync.Mutex
	events []string
}

func (d *diary) add(event string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, event)
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.events...)
}

// Finish implements [Client].
func (d *diary) Finish(m ipc.Message) bool {
	d.add("end: " + AnswerOf(m))
	return true
}

// newTestTurns returns turns without a configuration: each turn ends with an error.
func newTestTurns(t *testing.T) *Turns {
	home, log := t.TempDir(), zerolog.Nop()
	l := life.New(life.Options{Log: log})
	p := &post.Post{Outbox: outbox.New(filepath.Join(home, "outbox.jsonl"), time.Now), Events: post.NewEvents(), Log: log}
	tasks := task.New(filepath.Join(home, "tasks.jsonl"), time.Now)
	s := &settings.Settings{
		Build: func() (*settings.Runtime, error) { return nil, errors.New("no configuration") },
		Home:  home, Fallback: i18n.English, Log: log, Life: l,
		Applied: func() {}, Reported: func(ipc.ConfigReport, error) {},
	}
	_ = s.BuildRuntime()
	ts := New(Options{
		Settings: s, Life: l, Post: p, Files: &files.Files{Home: home, Log: log, Post: p, Tasks: tasks}, Tasks: tasks,
		Approvals: approval.New(filepath.Join(home, "approvals"), time.Now),
		Ledger:    usage.New(filepath.Join(home, "usage.jsonl"), time.Now), Log: log,
	})
	ts.Connect(noRules{}, nil)
	t.Cleanup(func() { require.NoError(t, ts.Close()) })
	return ts
}

func TestTheClientGetsNothingBeforeTheMessageIsOnDisk(t *testing.T) {
	for name, failure := range map[string]error{"synced": nil, "not synced": errors.New("no space")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ts, d := newTestTurns(t), &diary{}
				r := ts.NewTask("cli", "default", "disk full?", ipc.Request{}, i18n.English)
				_, err := ts.tasks.AcceptUnsynced(r)
				require.NoError(t, err)
				synced, result := make(chan struct{}), make(chan error, 1)
				go func() {
					result <- ts.queueWhileSyncing(t.Context(), &job{rec: r, answerIn: i18n.English, client: d}, func() error {
						<-synced
						return failure
					}, func() { d.add("accepted") })
				}()
				synctest.Wait()
				running, _ := ts.Size()
				require.Equal(t, 1, running, "the turn runs meanwhile")
				require.Empty(t, d.read())
				close(synced)
				require.Equal(t, failure, <-result)
				ts.Wait()
				if failure != nil {
					require.Empty(t, d.read(), "its sender sends the message again")
					return
				}
				require.Len(t, d.read(), 2)
				require.Equal(t, "accepted", d.read()[0])
				require.Contains(t, d.read()[1], "end: ")
			})
		})
	}
}

func TestAMessageThatIsCancelledInItsQueueIsAcceptedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts, d := newTestTurns(t), &diary{}
		r := ts.NewTask("cli", "default", "disk full?", ipc.Request{}, i18n.English)
		_, err := ts.tasks.AcceptUnsynced(r)
		require.NoError(t, err)
		hold := make(chan struct{})
		_, err = ts.backlog.queues.add(queueKey("cli", "default"), func() { <-hold })
		require.NoError(t, err)
		synced, result := make(chan struct{}), make(chan error, 1)
		go func() {
			result <- ts.queueWhileSyncing(t.Context(), &job{rec: r, answerIn: i18n.English, client: d}, func() error {
				<-synced
				return nil
			}, func() { d.add("accepted") })
		}()
		synctest.Wait()
		go ts.Cancel(func(task.Record, Client) bool { return true })
		synctest.Wait()
		require.Empty(t, d.read())
		close(synced)
		require.NoError(t, <-result)
		synctest.Wait()
		require.Len(t, d.read(), 2)
		require.Equal(t, "accepted", d.read()[0])
		close(hold)
		ts.Wait()
	})
}

func TestAnAnswerThatCannotBeSavedSaysSo(t *testing.T) {
	ts, d := newTestTurns(t), &diary{}
	r := ts.NewTask("cli", "default", "disk full?", ipc.Request{}, i18n.English)
	require.NoError(t, ts.tasks.Accept(r))
	require.NoError(t, ts.tasks.Move(r.ID, task.Start))
	ts.finish(&job{rec: r, answerIn: i18n.English, client: d, state: task.Running}, end{
		change: task.Finish, frame: ipc.Message{Type: ipc.TypeResponse, Body: "No."},
		stored: func() error { return errors.New("input/output error") },
	})
	require.Equal(t, []string{"end: No.\n\n" + i18n.DiskNotWritable(ts.settings.Home).In(i18n.English)}, d.read())
}
