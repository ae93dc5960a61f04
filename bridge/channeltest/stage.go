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
)

// patience is how long a story waits for what must come.
const patience = 60 * time.Second

// plot is what the model says.
const plot = `loop = true

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

// What the model says where it says much: no messenger takes manyParagraphs of them
// in one message, and the daemon makes a document of tooManyParagraphs.
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

// longParagraphs have a block of code in their midst.
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

// stage is a machine of its own: an empty home, a daemon, a bridge.
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
	extra  []string // of its environment
}

// options are how a stage differs from others.
type options struct {
	offline bool   // the engine without a model answers
	config  string // more of the configuration
	idle    bool   // nothing is started
	rules   string // what happens by itself, DIR being the stage's directory
}

func newStage(t testing.TB, w staged, o options) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "ct") // short: it holds sockets
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
		s.env = append(s.env, "BLUNUX_AI_AUTOMATIONS=on") // the last one counts
	}
	text := strings.NewReplacer("LONG", longParagraphs(), "CODE", longCode(), "WHOLE", paragraphs(tooManyParagraphs)).Replace(plot)
	s.write("plot.toml", text)
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
	}
	return s
}

// config lets the owner and the partner write.
func (s *stage) config(o options) string {
	list := fmt.Sprintf("[%q, %q]", s.w.Owner(), s.w.Partner())
	who := "[whatsapp]\nallowed_numbers = " + list + "\n"
	if s.w.Channel() == "telegram" {
		who = "[telegram]\nallowed_chats = " + list + "\n[whatsapp]\n"
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

// close ends everything. What went wrong is told with what the programs said.
func (s *stage) close() {
	s.w.Stall(false)
	s.w.Down(false)
	s.bridge.end(syscall.SIGTERM)
	s.daemon.end(syscall.SIGTERM)
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

// online waits until the bridge says that it is.
func (s *stage) online() {
	s.t.Helper()
	s.phase(state.Online)
}

func (s *stage) phase(want state.Phase) {
	s.t.Helper()
	s.poll(func() bool {
		now, err := state.Read(filepath.Join(s.dir, "ai", s.w.Channel()))
		return err == nil && now.Phase == want
	}, "the bridge is not "+string(want))
}

// poll looks at what changes without a word, until it is as wanted.
func (s *stage) poll(what func() bool, why string) {
	s.t.Helper()
	end := time.After(patience)
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

// say has the owner write.
func (s *stage) say(text string) string { return s.w.Say(s.w.Owner(), Said{Text: text}) }

// placeholder is what stands in a chat where an answer will be.
const placeholder = "⏳"

// seen is what the owner has seen since, without what only holds a place.
func (s *stage) seen(person string, since int) []Seen {
	all := s.w.Seen(person)
	return slices.DeleteFunc(slices.Clone(all[min(since, len(all)):]), func(m Seen) bool {
		return m.File == nil && strings.HasPrefix(strings.TrimSpace(m.Text), placeholder)
	})
}

func (s *stage) texts(person string, since int) (all []string) {
	for _, m := range s.seen(person, since) {
		all = append(all, m.Text)
	}
	return all
}

// until waits until what somebody has seen is as wanted.
func (s *stage) until(person string, what func([]Seen) bool) []Seen {
	s.t.Helper()
	end := time.After(patience)
	for {
		changed := s.w.Changed()
		if seen := s.seen(person, 0); what(seen) {
			return seen
		}
		select {
		case <-changed:
		case <-end:
			require.Fail(s.t, "it is not told", "%s has seen: %q", person, s.texts(person, 0))
		}
	}
}

// told waits until the owner has seen a message with these words, and returns it.
func (s *stage) told(words ...string) Seen {
	s.t.Helper()
	var found Seen
	s.until(s.w.Owner(), func(seen []Seen) bool {
		i := slices.IndexFunc(seen, func(m Seen) bool { return holds(m.Text, words...) })
		if i >= 0 {
			found = seen[i]
		}
		return i >= 0
	})
	return found
}

func holds(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// count is how many messages the owner has seen with these words.
func (s *stage) count(words ...string) (n int) {
	for _, m := range s.seen(s.w.Owner(), 0) {
		if holds(m.Text, words...) {
			n++
		}
	}
	return n
}

// settled asks one more question, behind which nothing of what was before can
// be missing any more.
func (s *stage) settled(mark string) {
	s.t.Helper()
	s.say("settled " + mark)
	s.told("heard <settled " + mark + ">")
}

// aictl runs the client at the machine.
func (s *stage) aictl(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "blunux-aictl"), args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	return string(out)
}
