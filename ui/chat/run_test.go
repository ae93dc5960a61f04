package chat

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// silentDaemon is a daemon that only answers hello, and records messages.
type silentDaemon struct {
	events chan ipc.LinkEvent
	got    chan ipc.Message
}

func (s *silentDaemon) Send(m ipc.Message) error {
	if m.Type == ipc.TypeMessage {
		s.got <- m
	}
	return nil
}
func (s *silentDaemon) Events() <-chan ipc.LinkEvent { return s.events }

// terminals stay open until the process ends, because the program's reader does not report when it
// stops reading.
var terminals []*os.File

// runningChat is a chat on its own terminal.
type runningChat struct {
	*silentDaemon
	terminal *os.File
	over     chan error

	mu  sync.Mutex
	out strings.Builder
}

func start(t *testing.T) *runningChat {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "no pseudoterminal: %v", err)
		t.Skip("no pseudoterminal")
	}
	terminals = append(terminals, theirs)
	require.NoError(t, pty.Setsize(ours, &pty.Winsize{Rows: 20, Cols: 80}))
	r := &runningChat{silentDaemon: &silentDaemon{make(chan ipc.LinkEvent, 1), make(chan ipc.Message, 16)}, terminal: ours, over: make(chan error, 1)}
	r.events <- ipc.LinkEvent{Connected: &ipc.Hello{}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := Run(ctx, Options{Lang: i18n.Korean, Daemon: r, In: theirs, Out: theirs, Env: []string{"TERM=xterm-256color"}, NoColor: true})
		r.over <- err
	}()
	go func() { _, _ = io.Copy(r, ours) }()
	t.Cleanup(func() { cancel(); ours.Close() })
	return r
}

func (r *runningChat) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *runningChat) shown() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

func (r *runningChat) await(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(r.shown(), text) }, time.Minute, 5*time.Millisecond, "%q is not shown", text)
}

func TestAChatRunsAtATerminalAndLeavesItAsItWas(t *testing.T) {
	r := start(t)
	r.await(t, "무엇을 도와드릴까요")
	_, err := r.terminal.WriteString("한글\r")
	require.NoError(t, err)
	m := <-r.got
	require.Equal(t, "한글", m.Body)
	r.events <- ipc.LinkEvent{Frame: &ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "안녕하세요"}}
	r.await(t, "안녕하세요")
	_, err = r.terminal.WriteString("\x04")
	require.NoError(t, err)
	require.NoError(t, <-r.over)
	r.await(t, "\x1b[?1049l")
	require.Contains(t, r.shown(), "\x1b[?1049h")
}

func TestAChatEndsWithItsContext(t *testing.T) {
	ours, theirs, err := pty.Open()
	require.NoError(t, err)
	defer ours.Close()
	terminals = append(terminals, theirs)
	go func() { _, _ = io.Copy(io.Discard, ours) }()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = Run(ctx, Options{Daemon: &silentDaemon{make(chan ipc.LinkEvent), nil}, In: theirs, Out: theirs, Env: []string{"TERM=xterm"}})
	require.NoError(t, err)
}

func TestTheRenderersTickerIsWhereItWas(t *testing.T) {
	p := tea.NewProgram(newChat(i18n.English).model)
	require.NotPanics(t, func() { require.Nil(t, tickerOf(p), "it is made when the program runs") })
	stopped := time.NewTicker(time.Hour)
	defer stopped.Stop()
	slot := tickerSlot(p)
	require.NotNil(t, slot, "bubbletea keeps its ticker elsewhere: the chat wakes 60 times a second")
	*slot = stopped
	require.Same(t, stopped, tickerOf(p))
}

// contextSwitches returns how often this process's threads yielded the processor voluntarily
// (proc_pid_status(5), voluntary_ctxt_switches).
func contextSwitches(t *testing.T) (n int) {
	threads, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, thread := range threads {
		data, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/status")
		if err != nil {
			continue // the thread has ended
		}
		_, line, _ := strings.Cut(string(data), "\nvoluntary_ctxt_switches:")
		var k int
		_, _ = fmt.Sscan(line, &k)
		n += k
	}
	return n
}

func TestAnIdleChatDoesNotWake(t *testing.T) {
	r := start(t)
	r.await(t, "무엇을 도와드릴까요")
	// Other activity in this process may wake it. Therefore the best of several seconds counts. An
	// active renderer alone causes 60 a second.
	least := 1 << 20
	for range 6 {
		before := contextSwitches(t)
		<-time.After(time.Second)
		least = min(least, contextSwitches(t)-before)
		if least < 20 {
			break
		}
	}
	require.Less(t, least, 20, "wakeups a second")
	_, err := r.terminal.WriteString("x")
	require.NoError(t, err)
	r.await(t, "x")
}
