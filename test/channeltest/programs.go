package channeltest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Root returns the directory of the source tree, whichever module's tests run.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot find the source tree: %w", err)
	}
	for dir != "/" {
		if _, err := os.Stat(filepath.Join(dir, "cmd/blunux-ai")); err == nil {
			return dir, nil
		}
		dir = filepath.Dir(dir)
	}
	return "", errors.New("cannot find the source tree")
}

// Programs returns the directory of the programs as make build builds them. All tests share it.
func Programs() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	build := exec.Command("make", "-s", "-C", root, "build")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "BIN=bin")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the programs: %w\n%s", err, out)
	}
	return filepath.Join(root, "bin"), nil
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
