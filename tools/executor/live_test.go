package executor_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// outputRecorder records the output that it receives, and lets a test wait for it.
type outputRecorder struct {
	mu     sync.Mutex
	pieces []string
	heard  chan struct{}
}

func newOutputRecorder() *outputRecorder { return &outputRecorder{heard: make(chan struct{}, 1000)} }

func (o *outputRecorder) tell(text string) {
	o.mu.Lock()
	o.pieces = append(o.pieces, text)
	o.mu.Unlock()
	o.heard <- struct{}{}
}

func (o *outputRecorder) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.pieces, "")
}

func TestWhatACommandPrintsIsSeenWhileItRuns(t *testing.T) {
	x := newExecutor(executor.Options{})
	o := newOutputRecorder()
	done := make(chan executor.Result, 1)
	fifo := t.TempDir()
	go func() {
		r, _ := x.Run(t.Context(), executor.Job{
			Command: sh("echo one; mkfifo go; : > go; echo two >&2"), Dir: fifo, Timeout: plenty, OnOutput: o.tell,
		})
		done <- r
	}()
	<-o.heard
	require.Equal(t, "one\n", o.all(), "before the command has ended")
	_, err := x.Run(t.Context(), executor.Job{Command: sh("while ! [ -p go ]; do :; done; cat go"), Dir: fifo, Timeout: plenty})
	require.NoError(t, err)
	<-done
	require.Equal(t, "one\ntwo\n", o.all())
}

func TestWhoLooksOnSeesNoSecret(t *testing.T) {
	const planted = "sk-ant-planted-0d8f7a6b5c4e3f2a1b"
	o := newOutputRecorder()
	x := newExecutor(executor.Options{Redactor: secret.NewRedactor([]string{planted})})
	_, err := x.Run(t.Context(), executor.Job{
		Command: sh("printf %s " + planted[:9] + "; sleep 0.3; echo " + planted[9:]), Dir: t.TempDir(), Timeout: plenty, OnOutput: o.tell,
	})
	require.NoError(t, err)
	require.Equal(t, "[redacted:anthropic-key]\n", o.all())
}

func TestAFloodIsTastedAndHoldsUpNobody(t *testing.T) {
	o := newOutputRecorder()
	start := time.Now()
	r, err := newExecutor(executor.Options{}).Run(t.Context(), executor.Job{
		Command: sh("yes 0123456789 | head -c 50000000; echo end"), Dir: t.TempDir(), Timeout: plenty, OnOutput: o.tell,
	})
	require.NoError(t, err)
	require.True(t, r.Cut)
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Less(t, len(o.pieces), int(time.Since(start)/(50*time.Millisecond))+10)
	for _, p := range o.pieces {
		require.LessOrEqual(t, len(p), 64<<10)
		require.True(t, strings.HasPrefix(p, "0123456789\n") || p == "012345end\n", "whole lines: %.40q", p) // the last one is cut by head
	}
	require.True(t, strings.HasSuffix(strings.Join(o.pieces, ""), "end\n"))
}
