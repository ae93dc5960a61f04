package channeltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// build builds the daemon, the sandbox cell and the client from the source tree that contains this
// file, whichever module's tests run.
func build(t testing.TB) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	require.True(t, ok)
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-ldflags", "-s -w -X main.version=test", "-o", dir+"/",
		"./cmd/blunux-ai", "./cmd/blunux-ai-cell", "./cmd/blunux-aictl")
	cmd.Dir, cmd.Env = filepath.Join(filepath.Dir(here), "..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// start starts a program and appends its output to a log file.
func start(t testing.TB, log string, env, argv []string) *process {
	t.Helper()
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close()
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), exited: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, f, f
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	return p
}

// stop sends a signal to a program and waits for its exit.
func (p *process) stop(sig syscall.Signal) {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(sig)
	select {
	case <-p.exited:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}
