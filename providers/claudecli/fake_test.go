package claudecli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary also plays claude and the server of our tools: a script named claude starts it with a role in
// FAKE_CLAUDE.
func TestMain(m *testing.M) {
	switch role := os.Getenv("FAKE_CLAUDE"); role {
	case "":
		goleak.VerifyTestMain(m)
	case "server":
		os.Exit(fakeServer())
	default:
		os.Exit(fakeClaude(role))
	}
}

// fakeClaude replays a recording (testdata/NAME.jsonl, of claude 2.1.197) for each message, or misbehaves as
// its role says.
func fakeClaude(role string) int {
	if os.Args[1] == "--version" {
		v := os.Getenv("FAKE_VERSION")
		if v == "" {
			v = "2.1.197"
		}
		fmt.Println(v + " (Claude Code)")
		return 0
	}
	appendNote("args", strings.Join(os.Args[1:], "\x00"))
	appendNote("env", strings.Join(os.Environ(), "\n"))
	appendNote("pid", strconv.Itoa(os.Getpid()))
	in := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		appendNote("in", line)
		if status, over := fakeMessage(role, n); over {
			return status
		}
	}
}

// appendNote appends to a file next to the script, for the test to read.
func appendNote(name, text string) {
	f, err := os.OpenFile(filepath.Join(os.Getenv("FAKE_DIR"), name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, strings.TrimSuffix(text, "\n"))
		f.Close()
	}
}

func fakeMessage(role string, n int) (status int, over bool) {
	switch role {
	case "garbage":
		fmt.Println("Segmentation fault? <html>")
	case "text-exit":
		fmt.Fprintln(os.Stderr, "error: unknown option '--tools'")
		return 1, true
	case "exit":
		return 3, true
	case "hang":
		time.Sleep(time.Hour) //nolint:forbidigo // that is what it does
	case "fork":
		// A child that keeps the output open and outlives its parent.
		child := exec.Command("sleep", "3600")
		child.Stdout = os.Stdout
		if child.Start() == nil {
			appendNote("child", strconv.Itoa(child.Process.Pid))
		}
		return 0, true
	case "own-tools":
		replay("plain", func(l string) string { return strings.Replace(l, `"tools":[`, `"tools":["Bash",`, 1) })
	case "endless-line":
		for {
			if _, err := io.WriteString(os.Stdout, strings.Repeat("x", 1<<20)); err != nil {
				return 1, true
			}
		}
	case "second-fails":
		if n > 0 {
			replay("server_error", nil)
			return 1, true
		}
		replay("plain", nil)
	default:
		replay(role, nil)
		if b, _ := os.ReadFile(filepath.Join(os.Getenv("FAKE_DATA"), role+".jsonl")); strings.Contains(string(b), `"is_error":true`) {
			return 1, true
		}
	}
	return 0, false
}

// replay prints a recording and repeats its tool calls.
func replay(name string, change func(string) string) {
	data, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_DATA"), name+".jsonl"))
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.ReplaceAll(line, "1795339067", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		if change != nil {
			line = change(line)
		}
		_, _ = io.WriteString(os.Stdout, line)
		if strings.Contains(line, `"type":"assistant"`) && strings.Contains(line, `"type":"tool_use"`) {
			callTool()
		}
	}
}

// callTool starts the configured server, as claude does.
func callTool() {
	var config struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	for i, arg := range os.Args {
		if arg == "--mcp-config" {
			data, _ := os.ReadFile(os.Args[i+1])
			_ = json.Unmarshal(data, &config)
		}
	}
	s := config.Servers[serverName]
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env = append(os.Environ(), "FAKE_CLAUDE=server")
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	appendNote("called", fmt.Sprint(string(out), err))
}

// fakeServer forwards one call of check_disk to the test.
func fakeServer() int {
	c, err := net.Dial("unix", os.Getenv("FAKE_SOCK"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer c.Close()
	fmt.Fprintln(c, os.Args[len(os.Args)-1])
	_, _ = io.Copy(os.Stdout, c)
	return 0
}

// stage is a machine with a fake claude.
type stage struct {
	t   *testing.T
	dir string
	env map[string]string
	*Program
}

func newStage(t *testing.T, role string, change ...func(*Options)) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), env: map[string]string{}}
	data, err := filepath.Abs("testdata")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	script := fmt.Sprintf("#!/bin/sh\nexport GORACE=atexit_sleep_ms=0\nFAKE_CLAUDE=%s FAKE_DIR=%s FAKE_DATA=%s FAKE_VERSION=\"$(cat %s/version 2>/dev/null)\" exec %s \"$@\"\n", role, s.dir, data, s.dir, self)
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "bin/claude"), []byte(script), 0o700)) //nolint:gosec // a program
	s.env["PATH"] = filepath.Join(s.dir, "bin") + ":/usr/bin:/bin"
	o := Options{
		Getenv: func(name string) string { return s.env[name] }, Home: s.dir, Dir: filepath.Join(s.dir, "run"),
		Server: []string{self, "mcp"}, ServerEnv: map[string]string{"FAKE_SOCK": filepath.Join(s.dir, "sock")},
		OutputTimeout: 20 * time.Second,
	}
	for _, c := range change {
		c(&o)
	}
	s.Program = New(o)
	t.Cleanup(s.Close)
	return s
}

// serve forwards calls of the fake server to the program, as the daemon does.
func (s *stage) serve() {
	l, err := net.Listen("unix", filepath.Join(s.dir, "sock"))
	require.NoError(s.t, err)
	done := make(chan struct{})
	s.t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			turn, _ := bufio.NewReader(c).ReadString('\n')
			fmt.Fprint(c, s.callFor(strings.TrimSpace(turn), peerPID(c.(*net.UnixConn))))
			c.Close()
		}
	}()
}

func peerPID(c *net.UnixConn) int {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

// readNote returns the content of a file written by the fake.
func (s *stage) readNote(name string) string {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(s.t, err)
	return strings.TrimSuffix(string(data), "\n")
}

// requireGone waits until a process has ended.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 2*time.Millisecond)
}
