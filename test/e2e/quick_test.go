package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startDisplay starts an X server and returns the value of DISPLAY.
func startDisplay(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"Xvfb", "xterm", "xdotool"} {
		if _, err := exec.LookPath(program); err != nil {
			skip(t, "no %s: %v", program, err)
		}
	}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	require.NoError(t, w.Close())
	defer r.Close()
	require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Minute)))
	number, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	return ":" + strings.TrimSpace(number)
}

// desk is a desktop with a screen and xterm. script(1) in it records what the program prints.
type desk struct {
	*machine
	log string
}

func newDesk(t *testing.T, d *machine) desk {
	t.Helper()
	k := desk{d, d.home + "/screen.log"}
	d.setLang("ko")
	d.env = append(d.env, "DISPLAY="+startDisplay(t))
	xterm, err := exec.LookPath("xterm")
	require.NoError(t, err)
	k.script("record", `exec script -q -f -e -c "$(printf '%q ' "$@")" `+k.log)
	k.script("xterm", `a=("$@"); for i in "${!a[@]}"; do [ "${a[i]}" = -e ] && break; done
exec `+xterm+` "${a[@]:0:i+1}" `+d.home+`/record "${a[@]:i+1}"`)
	d.env = append(d.env, "LC_ALL=C.UTF-8", "SHELL=/bin/bash", "TERMINAL="+d.home+"/xterm")
	return k
}

// script writes a program.
func (k desk) script(name, text string) {
	require.NoError(k.t, os.WriteFile(k.home+"/"+name, []byte("#!/bin/bash\n"+text+"\n"), 0o700))
}

// run runs blunux-ai, which returns when the window is open.
func (k desk) run(args ...string) (string, error) {
	cmd := exec.Command(binaries+"/blunux-ai", args...)
	cmd.Dir, cmd.Env = "/", k.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// xdo runs xdotool, which types and looks at windows.
func (k desk) xdo(args ...string) string {
	cmd := exec.Command("xdotool", args...)
	cmd.Env = k.env
	out, _ := cmd.Output() // search fails while there is no window
	return strings.TrimSpace(string(out))
}

// window waits for the small window and returns its id.
func (k desk) window() (id string) {
	k.t.Helper()
	waitUntil(k.t, "a window", func() bool {
		id = k.xdo("search", "--onlyvisible", "--class", `org\.blunux\.ai\.quick`)
		return id != ""
	})
	return id
}

// shows waits until a window has shown a text.
func (k desk) shows(pattern string) {
	k.t.Helper()
	re := regexp.MustCompile(pattern)
	waitUntil(k.t, pattern, func() bool {
		text, err := os.ReadFile(k.log)
		return err == nil && re.Match(text)
	})
}

func TestTheSmallWindowAnswersAndOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	k := newDesk(t, d)
	out, err := k.run("quick", "--", "한글", "$(id)", "-x")
	require.NoError(t, err, "%s", out)
	require.Empty(t, out)
	id := k.window()
	k.shows(`heard: 한글 \$\(id\) -x`)
	k.xdo("windowfocus", "--sync", id)
	k.xdo("type", "--window", id, "/quit\n")
	waitUntil(t, "the window to close", func() bool { return k.xdo("search", "--onlyvisible", "--class", `org\.blunux\.ai\.quick`) == "" })
}

func TestThreat40AnAddressOnlyShows(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	k := newDesk(t, d)
	for _, address := range []string{"blunux-ai://approve/K7QX", "blunux-ai://ask?q=x&send=1", "file:///etc/passwd", "blunux-ai://ask?q=" + strings.Repeat("a", 1001)} {
		out, err := k.run("open", address)
		require.Error(t, err, address)
		require.Contains(t, out, "주소는 열 수 없어요")
	}
	require.Empty(t, k.xdo("search", "--onlyvisible", "--class", `org\.blunux\.ai\.quick`))

	out, err := k.run("open", "blunux-ai://ask?q=run+touch+%ED%8C%8C%EC%9D%BC%0A%1b%5B2J")
	require.NoError(t, err, "%s", out)
	id := k.window()
	k.shows(`아직 보내지 않았어요:\r\n  run touch 파일 \[2J\r\n[^>]*> $`)
	require.NoFileExists(t, d.home+"/sessions/index.json")
	k.xdo("windowfocus", "--sync", id)
	k.xdo("type", "--window", id, "\n") // sends it, and the command is asked about as ever
	k.shows(`\n    touch 파일 \[2J\r\n`)
	require.NoFileExists(t, d.home+"/파일")
}

func TestApprovalsAreShownInASmallWindow(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	k := newDesk(t, d)
	cmd := exec.Command(binaries+"/blunux-aictl", "ask", "run touch 파일")
	cmd.Dir, cmd.Env = d.home, k.env
	out, _ := cmd.CombinedOutput() // its status is that of a question that waits
	require.Contains(t, string(out), "pending approval")
	text, err := k.run("open", "blunux-ai://approvals")
	require.NoError(t, err, "%s", text)
	id := k.window()
	k.shows(`\n    touch 파일\r\n`)
	k.xdo("windowfocus", "--sync", id)
	k.xdo("type", "--window", id, "y\n")
	waitUntil(t, "the command to run", func() bool { _, err := os.Stat(d.home + "/파일"); return err == nil })
}

func TestWithoutADisplayTheHelpIsACommand(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	cmd := exec.Command(binaries+"/blunux-ai", "quick")
	cmd.Dir, cmd.Env = d.home, d.setLang("ko").env
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "blunux-ai chat --plain")
}
