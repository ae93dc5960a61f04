package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// machine is a home directory with a terminal. Everything that a program writes to the terminal is recorded.
type machine struct {
	t    *testing.T
	home string
	env  []string
}

func newMachine(t *testing.T, plot string) *machine {
	t.Helper()
	home, err := os.MkdirTemp("", "desk-") // short, because it contains a socket
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(home)) })
	t.Cleanup(func() { endProcesses(t, home) })
	d := &machine{t: t, home: home, env: []string{
		"HOME=" + home, "TZ=" + os.Getenv("TZ"), "XDG_RUNTIME_DIR=" + home + "/run", "LANG=en_US.UTF-8", "TERM=xterm",
		"PATH=" + binaries + ":" + os.Getenv("PATH"), "GORACE=" + raceOptions, "BLUNUX_AI_AUTOMATIONS=off",
	}}
	require.NoError(t, os.Mkdir(home+"/run", 0o700))
	d.write("config.toml", "[ai_agent]\nprovider = \"scripted:"+home+"/plot.toml\"\n")
	d.write("config.d/10-senders.toml", senders())
	require.NoError(t, os.WriteFile(home+"/plot.toml", []byte(plot), 0o600))
	t.Cleanup(func() { stopDaemon(home + "/run/blunux-ai.sock") })
	return d
}

// endProcesses ends the processes of a home directory, and waits for them. Two clients may have started a daemon at once: the
// one that is not on the socket is still on its way out.
func endProcesses(t *testing.T, home string) {
	t.Helper()
	waitUntil(t, "the processes of "+home+" to end", func() bool {
		left := processes(home)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		return len(left) == 0
	})
}

// processes returns the running processes with a home directory in their environment.
func processes(home string) []int {
	var list []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		environ, readErr := os.ReadFile(file)
		if err == nil && readErr == nil && slices.Contains(strings.Split(string(environ), "\x00"), "HOME="+home) {
			list = append(list, pid)
		}
	}
	return list
}

// write creates a file below the program's directory.
func (d *machine) write(name, text string) {
	file := filepath.Join(d.home, ".config/blunux-ai", name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(d.t, os.WriteFile(file, []byte(text), 0o600))
}

// log returns the command log.
func (d *machine) log() string {
	text, err := os.ReadFile(d.home + "/.config/blunux-ai/logs/commands.log")
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(d.t, err)
	return string(text)
}

// run runs the client on the terminal, answers its prompts, and returns everything sent to the terminal.
func (d *machine) run(answers []string, args ...string) string {
	d.t.Helper()
	return progressLine.ReplaceAllString(d.screen(answers, args...), "")
}

// watch does the same without answers. Its result includes the progress lines.
func (d *machine) watch(args ...string) string {
	d.t.Helper()
	return d.screen(nil, args...)
}

func (d *machine) screen(answers []string, args ...string) string {
	d.t.Helper()
	control, tty, err := pty.Open()
	require.NoError(d.t, err)
	defer control.Close()
	defer tty.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binaries+"/blunux-aictl", args...)
	cmd.Dir, cmd.Env = d.home, d.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(d.t, cmd.Start())
	typist := &typist{terminal: control, env: cmd.Env, dir: d.home, lines: answers, ends: confirmEnds, stop: cancel, client: cmd.Process}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		typist.watch()
	}()
	_ = cmd.Wait() // the exit status does not matter
	tty.Close()
	<-shown
	require.NoError(d.t, ctx.Err(), "%v did not end: %s", args, typist.shown.String())
	require.NoError(d.t, typist.err)
	return typist.shown.String()
}

// progressLine matches what is drawn and erased while a model works.
var progressLine = regexp.MustCompile(`(?:\r\x1b\[K[^\r\n]*)*\r\x1b\[K`)

// stylingRemover removes our own styling.
var stylingRemover = strings.NewReplacer("\x1b[2m", "", "\x1b[7m", "", "\x1b[0m", "", "\r\n", "\n")

// requireOnlyText requires that a terminal was sent only text and our own styling.
func requireOnlyText(t *testing.T, shown string) {
	t.Helper()
	require.True(t, utf8.ValidString(shown), "%q", shown)
	for _, r := range stylingRemover.Replace(shown) {
		require.False(t, r != '\n' && r != '\t' && ipc.Unprintable(r), "%U in %q", r, shown)
	}
}

// hostile is text that controls a terminal, with a word that shows that the rest was passed on.
const hostile = "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\" + // a hyperlink
	"\x1b]52;c;cm0gLXJmIH4=\a" + "\x1b]0;title\a" + "\x1bP$q\x1b\\" + // the clipboard, the title, a request
	"\x1b[2J\x1b[1;1H\x1b[8m\x1b[?1049h" + // cursor, hidden text, the other screen
	"\u009b2J\u009d0;title\u009c\u0085" + // C1
	"\r\b\v\f\x7f" + "\u202e\u2066\u200b\ufeff\u2028 word"

// plotOf returns a script for a model that only writes hostile text.
func plotOf() string {
	quoted, err := json.Marshal(hostile) // TOML has the same string syntax
	if err != nil {
		panic(err)
	}
	q := strings.ReplaceAll(string(quoted), "\x7f", `\u007F`)
	inner := strings.Trim(q, `"`)
	return `
[[step]]
user = "say"
text = ` + q + `
forever = true
[[step]]
user = "read"
text = "before ` + inner + `"
[[step.tool]]
name = "run_command"
input = { command = 'printf "\342\202 \033]52;c;x\007 \302\2332J \r\b cut \303"' }
[[step]]
text = "it said {{last_tool_output}} end"
[[step]]
user = "touch"
[[step.tool]]
name = "run_command"
input = { command = "touch './made ` + inner + `'" }
[[step]]
text = "touched ` + inner + `"
[[step]]
user = "blocked"
[[step.tool]]
name = "run_command"
input = { command = "rm -rf / '` + inner + `'" }
[[step.tool]]
name = "no such tool ` + inner + `"
input = { name = ` + q + ` }
[[step]]
text = "refused"
[[step]]
user = "fail"
forever = true
[step.error]
kind = "api"
status = 500
message = ` + q + `
`
}

func TestThreat22EscapesNeverReachTheTerminal(t *testing.T) {
	t.Parallel()
	d := newMachine(t, plotOf())
	note, err := json.Marshal(map[string]any{"text": ipc.Notice{
		ID: "n1", Channel: "bridge" + hostile, To: "me" + hostile, Body: "note " + hostile, Created: time.Now(),
	}})
	require.NoError(t, err)
	// An approval without an expiry would have expired.
	line := strings.TrimSuffix(string(note), "}}") + `,"expires":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}}`
	d.write("outbox/notifications.jsonl", line+"\n")

	for _, c := range []struct {
		says    string // a part that must be shown, cleaned or made visible
		answers []string
		args    []string
	}{
		{"link", nil, []string{"ask", "say"}},
		{"title", nil, []string{"ask", "--json", "say"}},
		{"title", nil, []string{"ask", "--jsonl", "say"}},
		{"cut", []string{"y"}, []string{"ask", "read"}},
		{`⟨\u{202E}⟩`, nil, []string{"ask", "--dry-run", "touch"}},
		{`⟨\x1b⟩`, []string{"?", "n"}, []string{"ask", "touch"}},
		{"invisible characters", nil, []string{"ask", "--session", "s" + hostile, "touch"}},
		{"touched", []string{"y"}, []string{"ask", "--session", "s⟨title⟩", "touch"}},
		{"refused", nil, []string{"ask", "blocked"}},
		{"title", nil, []string{"ask", "fail"}},
		{"note", nil, []string{"notifications"}},
		{"note", nil, []string{"notifications", "--json"}},
		{"touch", nil, []string{"log"}},
		{"touch", nil, []string{"log", "--json"}},
		{"touch", nil, []string{"status"}},
		{"touch", nil, []string{"status", "--json"}},
		{"cli/default", nil, []string{"sessions"}},
		{"main", nil, []string{"sessions", "--json"}},
		{"title", nil, []string{"sessions", "show", "default"}},
		{"title", nil, []string{"sessions", "show", "default", "--json"}},
		{"touched", nil, []string{"sessions", "show", "s⟨title⟩"}},
		{"title", nil, []string{"sessions", "export", "default"}},
		{"title", nil, []string{"sessions", "export", "default", "--format", "jsonl"}},
		{"title", nil, []string{"sessions", "search", "title"}},
		{"Conversation not found", nil, []string{"sessions", "show", hostile}},
		{"note", nil, []string{"call", `{"type":"query","data":{"what":"notifications"}}`}},
		{"title", nil, []string{hostile}},
		{"title", nil, []string{"ask", "--lang", hostile, "x"}},
	} {
		t.Run(strconv.Quote(strings.Join(c.args, " ")), func(t *testing.T) {
			d.t = t
			shown := d.run(c.answers, c.args...)
			require.Contains(t, shown, c.says)
			requireOnlyText(t, shown)
		})
	}
}

func TestThreat22NoFieldOfAFrameReachesTheTerminalAsItIs(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	hostileDaemon(t, d.home+"/run/blunux-ai.sock")
	for _, lang := range []string{"en", "ko", "zh"} {
		shown := d.run([]string{"?", "n"}, "ask", "--lang", lang, "anything")
		require.Contains(t, shown, "the end")
		require.Contains(t, stylingRemover.Replace(shown), `touch x⟨\x1b⟩]8;;http://evil.example⟨\x1b⟩\link`)
		requireOnlyText(t, shown)
	}
}

func TestThreat24ForgedPromptAtTheTerminal(t *testing.T) {
	t.Parallel()
	d := newMachine(t, `
[[step]]
user = "tell"
text = "Run this command?\n\n    touch forged\n\n[y/N/a/e/?] "
[[step]]
user = "y"
text = "you said y"
`)
	shown := d.run([]string{"y"}, "ask", "tell")
	require.Contains(t, shown, "touch forged")
	require.Contains(t, d.run(nil, "ask", "y"), "you said y")
	require.Empty(t, d.log(), "an answer to nothing runs nothing")
	require.NoFileExists(t, d.home+"/forged")
}
