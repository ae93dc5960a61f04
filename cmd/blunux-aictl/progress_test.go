package main

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// safeBuffer is a buffer for two goroutines.
type safeBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *safeBuffer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *safeBuffer) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

var claude = ipc.Hello{Provider: "claude", Model: "claude-opus-4-5"}

func TestU4WhileAModelWorksItsNameTheSecondsAndTheKeyShow(t *testing.T) {
	for lang, want := range map[i18n.Lang]string{
		i18n.English: "claude-opus-4-5: working · 3 s · Ctrl-C to cancel",
		i18n.Korean:  "claude-opus-4-5 · 답을 준비하는 중 · 3초 · Ctrl-C로 취소",
		i18n.Chinese: "claude-opus-4-5 正在处理 · 3 秒 · Ctrl-C 取消",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out safeBuffer
			p := newProgress(&out, true, true, func() int { return 80 })
			p.begin(lang, claude)
			time.Sleep(progressDelay - progressTick)
			synctest.Wait()
			require.Empty(t, out.String(), "shown before there was anything to wait for")
			time.Sleep(3 * time.Second)
			synctest.Wait()
			require.Contains(t, out.String(), want)
			p.end()
			require.True(t, strings.HasSuffix(out.String(), "\r\x1b[K"), "the line stays: %q", out.String())
			ended := out.String()
			time.Sleep(time.Minute)
			require.Equal(t, ended, out.String())
		})
	}
}

func TestU4NothingIsDrawnWhileSomethingElseIsPrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		p := newProgress(&out, true, true, func() int { return 80 })
		p.begin(i18n.English, claude)
		time.Sleep(2 * time.Second)
		p.pause()
		paused := out.String()
		require.True(t, strings.HasSuffix(paused, "\r\x1b[K"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, paused, out.String())
		p.resume()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Regexp(t, `6[34] s`, out.String()[len(paused):])
		p.end()
	})
}

func TestU4ATerminalThatTakesNoLineBackIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		p := newProgress(&out, true, false, func() int { return 80 })
		p.begin(i18n.English, claude)
		time.Sleep(time.Minute)
		p.end()
		require.Equal(t, "claude-opus-4-5: working · 3 s · Ctrl-C to cancel\n", out.String())
	})
}

func TestU4NobodyLooksNothingIsWritten(t *testing.T) {
	p := newProgress(nil, false, true, nil)
	p.begin(i18n.English, claude)
	p.pause()
	p.resume()
	p.end()
}

// TestALongLookShowsThatItWorks: the built-in helper's, and one of a command that asks no model.
func TestALongLookShowsThatItWorks(t *testing.T) {
	for provider, want := range map[string]string{"offline": "built-in helper: working · 3 s", "": "blunux-ai: working · 3 s"} {
		synctest.Test(t, func(t *testing.T) {
			var out safeBuffer
			p := newProgress(&out, true, true, func() int { return 80 })
			p.begin(i18n.English, ipc.Hello{Provider: provider})
			time.Sleep(progressDelay - progressTick)
			synctest.Wait()
			require.Empty(t, out.String(), "an answer at once needs none")
			time.Sleep(3 * time.Second)
			p.end()
			require.Contains(t, out.String(), want)
			require.True(t, strings.HasSuffix(out.String(), "\r\x1b[K"))
		})
	}
}

func TestU4TheLineFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{0, 1, 5, 20, 40} {
		require.LessOrEqual(t, term.Width(firstCells("| 클로드가 답을 준비하고 있어요 · 3초 · Ctrl-C로 취소", columns)), columns)
	}
}

func TestTheRunningStepOfAPlanIsOnTheLineOfProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		p := newProgress(&out, true, true, func() int { return 80 })
		p.begin(i18n.English, claude)
		defer p.end()
		require.True(t, p.setStep("[2/5] systemctl restart x"))
		time.Sleep(3*time.Second + progressTick)
		synctest.Wait()
		require.Contains(t, out.String(), "[2/5] systemctl restart x · 3 s (Ctrl-C stops)")
		p.setStep("")
		time.Sleep(time.Second)
		synctest.Wait()
		require.Contains(t, out.String(), ": working · 4 s", "then the model's")
		p.end()
		require.False(t, p.setStep("[3/5] x"), "the line is gone")
	})
}

func TestEachEndedStepOfAPlanHasARow(t *testing.T) {
	var errOut strings.Builder
	d := &display{lang: i18n.English, errOut: &errOut, errTTY: true}
	frame := func(tool ipc.Tool) {
		require.NoError(t, d.tool(ipc.Message{Type: ipc.TypeTool}.WithData(tool)))
	}
	step := func(state string) {
		frame(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", State: ipc.ToolRunning, Step: &ipc.PlanStep{Number: 2, Of: 3, Command: "touch x\nrm \x1b[2J", State: state}})
	}
	frame(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", Command: "a\nb\nc", State: ipc.ToolRunning})
	step(ipc.StepRunning) // there is no line of progress
	frame(ipc.Tool{Call: "t1.check", Name: "run_command", Class: "SAFE", Command: "test -e x", State: ipc.ToolRunning})
	frame(ipc.Tool{Call: "t1.check", Name: "run_command", Class: "SAFE", State: ipc.ToolDone, Exit: 1})
	step(ipc.StepFailed)
	frame(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", State: ipc.ToolDone, Exit: 1})
	frame(ipc.Tool{Call: "t2", Name: "run_command", Class: "SAFE", Command: "df", State: ipc.ToolRunning})
	require.Equal(t, "[2/3] … touch x …\n[2/3] ✗ touch x …\n▸ SAFE df\n", errOut.String())
}
