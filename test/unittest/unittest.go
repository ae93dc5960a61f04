// Package unittest is a service manager for tests where there is none: it starts a unit's main process, waits
// until it reports that it is ready, and stops it. It has no cgroups: a stop only reaches one session.
package unittest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// RunRecorder runs the recorder if this test binary was started as one. Call it first in TestMain.
func RunRecorder() {
	if os.Args[0] == record.Name {
		os.Exit(record.Main(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == file.Command {
		os.Exit(file.Main(os.Args[2:]))
	}
}

// Manager is the service manager.
type Manager struct {
	t testing.TB

	mu      sync.Mutex
	started []unit.Service
	running map[string]*process
	// StartError is returned by Available and Start if set.
	StartError error
}

type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// New returns a manager that ends with the test.
func New(t testing.TB) *Manager {
	m := &Manager{t: t, running: map[string]*process{}}
	t.Cleanup(func() {
		for _, p := range m.running {
			kill(p.cmd.Process.Pid, syscall.SIGKILL)
			<-p.done
		}
	})
	return m
}

// Started returns the units that were started.
func (m *Manager) Started() []unit.Service {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.started
}

// Available returns Refuse.
func (m *Manager) Available(context.Context) error { return m.StartError }

// Start starts a unit's program.
func (m *Manager) Start(_ context.Context, s unit.Service) error {
	if m.StartError != nil {
		return m.StartError
	}
	dir, err := os.MkdirTemp("", "unit")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: filepath.Join(dir, "notify")})
	if err != nil {
		return err
	}
	defer socket.Close()
	cmd := exec.Command(s.Program)
	cmd.Args = s.Args
	cmd.Env = []string{"NOTIFY_SOCKET=" + socket.LocalAddr().String(), "NOT=for the command"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
		_ = socket.SetReadDeadline(time.Unix(1, 0))
	}()
	m.mu.Lock()
	m.started = append(m.started, s)
	m.running[s.Name] = p
	m.mu.Unlock()
	buf := make([]byte, 4096)
	n, err := socket.Read(buf)
	if err != nil {
		return fmt.Errorf("the main process is not ready: %w", err)
	}
	if !bytes.HasPrefix(buf[:n], []byte("READY=1")) {
		return fmt.Errorf("unexpected message of the main process: %q", buf[:n])
	}
	return nil
}

// Stop sends TERM to a unit's processes, then KILL to those that are left.
func (m *Manager) Stop(_ context.Context, name string) error {
	m.mu.Lock()
	p := m.running[name]
	m.mu.Unlock()
	if p == nil {
		return nil
	}
	kill(p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(2 * time.Second):
		kill(p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
	return nil
}

// MainPID returns the process ID of a unit's main process.
func (m *Manager) MainPID(name string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.running[name]; p != nil {
		return p.cmd.Process.Pid, nil
	}
	return 0, errors.New("no such unit")
}

// kill signals a recorder and the session of the command it started.
func kill(recorder int, sig syscall.Signal) {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", recorder, recorder))
	for _, tid := range threads(recorder) {
		more, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", recorder, tid))
		children = append(append(children, ' '), more...)
	}
	_ = syscall.Kill(recorder, sig)
	for _, word := range bytes.Fields(children) {
		var pid int
		if _, err := fmt.Sscan(string(word), &pid); err == nil {
			_ = syscall.Kill(-pid, sig)
			_ = syscall.Kill(pid, sig)
		}
	}
}

func threads(pid int) []string {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}
