package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

const familyPlot = `
[[step]]
user = "one"
[[step.tool]]
name = "run_command"
input = { command = "mkdir one" }
[[step]]
text = "all done"
[[step]]
user = "two"
[[step.tool]]
name = "run_command"
input = { command = "mkdir -p two/deep" }
[[step]]
text = "all done"
[[step]]
user = "out"
[[step.tool]]
name = "run_command"
input = { command = "mkdir link/out" }
[[step]]
text = "all done"
[[step]]
user = "other"
[[step.tool]]
name = "run_command"
input = { command = "touch other" }
[[step]]
text = "all done"
`

// familyUser is an ordinary user who works in a directory.
type familyUser struct {
	*ordinaryUser
	dir string
}

// at runs a command in a directory without a terminal, so a question is a pending approval.
func (s familyUser) at(dir string, name string, args ...string) (string, int) {
	s.t.Helper()
	return s.run("env", append([]string{"-C", dir, filepath.Join(binaries, name)}, args...)...)
}

// answer runs blunux-aictl with a terminal and types the lines, one for each prompt. It returns what the terminal showed.
func (s familyUser) answer(lines []string, args ...string) string {
	s.t.Helper()
	control, tty, err := pty.Open()
	require.NoError(s.t, err)
	defer control.Close()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, "blunux-aictl"), args...)
	cmd.Dir, cmd.Env = s.dir, []string{"HOME=" + s.home, "TMPDIR=" + s.tmp, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "BLUNUX_AI_AUTOMATIONS=off"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Setctty: true, Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid)},
	}
	require.NoError(s.t, tty.Chown(s.uid, s.uid))
	require.NoError(s.t, pty.Setsize(control, &pty.Winsize{Rows: 40, Cols: 200}))
	y := &typist{terminal: control, lines: lines, ends: confirmEnds, stop: cancel}
	require.NoError(s.t, cmd.Start())
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		y.watch()
	}()
	_ = cmd.Wait()
	tty.Close()
	<-shown
	require.NoError(s.t, y.err)
	return strings.ReplaceAll(y.shown.String(), "\r\n", "\n")
}

// killDaemon kills the user's daemon and waits for its end.
func (s familyUser) killDaemon() {
	s.t.Helper()
	_, code := s.run("pkill", "-KILL", "-u", strconv.Itoa(s.uid), "-f", "blunux-ai daemon")
	require.Zero(s.t, code)
	require.Eventually(s.t, func() bool {
		_, code := s.run("pgrep", "-u", strconv.Itoa(s.uid), "-f", "blunux-ai daemon")
		return code == 1
	}, time.Minute, 10*time.Millisecond)
}

// TestThreat10AFamilyAllowedAtATerminal: the real programs, as an ordinary user. Root is never offered a family.
func TestThreat10AFamilyAllowedAtATerminal(t *testing.T) {
	t.Parallel()
	s := familyUser{ordinaryUser: newSomebody(t, 4255)}
	s.dir = filepath.Join(s.home, "src")
	config := filepath.Join(s.home, ".config/blunux-ai")
	for _, dir := range []string{s.dir, config} {
		_, code := s.run("mkdir", "-p", dir)
		require.Zero(t, code)
	}
	for file, text := range map[string]string{
		"config.toml": "[ai_agent]\nprovider = \"scripted:" + config + "/plot.toml\"\n", "plot.toml": familyPlot,
	} {
		file = filepath.Join(config, file)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chown(file, s.uid, s.uid))
	}
	require.NoError(t, os.Symlink(s.tmp, filepath.Join(s.dir, "link")))

	screen := s.answer([]string{"?", "A"}, "ask", "one")
	require.Contains(t, screen, "A          mkdir PATH… in "+s.dir+" (no root; -p -v permitted), until this conversation ends\n")
	require.Contains(t, screen, "[y/N/a/A/e/?]")
	require.Contains(t, screen, "all done")
	require.DirExists(t, filepath.Join(s.dir, "one"))

	out, code := s.at(s.dir, "blunux-aictl", "ask", "two")
	require.Zero(t, code, out)
	require.DirExists(t, filepath.Join(s.dir, "two/deep"))
	for _, word := range []string{"out", "other"} {
		out, code = s.at(s.dir, "blunux-aictl", "ask", word)
		require.Equal(t, 5, code, "%s is asked about: %s", word, out)
	}
	out, code = s.at(s.home, "blunux-aictl", "ask", "two")
	require.Equal(t, 5, code, "in another directory: %s", out)
	out, code = s.at(s.dir, "blunux-aictl", "ask", "--session", "work", "two")
	require.Equal(t, 5, code, "in another conversation: %s", out)

	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "two")))
	s.killDaemon()
	out, code = s.at(s.dir, "blunux-aictl", "ask", "two")
	require.Zero(t, code, "after a kill, as the conversation does: %s", out)
	require.DirExists(t, filepath.Join(s.dir, "two/deep"))
	audit, err := os.ReadFile(filepath.Join(config, "logs/audit.jsonl"))
	require.NoError(t, err)

	var grants []struct {
		Code   string
		Family struct{ Words, Dir string }
	}
	out, code = s.run("blunux-aictl", "approvals", "grants", "--json")
	require.Zero(t, code, out)
	require.NoError(t, json.Unmarshal([]byte(out), &grants))
	require.Len(t, grants, 1)
	require.Equal(t, s.dir, grants[0].Family.Dir)
	require.Contains(t, string(audit), "family grant "+grants[0].Code)
	out, _ = s.run("blunux-aictl", "approvals", "grants")
	require.Contains(t, out, "A: mkdir PATH… in "+s.dir+" (no root; -p -v permitted), until this conversation ends")

	out, code = s.run("blunux-aictl", "approvals", "grants", "--revoke", grants[0].Code)
	require.Zero(t, code, out)
	require.Contains(t, out, "1 grant revoked")
	s.killDaemon()
	out, code = s.at(s.dir, "blunux-aictl", "ask", "two")
	require.Equal(t, 5, code, "it was revoked: %s", out)

	s.answer([]string{"A"}, "ask", "one")
	out, code = s.run("blunux-aictl", "reset")
	require.Zero(t, code, out)
	out, code = s.at(s.dir, "blunux-aictl", "ask", "two")
	require.Equal(t, 5, code, "its conversation is over: %s", out)
}
