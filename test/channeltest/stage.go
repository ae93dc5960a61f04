package channeltest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/internal/channel"
)

// waitTimeout is the maximum time a test waits for an event.
const waitTimeout = 3 * time.Minute

// modelScript is the script of the scripted model.
const modelScript = `loop = true

[[step]]
text = "heard <{{user}}>"
forever = true

[[step]]
user_match = '^make (\S+)$'
[[step.tool]]
name = "run_command"
input = { command = "touch {{user.1}}" }

[[step]]
text = "made it"

[[step]]
user_match = '^plan (\S+)$'
[[step.tool]]
name = "plan"
input_raw = '''{"goal": "two files", "steps": [
  {"verb": "run", "args": {"command": "uname -s"}},
  {"verb": "write_file", "args": {"path": "{{user.1}}", "content": "first\nsecond\n"}},
  {"verb": "run", "args": {"command": "touch {{user.1}}.too"}, "check": "test -e {{user.1}}.too", "undo": "rm {{user.1}}.too"}
]}'''

[[step]]
text = "planned it"

[[step]]
user_match = '^long plan (\S+)$'
[[step.tool]]
name = "plan"
input_raw = '''LARGE'''

[[step]]
text = "planned all"

[[step]]
user_match = '^append (\S+)$'
[[step.tool]]
name = "run_command"
input = { command = "tee -a {{user.1}}" }

[[step]]
text = "appended"

[[step]]
user_match = '^slow (\S+)$'
delay = "1500ms"
piece_delay = "20ms"
text = "slow <{{user.1}}>"

[[step]]
user_match = '^send (\S+)$'
[[step.tool]]
name = "send_file"
input = { path = "{{user.1}}" }

[[step]]
text = "sent it"

[[step]]
user_match = '^long$'
text = '''
LONG'''

[[step]]
user_match = '^longer$'
text = '''
WHOLE'''

[[step]]
user_match = '^code$'
text = '''
CODE'''
`

// largePlan returns a plan that needs more than one message in every messenger.
func largePlan() string {
	var steps []string
	for i := range 9 {
		steps = append(steps, fmt.Sprintf(`{"verb": "run", "args": {"command": "touch {{user.1}}%d && echo %s"}}`, i, strings.TrimSpace(strings.Repeat("word ", 140))))
	}
	return `{"steps": [` + strings.Join(steps, ",\n") + "]}"
}

// Lengths of long answers: manyParagraphs need more than one message in every messenger, and the
// daemon turns tooManyParagraphs into a document.
const (
	manyParagraphs    = 70
	tooManyParagraphs = 150
)

func paragraphs(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "paragraph%03d %s\n\n", i, strings.Repeat("word ", 20))
	}
	return b.String()
}

// longParagraphs returns paragraphs with a code block in the middle.
func longParagraphs() string {
	all := paragraphs(manyParagraphs)
	half := strings.Index(all, "paragraph035")
	return all[:half] + codeBlock() + "\n" + all[half:]
}

func longCode() string { return "before\n\n" + codeBlock() + "\nafter" }

func codeBlock() string {
	var b strings.Builder
	b.WriteString("```sh\n")
	for i := range 40 {
		fmt.Fprintf(&b, "echo line%03d\n", i)
	}
	return b.String() + "```\n"
}

// stage is one simulated machine: an empty home directory, a daemon and a bridge.
type stage struct {
	t      testing.TB
	w      World
	dir    string
	env    []string
	bin    string
	args   []string // of the daemon
	daemon *process
	bridge *process
	argv   []string // of the bridge
	extra  []string // additional environment of the bridge
}

// options configure a stage.
type options struct {
	offline bool   // use the built-in helper instead of the scripted model
	config  string // additional lines of the configuration
	idle    bool   // start neither daemon nor bridge
	rules   string // automations; DIR is replaced by the stage's directory
	script  string // additional scenes of the scripted model
	room    string // in which people may write
}

func newStage(t testing.TB, w testWorld, o options) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "ct") // short, because it contains sockets
	require.NoError(t, err)
	s := &stage{t: t, w: w, dir: dir, bin: w.programs}
	for _, sub := range []string{"home", "ai", "run"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	s.env = []string{
		"HOME=" + dir + "/home", "BLUNUX_AI_HOME=" + dir + "/ai", "BLUNUX_AI_SOCK=" + dir + "/s.sock", "XDG_RUNTIME_DIR=" + dir + "/run",
		"LANG=ko_KR.UTF-8", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_LOG=info",
	}
	s.write("ai/config.toml", s.config(o))
	if o.rules != "" {
		s.write("ai/automations.toml", strings.ReplaceAll(o.rules, "DIR", dir))
		s.env = append(s.env, "BLUNUX_AI_AUTOMATIONS=on") // the last value applies
	}
	text := strings.NewReplacer("LONG", longParagraphs(), "CODE", longCode(), "WHOLE", paragraphs(tooManyParagraphs), "LARGE", largePlan()).Replace(modelScript)
	s.write("plot.toml", text+"\n"+o.script)
	s.args = []string{"--provider", "scripted:" + dir + "/plot.toml"}
	if o.offline {
		s.args = []string{"--provider", "offline"}
	}
	w.LogIn(t, filepath.Join(dir, "ai"))
	s.argv, s.extra = w.Command(t)
	t.Cleanup(s.close)
	if !o.idle {
		s.startDaemon()
		s.startBridge()
		if o, ok := w.World.(OnlineFirst); ok && o.OnlineFirst() {
			s.awaitOnline()
		}
	}
	return s
}

// config returns a configuration that admits the owner and the partner.
func (s *stage) config(o options) string {
	list := fmt.Sprintf("[%q, %q]", s.w.Owner(), s.w.Partner())
	c, ok := channel.ByName(s.w.Channel())
	require.True(s.t, ok, s.w.Channel())
	who := "[" + c.Name + "]\n" + c.Senders + " = " + list + "\n"
	if o.room != "" {
		who += fmt.Sprintf("%s = [%q]\n", c.Rooms, o.room)
	}
	if c.Name != "whatsapp" { // whose limits apply to all
		who += "[whatsapp]\n"
	}
	if o.config == "" {
		o.config = "max_messages_per_minute = 100\n"
	}
	return who + o.config
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stage) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

// close stops all programs. If the test failed, it prints their logs.
func (s *stage) close() {
	s.w.SetStalled(false)
	s.w.SetDown(false)
	s.bridge.stop(syscall.SIGTERM)
	s.daemon.stop(syscall.SIGTERM)
	if s.t.Failed() {
		for _, name := range []string{"daemon.log", "bridge.log"} {
			text, _ := os.ReadFile(s.path(name))
			s.t.Logf("%s:\n%s", name, text[max(0, len(text)-6000):])
		}
		for _, person := range []string{s.w.Owner(), s.w.Stranger()} {
			s.t.Logf("%s has seen: %q", person, s.texts(person, 0))
		}
	}
	_ = os.RemoveAll(s.dir)
}

func (s *stage) startDaemon() {
	s.t.Helper()
	s.daemon = start(s.t, s.path("daemon.log"), s.env, append([]string{filepath.Join(s.bin, "blunux-ai"), "daemon"}, s.args...))
}

func (s *stage) startBridge() {
	s.t.Helper()
	s.bridge = start(s.t, s.path("bridge.log"), slices.Concat(s.env, s.extra), s.argv)
}

// awaitOnline waits until the bridge reports that it is online.
func (s *stage) awaitOnline() {
	s.t.Helper()
	s.awaitPhase(state.Online)
}

func (s *stage) awaitPhase(want state.Phase) {
	s.t.Helper()
	s.poll(func() bool {
		now, err := state.Read(filepath.Join(s.dir, "ai", s.w.Channel()))
		return err == nil && now.Phase == want
	}, "the bridge is not "+string(want))
}

// poll waits until a condition is met that has no change notification.
func (s *stage) poll(what func() bool, why string) {
	s.t.Helper()
	end := time.After(waitTimeout)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !what() {
		select {
		case <-tick.C:
		case <-end:
			require.Fail(s.t, why)
		}
	}
}

// say sends a message from the owner.
func (s *stage) say(text string) string { return s.w.Say(s.w.Owner(), PersonMessage{Text: text}) }

// placeholder is the text of a live message before the answer's first words.
const placeholder = "⏳"

// received returns the messages that a person has received, from index since, without placeholders.
func (s *stage) received(person string, since int) []ReceivedMessage {
	all := s.w.Received(person)
	return slices.DeleteFunc(slices.Clone(all[min(since, len(all)):]), func(m ReceivedMessage) bool {
		return m.File == nil && strings.HasPrefix(strings.TrimSpace(m.Text), placeholder)
	})
}

func (s *stage) texts(person string, since int) (all []string) {
	for _, m := range s.received(person, since) {
		all = append(all, m.Text)
	}
	return all
}

// until waits until what a person has received meets a condition.
func (s *stage) until(person string, what func([]ReceivedMessage) bool) []ReceivedMessage {
	s.t.Helper()
	end := time.After(waitTimeout)
	for {
		changed := s.w.Changed()
		if seen := s.received(person, 0); what(seen) {
			return seen
		}
		select {
		case <-changed:
		case <-end:
			require.Fail(s.t, "it is not told", "%s has seen: %q", person, s.texts(person, 0))
		}
	}
}

// awaitMessage waits until the owner has received a message that contains words, and returns it.
func (s *stage) awaitMessage(words ...string) ReceivedMessage {
	s.t.Helper()
	var found ReceivedMessage
	s.until(s.w.Owner(), func(seen []ReceivedMessage) bool {
		i := slices.IndexFunc(seen, func(m ReceivedMessage) bool { return containsAll(m.Text, words...) })
		if i >= 0 {
			found = seen[i]
		}
		return i >= 0
	})
	return found
}

func containsAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// countMessages returns the number of the owner's messages that contain words.
func (s *stage) countMessages(words ...string) (n int) {
	for _, m := range s.received(s.w.Owner(), 0) {
		if containsAll(m.Text, words...) {
			n++
		}
	}
	return n
}

// awaitIdle asks another question and waits for its answer. After it, no earlier answer is still
// missing.
func (s *stage) awaitIdle(mark string) {
	s.t.Helper()
	s.say("settled " + mark)
	s.awaitMessage("heard <settled " + mark + ">")
}

// aictl runs the local client.
func (s *stage) aictl(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "blunux-aictl"), args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	return string(out)
}
