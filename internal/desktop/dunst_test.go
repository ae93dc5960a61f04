package desktop_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/desktop"
)

// dunst is the real notification server on a virtual screen. Its menu for choosing a button is a script.
type dunst struct {
	t       *testing.T
	env     []string
	choice  string // file with the label of the button to press
	offered string // file with the labels in the menu
}

func startDunst(t *testing.T, address string) dunst {
	t.Helper()
	for _, program := range []string{"dunst", "dunstctl", "Xvfb"} {
		if _, err := exec.LookPath(program); err != nil {
			skip(t, program+" is not installed")
		}
	}
	dir := t.TempDir()
	d := dunst{t: t, choice: filepath.Join(dir, "choice"), offered: filepath.Join(dir, "offered")}
	menu := filepath.Join(dir, "menu")
	script := "#!/bin/sh\ncat >" + d.offered + "\ngrep -F \"$(cat " + d.choice + ")\" " + d.offered + "\n"
	require.NoError(t, os.WriteFile(menu, []byte(script), 0o700))
	config := filepath.Join(dir, "dunstrc")
	require.NoError(t, os.WriteFile(config, []byte("[global]\n dmenu = "+menu+"\n markup = full\n"), 0o600))
	d.env = append(os.Environ(), "DBUS_SESSION_BUS_ADDRESS="+address, "DISPLAY=:"+screen(t), "HOME="+dir, "XDG_RUNTIME_DIR="+dir, "LC_ALL=C.UTF-8")
	d.start("dunst", "-config", config)
	require.Eventually(t, func() bool { return d.run("dunstctl", "is-paused") == nil }, time.Minute, 10*time.Millisecond, "dunst does not start")
	return d
}

// screen starts an X server and returns its number.
func screen(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	start(t, cmd)
	require.NoError(t, w.Close())
	defer r.Close()
	require.NoError(t, r.SetReadDeadline(time.Now().Add(30*time.Second)))
	number, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(number)
}

func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		_ = cmd.Wait()
	})
}

func (d dunst) start(program string, args ...string) {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = d.env, io.Discard
	start(d.t, cmd)
}

func (d dunst) run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = d.env
	return cmd.Run()
}

// press opens the menu and chooses a button like a person.
func (d dunst) press(label string) {
	require.NoError(d.t, os.WriteFile(d.choice, []byte(label), 0o600))
	require.NoError(d.t, d.run("dunstctl", "context"))
}

func TestTheRealDunst(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	d := startDunst(t, address)
	n, told := notifier(t, address)
	can, err := n.Capabilities(t.Context())
	require.NoError(t, err)
	require.Equal(t, "dunst", can.Server)
	require.True(t, can.Actions)
	require.True(t, can.Body)
	t.Logf("%+v", can)

	question := ask("a7")
	question.Expire, question.Urgency, question.Body = -1, desktop.Critical, "touch x && <b>rm</b>"
	require.NoError(t, n.Show(t.Context(), question))
	require.Equal(t, 1, n.OpenCount())
	d.press("Allow")
	told.says(t, "pressed a7 approve a7")
	require.Zero(t, n.OpenCount())
	offered, err := os.ReadFile(d.offered)
	require.NoError(t, err)
	require.Contains(t, string(offered), "Allow")
	require.Contains(t, string(offered), "Deny")

	// require the notice and press the other button.
	require.NoError(t, n.Show(t.Context(), question))
	question.Actions[1].Label = "거절"
	require.NoError(t, n.Show(t.Context(), question))
	require.Equal(t, 1, n.OpenCount())
	out := d.output("dunstctl", "count", "displayed")
	require.Equal(t, "1", strings.TrimSpace(out), "replaced, not stacked")
	d.press("거절")
	told.says(t, "pressed a7 deny")

	// A notice that is closed or expires is not an answer.
	require.NoError(t, n.Show(t.Context(), question))
	require.NoError(t, d.run("dunstctl", "close-all"))
	told.says(t, "closed a7 2")
	question.Expire, question.Urgency = 100*time.Millisecond, desktop.Normal
	require.NoError(t, n.Show(t.Context(), question))
	told.says(t, "closed a7 1")

	// Withdraw a notice.
	question.Expire = -1
	require.NoError(t, n.Show(t.Context(), question))
	require.NoError(t, n.Withdraw(t.Context(), "a7"))
	require.Equal(t, "0", strings.TrimSpace(d.output("dunstctl", "count", "displayed")))
	require.Empty(t, told)
}

func (d dunst) output(program string, args ...string) string {
	cmd := exec.Command(program, args...)
	cmd.Env = d.env
	out, err := cmd.Output()
	require.NoError(d.t, err)
	return string(out)
}
