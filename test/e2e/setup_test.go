package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// TestTheFormsOfTheSetupInKorean uses the real forms on a terminal of 40 columns: once to the end, once
// cancelled with Esc.
func TestTheFormsOfTheSetupInKorean(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	f := startForms(t, home)
	f.await("어떤 모델이 답할까요?", "내장 도우미")
	f.enter("\x1b[F\r") // End
	f.await("저장하고 끝내기", "언어: 자동")
	f.enter("\x1b[B\x1b[B\r")
	f.await("화면 언어", "English")
	f.enter("\x1b[B\r")
	f.await("언어: 한국어")
	f.enter("\r")
	f.await("저장할까요?", "아니요")
	f.enter("\r")
	f.await("blunux-ai chat")
	require.Equal(t, 0, f.status())
	text, err := os.ReadFile(filepath.Join(home, "config.d/50-setup.toml"))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(text), "[ai_agent]\nlanguage = 'ko'\nprovider = 'offline'\n"), "%s", text)

	f = startForms(t, home)
	f.await("저장하고 끝내기", "제공자: 내장 도우미", "언어: 한국어")
	f.enter("\x1b")
	f.await("그만뒀어요. 아무것도 바꾸지 않았어요.")
	require.Equal(t, 130, f.status())
	again, err := os.ReadFile(filepath.Join(home, "config.d/50-setup.toml"))
	require.NoError(t, err)
	require.Equal(t, text, again)
}

// setupTerminal is the program on a terminal.
type setupTerminal struct {
	t        *testing.T
	cmd      *exec.Cmd
	terminal *os.File
	mu       sync.Mutex
	shown    bytes.Buffer
	more     chan struct{}
	ended    chan struct{}
}

func startForms(t *testing.T, home string) *setupTerminal {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "blunux-ai"), "setup")
	cmd.Env = []string{
		"HOME=" + home, "BLUNUX_AI_HOME=" + home, "BLUNUX_AI_SOCK=" + filepath.Join(home, "s.sock"), "LANG=ko_KR.UTF-8", "TERM=xterm-256color",
		"PATH=" + os.Getenv("PATH"), "GORACE=" + raceOptions, "OLLAMA_HOST=127.0.0.1:1", "XDG_RUNTIME_DIR=" + home,
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 40, Rows: 24})
	require.NoError(t, err)
	f := &setupTerminal{t: t, cmd: cmd, terminal: terminal, more: make(chan struct{}, 1), ended: make(chan struct{})}
	go f.watch()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		terminal.Close()
		<-f.ended
	})
	return f
}

func (f *setupTerminal) watch() {
	defer close(f.ended)
	buf := make([]byte, 4096)
	for {
		n, err := f.terminal.Read(buf)
		f.mu.Lock()
		f.shown.Write(buf[:n])
		f.mu.Unlock()
		select {
		case f.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// await waits until all texts have been shown since the last key.
func (f *setupTerminal) await(texts ...string) {
	f.t.Helper()
	for end := time.After(30 * time.Second); ; {
		f.mu.Lock()
		shown := f.shown.String()
		f.mu.Unlock()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		select {
		case <-f.more:
		case <-end:
			f.t.Fatalf("%q was not shown:\n%q", missing, shown)
		}
	}
}

func (f *setupTerminal) enter(keys string) {
	f.t.Helper()
	f.mu.Lock()
	f.shown.Reset()
	f.mu.Unlock()
	_, err := f.terminal.WriteString(keys)
	require.NoError(f.t, err)
}

func (f *setupTerminal) status() int {
	_ = f.cmd.Wait()
	return f.cmd.ProcessState.ExitCode()
}
