package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/whatsapp/waserver"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

// machine is a home directory with a real daemon and a real bridge, and a fake WhatsApp server.
type machine struct {
	*waserver.Server
	t      *testing.T
	home   string
	env    []string
	bridge string
	daemon *exec.Cmd
	runs   *exec.Cmd
}

func newMachine(t *testing.T, plot string) *machine {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds and runs everything")
	}
	bin, err := channeltest.Programs()
	require.NoError(t, err)
	m := &machine{Server: waserver.New(t), t: t, home: t.TempDir()}
	argv, env := m.Command(t)
	m.bridge = argv[0]
	m.env = append(append(os.Environ(), env...), "BLUNUX_AI_HOME="+m.home, "BLUNUX_AI_SOCK="+m.home+"/s.sock", "BLUNUX_AI_LANG=ko", "BLUNUX_AI_LOG=info", "NOTIFY_SOCKET=")
	m.write("config.toml", "[ai_agent]\nlanguage = \"ko\"\nwhatsapp_enabled = true\n[whatsapp]\nallowed_numbers = [\"+"+m.Owner()+"\"]\nmax_messages_per_minute = 60\n")
	m.write("plot.toml", plot)
	m.startDaemon(bin)
	return m
}

func (m *machine) write(name, text string) {
	require.NoError(m.t, os.WriteFile(filepath.Join(m.home, name), []byte(text), 0o600))
}

func (m *machine) startDaemon(bin string) {
	m.daemon = m.start(filepath.Join(bin, "blunux-ai"), "daemon", "--provider", "scripted:"+m.home+"/plot.toml")
}

func (m *machine) startBridge() { m.runs = m.start(m.bridge) }

// start starts a program, which is stopped when the test ends.
func (m *machine) start(path string, args ...string) *exec.Cmd {
	m.t.Helper()
	log := &bytes.Buffer{}
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stderr, cmd.Stdout = m.env, log, log
	require.NoError(m.t, cmd.Start())
	m.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if m.t.Failed() {
			m.t.Logf("%s %v:\n%s", filepath.Base(path), args, log)
		}
	})
	return cmd
}

// awaitMessages waits until n messages are shown on a person's phone.
func (m *machine) awaitMessages(who string, n int) []channeltest.ReceivedMessage {
	m.t.Helper()
	timeout := time.After(60 * time.Second)
	for {
		changed := m.Changed()
		if seen := m.Received(who); len(seen) >= n {
			return seen
		}
		select {
		case <-changed:
		case <-timeout:
			require.FailNow(m.t, "no answer came", "%v", m.Received(who))
		}
	}
}

// login runs the bridge's login in a terminal and returns its output. see is called with the screen
// until it reports that it has linked the device.
func (m *machine) login(see func(screen string) bool, size *pty.Winsize, args ...string) (string, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.bridge, append([]string{"login"}, args...)...)
	cmd.Env = m.env
	tty, err := pty.StartWithSize(cmd, size)
	require.NoError(m.t, err)
	defer tty.Close()
	var screen bytes.Buffer
	agreed, linked := false, false
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		screen.Write(buf[:n])
		if !agreed && strings.Contains(screen.String(), "계속할까요?") {
			agreed = true
			_, _ = tty.WriteString("네\n")
		}
		if !linked && see != nil {
			linked = see(screen.String())
		}
		if err != nil {
			break
		}
	}
	return screen.String(), cmd.Wait()
}

var large = &pty.Winsize{Rows: 50, Cols: 120}

// scan makes the phone scan the QR code on the screen.
func (m *machine) scan(screen string) bool {
	c := findCode(screen)
	if len(c) == 0 || c.crop() == nil || !strings.HasSuffix(screen, "\n") || len(c) < len(c[0]) {
		return false
	}
	m.Scan(c.decode(m.t))
	return true
}

func (m *machine) logIn() {
	m.t.Helper()
	screen, err := m.login(m.scan, large)
	require.NoError(m.t, err, screen)
	require.Contains(m.t, screen, "WhatsApp의 공식 프로그램이 아니에요", "it is honest first")
	require.Contains(m.t, screen, "준비됐어요: +"+waserver.AccountNumber)
	require.Contains(m.t, screen, "systemctl --user enable --now blunux-wa-bridge")
}

func (m *machine) state() state.State {
	m.t.Helper()
	s, err := state.Read(state.Dir(m.home, "whatsapp"))
	require.NoError(m.t, err)
	return s
}

const talk = `
[[step]]
user = "디스크"
text = "아니요, **절반**만 찼어요."

[[step]]
user = "파일"
[[step.tool]]
name = "run_command"
input = { command = "touch %s/made" }
[[step]]
text = "만들었어요."

[[step]]
user_match = '^n([0-9]+)$'
text = "a{{user.1}}"
forever = true
`

func TestFromTheCodeToTheAnswer(t *testing.T) {
	made := t.TempDir()
	m := newMachine(t, fmt.Sprintf(talk, made))
	m.logIn()
	m.startBridge()
	m.Say(m.Owner(), channeltest.PersonMessage{Text: "디스크 꽉 찼어?"})
	require.Equal(t, "아니요, 절반만 찼어요.", m.awaitMessages(m.Owner(), 1)[0].Text)
	require.NotZero(t, m.TypingCount(m.Owner()))

	m.Say(m.Owner(), channeltest.PersonMessage{Text: "파일 만들어 줘"})
	asked := m.awaitMessages(m.Owner(), 2)[1]
	require.Contains(t, asked.Raw, "touch "+made+"/made", "the command stands there letter for letter")
	m.Say(m.Owner(), channeltest.PersonMessage{Text: "네"})
	require.Equal(t, "만들었어요.", m.awaitMessages(m.Owner(), 3)[2].Text)
	require.FileExists(t, filepath.Join(made, "made"))
	require.Equal(t, state.Online, m.state().Phase)

	m.Say(m.Stranger(), channeltest.PersonMessage{Text: "디스크 꽉 찼어?"})
	m.Say(m.Owner(), channeltest.PersonMessage{Text: "n7"})
	require.Equal(t, "a7", m.awaitMessages(m.Owner(), 4)[3].Text)
	for _, s := range m.Received(m.Stranger()) {
		require.NotContains(t, s.Text, "절반")
	}
}

func TestQuestionsOutliveBridgeDaemonAndConnection(t *testing.T) {
	m := newMachine(t, fmt.Sprintf(talk, t.TempDir()))
	m.LogIn(t, m.home)
	bin, err := channeltest.Programs()
	require.NoError(t, err)
	m.startBridge()
	const n = 20
	for i := range n {
		id := m.Say(m.Owner(), channeltest.PersonMessage{Text: fmt.Sprintf("n%d", i)})
		if i%3 == 0 {
			m.Redeliver(id)
		}
		pause(t, rand.N(400*time.Millisecond))
		switch i % 4 {
		case 0:
			require.NoError(t, m.runs.Process.Kill())
			_ = m.runs.Wait()
			m.startBridge()
		case 1:
			m.CloseConnections()
		case 2:
			require.NoError(t, m.daemon.Process.Kill())
			_ = m.daemon.Wait()
			m.startDaemon(bin)
		}
	}
	m.awaitMessages(m.Owner(), n)
	pause(t, 2*time.Second)
	times := map[string]int{}
	for _, s := range m.Received(m.Owner()) {
		times[s.Text]++
	}
	for i := range n {
		require.Equal(t, 1, times[fmt.Sprintf("a%d", i)], "n%d: %v", i, times)
	}
}

// pause waits for d of real time.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

func TestLoginByTypedCodeAndByPicture(t *testing.T) {
	m := newMachine(t, "")
	small := &pty.Winsize{Rows: 24, Cols: 80}
	screen, err := m.login(nil, small)
	require.Error(t, err)
	require.Contains(t, screen, "80 × 24")
	require.Contains(t, screen, "--code 821012345678")
	require.NoDirExists(t, filepath.Join(m.home, "whatsapp", "session"))

	typed := regexp.MustCompile(`[0-9A-Z]{4}-[0-9A-Z]{4}`)
	entered := make(chan error, 1)
	screen, err = m.login(func(screen string) bool {
		code := typed.FindString(screen)
		if code == "" {
			return false
		}
		go func() { entered <- m.Enter(code) }()
		return true
	}, small, "--code", "+82 10-9999-8888")
	require.NoError(t, err, screen)
	require.NoError(t, <-entered)
	require.Contains(t, screen, "준비됐어요")

	screen, err = m.login(nil, small)
	require.NoError(t, err)
	require.Contains(t, screen, "이미 +"+waserver.AccountNumber)

	file := filepath.Join(m.home, "qr.png")
	screen, err = m.login(func(screen string) bool {
		if !strings.Contains(screen, file) {
			return false
		}
		fi, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
		m.Scan(readPNG(t, file).decode(t))
		return true
	}, small, "--again", "--png", file)
	require.NoError(t, err, screen)
	require.Contains(t, screen, "session.old")
	require.NoFileExists(t, file, "its code is used up")
}

func TestCtrlCLeavesNothing(t *testing.T) {
	m := newMachine(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, m.bridge, "login")
	cmd.Env = m.env
	tty, err := pty.StartWithSize(cmd, large)
	require.NoError(t, err)
	defer tty.Close()
	var screen strings.Builder
	buf := make([]byte, 4096)
	for sent := 0; ; {
		n, err := tty.Read(buf)
		screen.Write(buf[:n])
		if err != nil {
			break
		}
		if sent == 0 && strings.Contains(screen.String(), "계속할까요?") {
			sent++
			_, _ = tty.WriteString("y\n")
		}
		if sent == 1 && strings.Count(screen.String(), "█") > 500 {
			sent++
			_, _ = tty.WriteString("\x03")
		}
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode(), screen.String())
	left, err := filepath.Glob(filepath.Join(m.home, "whatsapp", "session*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.False(t, m.IsLinked())
}

func TestStatusAndLogout(t *testing.T) {
	m := newMachine(t, "")
	run := func(args ...string) (string, int) {
		cmd := exec.Command(m.bridge, args...)
		cmd.Env = m.env
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	out, _ := run("status")
	require.Contains(t, out, "연결된 계정이 없어요")
	out, code := run()
	require.Equal(t, 78, code, out)
	require.Contains(t, out, "blunux-wa-bridge login")

	m.LogIn(t, m.home)
	m.startBridge()
	m.Say(m.Owner(), channeltest.PersonMessage{Text: "anybody there?"})
	require.Eventually(t, func() bool { return m.QueueLength() == 0 }, time.Minute, 10*time.Millisecond)
	out, _ = run("status", "--json")
	var s struct {
		Phase   string `json:"phase"`
		Running bool   `json:"running"`
		Account string `json:"account"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &s), out)
	require.Equal(t, "online", s.Phase)
	require.True(t, s.Running)
	require.Equal(t, "+"+waserver.AccountNumber, s.Account)

	_, code = run("logout", "--yes")
	require.Equal(t, 75, code, "the bridge runs")
	require.NoError(t, m.runs.Process.Signal(syscall.SIGTERM))
	require.NoError(t, m.runs.Wait(), "it ends in order")
	require.Equal(t, state.Stopped, m.state().Phase)
	out, code = run("logout", "--yes")
	require.Zero(t, code, out)
	require.False(t, m.IsLinked(), "the server knows")
	left, err := filepath.Glob(filepath.Join(m.home, "whatsapp", "session*"))
	require.NoError(t, err)
	require.Empty(t, left)

	m.LogIn(t, m.home)
	m.SetDown(true)
	out, code = run("logout", "--yes")
	require.Zero(t, code, out)
	require.Contains(t, out, "전화기의 설정")
}

// A released bridge cannot be redirected to another server. It does not even contain the names of
// the variables that test builds read.
func TestThreat12TheShippedBridgeCannotBeRedirected(t *testing.T) {
	bin, err := channeltest.Programs()
	require.NoError(t, err)
	shipped, err := os.ReadFile(filepath.Join(bin, "blunux-wa-bridge"))
	require.NoError(t, err)
	built, _ := waserver.New(t).Command(t)
	tested, err := os.ReadFile(built[0])
	require.NoError(t, err)
	for _, name := range []string{waserver.EnvServer, waserver.EnvRoot} {
		require.True(t, bytes.Contains(tested, []byte(name)), "the build for tests reads it")
		require.False(t, bytes.Contains(shipped, []byte(name)), name)
	}
}
