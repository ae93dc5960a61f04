package helper_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/peer"
)

func TestMain(m *testing.M) {
	if os.Getenv("PROGRAM") != "" {
		serve()
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is the helper program of these tests.
func serve() {
	var c *peer.Conn
	ready := make(chan struct{})
	c = peer.New(os.Stdin, os.Stdout, peer.Options{Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		<-ready
		switch method {
		case "pid":
			return os.Getpid(), nil
		case "environment":
			return os.Environ(), nil
		case "wait":
			_ = c.Notify(ctx, "waiting", nil)
			<-ctx.Done()
			return nil, ctx.Err()
		case "die":
			_, _ = os.Stdout.WriteString(`{"id":1,"resu`)
			_, _ = os.Stderr.WriteString("dying\n")
			os.Exit(7)
		case "flood":
			_, _ = os.Stdout.WriteString(strings.Repeat("x", 2*peer.DefaultMaxLine))
			<-ctx.Done()
		case "stop": // neither reads nor ends
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			<-ctx.Done()
		case "back":
			var got string
			err := c.Call(ctx, "ask", params, &got)
			return got, err
		}
		return nil, peer.UnknownMethod(method)
	}})
	close(ready)
	<-c.Done()
}

// program returns the helper program of these tests, and the lines that it logs.
func program(t *testing.T, o helper.Options) (*helper.Program, *logged) {
	t.Helper()
	log := &logged{}
	o.Log = log.add
	o.Launch = helper.Start(func() (child.Start, error) {
		self, err := os.Executable()
		return child.Start{File: self, Env: []string{"PROGRAM=1"}}, err
	})
	p := helper.New(o)
	t.Cleanup(p.Close)
	return p, log
}

type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *logged) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func pidOf(t *testing.T, p *helper.Program) int {
	t.Helper()
	var pid int
	require.NoError(t, p.Call(t.Context(), "pid", nil, &pid))
	return pid
}

// hasEnded reports whether a process has ended.
func hasEnded(pid int) bool {
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestParallelRequestsStartOneProgram(t *testing.T) {
	p, _ := program(t, helper.Options{})
	var pids sync.Map
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			var pid int
			if err := p.Call(t.Context(), "pid", nil, &pid); err != nil {
				t.Error(err)
			}
			pids.Store(pid, true)
		})
	}
	all.Wait()
	count := 0
	pids.Range(func(any, any) bool { count++; return true })
	require.Equal(t, 1, count)
	pid := pidOf(t, p)
	p.Close()
	require.True(t, hasEnded(pid))
	require.ErrorIs(t, p.Call(t.Context(), "pid", nil, nil), helper.ErrClosed)
	p.Close() // again
}

func TestOnlyARunningProgramIsCalled(t *testing.T) {
	p, _ := program(t, helper.Options{})
	ran, err := p.CallRunning(t.Context(), "pid", nil, nil)
	require.NoError(t, err)
	require.False(t, ran)
	pid := pidOf(t, p)
	var same int
	ran, err = p.CallRunning(t.Context(), "pid", nil, &same)
	require.NoError(t, err)
	require.True(t, ran)
	require.Equal(t, pid, same)
}

func TestTheProgramAsksBack(t *testing.T) {
	p, _ := program(t, helper.Options{Peer: peer.Options{Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		return method + " " + string(params), nil
	}}})
	var got string
	require.NoError(t, p.Call(t.Context(), "back", 5, &got))
	require.Equal(t, "ask 5", got)
	var env []string
	require.Error(t, p.Call(t.Context(), "nothing", nil, nil))
	require.NoError(t, p.Call(t.Context(), "environment", nil, &env))
	require.Equal(t, []string{"PROGRAM=1"}, env, "nothing of ours")
}

func TestAProgramThatDiesFailsItsRequestsAndIsStartedAnew(t *testing.T) {
	waiting := make(chan struct{}, 1)
	p, log := program(t, helper.Options{Peer: peer.Options{Notice: func(string, json.RawMessage) { waiting <- struct{}{} }}})
	first := pidOf(t, p)
	other := make(chan error, 1)
	go func() { other <- p.Call(t.Context(), "wait", nil, nil) }()
	<-waiting
	err := p.Call(t.Context(), "die", nil, nil)
	require.ErrorIs(t, err, helper.ErrEnded)
	require.EqualError(t, err, "it ended unexpectedly: exit status 7")
	require.EqualError(t, <-other, "it ended unexpectedly: exit status 7")
	require.Contains(t, log.all(), "dying")
	require.Contains(t, log.all(), "exit status 7")
	require.NotEqual(t, first, pidOf(t, p))
}

func TestAProgramThatFloodsIsEnded(t *testing.T) {
	p, _ := program(t, helper.Options{ExitTimeout: 100 * time.Millisecond})
	require.ErrorIs(t, p.Call(t.Context(), "flood", nil, nil), peer.ErrTooLong)
	pidOf(t, p)
}

func TestAProgramThatHangsIsKilled(t *testing.T) {
	p, _ := program(t, helper.Options{Peer: peer.Options{HangTimeout: 50 * time.Millisecond}, ExitTimeout: 50 * time.Millisecond})
	pid := pidOf(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.Call(ctx, "stop", nil, nil), context.DeadlineExceeded)
	require.Eventually(t, func() bool { return hasEnded(pid) }, time.Minute, 5*time.Millisecond)
	require.NotEqual(t, pid, pidOf(t, p))
}

func TestClosingKillsAProgramThatHangs(t *testing.T) {
	p, _ := program(t, helper.Options{ExitTimeout: 50 * time.Millisecond})
	pid := pidOf(t, p)
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	p.Close()
	require.True(t, hasEnded(pid))
}

func TestAProgramThatIsMissing(t *testing.T) {
	missing := errors.New("not installed")
	p := helper.New(helper.Options{Launch: helper.Start(func() (child.Start, error) { return child.Start{}, missing })})
	defer p.Close()
	for range 2 * helper.MaxCrashes {
		require.ErrorIs(t, p.Call(t.Context(), "x", nil, nil), missing)
	}
}

// fake launches programs in this process, which can be timed.
type fake struct {
	launched atomic.Int32
	running  atomic.Int32
	handle   peer.Handler
}

func (f *fake) launch(io.Writer) (helper.Process, error) {
	f.launched.Add(1)
	f.running.Add(1)
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	done := make(chan struct{})
	c := peer.New(in, out, peer.Options{Handle: f.handle})
	go func() {
		<-c.Done()
		in.Close()
		out.Close()
		c.Wait()
		f.running.Add(-1)
		close(done)
	}()
	return helper.Process{Stdin: stdin, Stdout: stdout, Done: done, Exit: func() error { return nil }, Kill: c.Close}, nil
}

func TestAnIdleProgramEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{handle: func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
			if method == "long" {
				time.Sleep(5 * time.Minute)
			}
			return nil, ctx.Err()
		}}
		p := helper.New(helper.Options{Launch: f.launch})
		defer p.Close()
		for range 10 {
			require.NoError(t, p.Call(t.Context(), "x", nil, nil))
			time.Sleep(59 * time.Second)
		}
		require.NoError(t, p.Call(t.Context(), "long", nil, nil))
		require.EqualValues(t, 1, f.launched.Load(), "used all the time")
		time.Sleep(61 * time.Second)
		synctest.Wait()
		require.Zero(t, f.running.Load())
		require.NoError(t, p.Call(t.Context(), "x", nil, nil))
		require.EqualValues(t, 2, f.launched.Load())
	})
}

func TestAProgramThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{handle: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }}
		p := helper.New(helper.Options{Launch: f.launch, Idle: -1})
		require.NoError(t, p.Call(t.Context(), "x", nil, nil))
		time.Sleep(time.Hour)
		require.EqualValues(t, 1, f.running.Load())
		p.Close()
		require.Zero(t, f.running.Load())
	})
}

func TestRestartsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p := helper.New(helper.Options{Launch: f.launch, Setup: func(ctx context.Context, c *peer.Conn) error {
			return c.Call(ctx, "open", nil, nil)
		}})
		defer p.Close()
		for range helper.MaxCrashes {
			require.EqualError(t, p.Call(t.Context(), "x", nil, nil), `it does not start: unknown method "open"`)
		}
		require.ErrorIs(t, p.Call(t.Context(), "x", nil, nil), helper.ErrCrashes)
		require.EqualValues(t, helper.MaxCrashes, f.launched.Load())
		time.Sleep(time.Minute)
		f.handle = func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }
		require.NoError(t, p.Call(t.Context(), "x", nil, nil))
	})
}

func TestAStartIsBoundedAndNotEndedByOneThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{handle: func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
			if method == "open" {
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Second):
				}
			}
			return nil, ctx.Err()
		}}
		open := func(ctx context.Context, c *peer.Conn) error { return c.Call(ctx, "open", nil, nil) }
		p := helper.New(helper.Options{Launch: f.launch, Setup: open})
		defer p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, p.Call(ctx, "x", nil, nil), context.DeadlineExceeded)
		require.NoError(t, p.Call(t.Context(), "x", nil, nil))
		require.EqualValues(t, 1, f.launched.Load())

		slow := helper.New(helper.Options{Launch: f.launch, Setup: open, StartTimeout: time.Second})
		require.ErrorContains(t, slow.Call(t.Context(), "x", nil, nil), "it does not start")
		go slow.Call(context.Background(), "x", nil, nil)
		synctest.Wait()
		slow.Close() // while it starts
	})
}

func TestClosingWaitsForRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			seconds, _ := strconv.Atoi(string(params))
			select {
			case <-time.After(time.Duration(seconds) * time.Second):
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}}
		for seconds, want := range map[int]error{1: nil, 60: helper.ErrClosed} {
			p := helper.New(helper.Options{Launch: f.launch})
			called := make(chan error, 1)
			go func() { called <- p.Call(context.Background(), "x", seconds, nil) }()
			synctest.Wait()
			begun := time.Now()
			p.Close()
			require.LessOrEqual(t, time.Since(begun), 2*time.Second)
			require.ErrorIs(t, <-called, want)
		}
	})
}
