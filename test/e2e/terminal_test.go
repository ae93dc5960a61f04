package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is a terminal that runs a program in tmux, which renders it. All bytes that the program sends are
// recorded too.
type screen struct {
	t    testing.TB
	sock string
	raw  string // file with every byte that the program sent
}

// terminal runs a program in a terminal of the given size. After "--" in args, variables for its environment
// can follow.
func (d *machine) terminal(columns, rows int, program string, args ...string) *screen {
	d.t.Helper()
	return openTerminal(d.t, d.home, d.env, columns, rows, program, args...)
}

func openTerminal(t testing.TB, dir string, env []string, columns, rows int, program string, args ...string) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		skip(t, "no tmux: %v", err)
	}
	place, err := os.MkdirTemp("", "tmux-") // short, because it contains a socket
	require.NoError(t, err)
	s := &screen{t: t, sock: place + "/s", raw: place + "/raw"}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", s.sock, "kill-server").Run() // it may have exited
		require.NoError(t, os.RemoveAll(place))
	})
	// The program starts when its output is being recorded.
	words := append([]string{
		"-f", "/dev/null", "-u", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "-c", dir, "--",
		"sh", "-c", `stty -echo; read go; stty echo; exec "$@"`, "sh", "env", "-i",
	}, env...)
	s.tmux(append(append(words, program), args...)...)
	s.tmux("set-option", "-g", "remain-on-exit", "on")
	s.tmux("set-option", "-g", "set-clipboard", "on") // like a terminal that obeys
	s.tmux("set-option", "-g", "allow-rename", "on")
	s.tmux("set-option", "-g", "automatic-rename", "off")
	s.tmux("set-option", "-g", "window-size", "manual")
	s.tmux("set-buffer", "-b", "kept", "untouched")
	s.tmux("pipe-pane", "-o", "cat > "+s.raw)
	waitUntil(t, "what is sent to be kept", func() bool { _, err := os.Stat(s.raw); return err == nil })
	s.press("Enter")
	return s
}

// tmux runs a tmux command.
func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", s.sock}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=", "TERM=xterm-256color")
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "tmux %q: %s", args, out)
	return string(out)
}

// press presses keys with tmux's names: Enter, Escape, C-c, BSpace, Up.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// typeText types a text.
func (s *screen) typeText(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", "--", text)
}

// say types a text, waits until the screen shows it (or its end, if the screen is narrow), and presses Enter.
func (s *screen) say(text string) {
	s.t.Helper()
	s.typeText(text)
	s.wait(regexp.QuoteMeta(strings.TrimSpace(text)))
	s.press("Enter")
}

// look returns the text on the screen. Wrapped rows are not joined.
func (s *screen) look() string {
	s.t.Helper()
	return s.tmux("capture-pane", "-p")
}

// wait returns the screen as soon as it matches a pattern.
func (s *screen) wait(pattern string) string {
	s.t.Helper()
	return s.await(pattern, true)
}

// waitGone returns the screen as soon as it does not match a pattern any more.
func (s *screen) waitGone(pattern string) string {
	s.t.Helper()
	return s.await(pattern, false)
}

func (s *screen) await(pattern string, there bool) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	end := time.Now().Add(eventTimeout)
	for {
		shown := s.look()
		if re.MatchString(shown) == there {
			return shown
		}
		require.True(s.t, time.Now().Before(end), "%q to be there: %v. The screen:\n%s", pattern, there, shown)
		<-time.After(10 * time.Millisecond)
	}
}

// pressUntil presses a key until the screen matches a pattern. A confirmation ignores keys for a moment, so that it
// is not answered by a key meant for something else.
func (s *screen) pressUntil(key, pattern string) string {
	s.t.Helper()
	re, shown := regexp.MustCompile(pattern), ""
	waitUntil(s.t, pattern, func() bool {
		if shown = s.look(); re.MatchString(shown) {
			return true
		}
		s.press(key)
		<-time.After(200 * time.Millisecond)
		return false
	})
	return shown
}

// resize changes the terminal's size.
func (s *screen) resize(columns, rows int) {
	s.t.Helper()
	s.tmux("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows))
}

// paste pastes a text, in brackets if the program has enabled them.
func (s *screen) paste(text string) {
	s.t.Helper()
	file := s.raw + ".paste"
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	s.tmux("load-buffer", "-b", "pasted", file)
	s.tmux("paste-buffer", "-p", "-d", "-b", "pasted")
}

// waitExit waits until the program has exited, and returns its exit status.
func (s *screen) waitExit() int {
	s.t.Helper()
	var status int
	waitUntil(s.t, "the program to end", func() bool {
		dead, code, _ := strings.Cut(strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}")), " ")
		status, _ = strconv.Atoi(code)
		return dead == "1"
	})
	return status
}

// sent returns every byte that the program has sent so far.
func (s *screen) sent() string {
	s.t.Helper()
	text, err := os.ReadFile(s.raw)
	require.NoError(s.t, err)
	return string(text)
}

// pid returns the program's process id.
func (s *screen) pid() int {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}")))
	require.NoError(s.t, err)
	return pid
}

// requireUntouched requires that the program changed neither the terminal's title nor the clipboard.
func (s *screen) requireUntouched(title string) {
	s.t.Helper()
	require.Equal(s.t, title, s.title())
	require.Equal(s.t, "kept: 9 bytes: \"untouched\"\n", s.tmux("list-buffers"))
}

func (s *screen) title() string {
	s.t.Helper()
	return s.tmux("display-message", "-p", "#{pane_title} #{window_name}")
}

// requireWithinWidth requires that no row is wider than the screen.
func requireWithinWidth(t testing.TB, shown string, columns int) {
	t.Helper()
	for line := range strings.Lines(shown) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), columns, "%q", line)
	}
}
