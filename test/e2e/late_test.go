package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// askBeforeARestart asks for a command on the phone, kills the daemon while the question waits, and starts another.
func askBeforeARestart(t *testing.T) (*machine, *originalPeer) {
	t.Helper()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	require.Contains(t, p.say(phone, "run echo out; touch made").Body, "touch made")
	waitUntil(t, "the daemon to store that the phone has the question", func() bool {
		return len(d.journalLines("approvals/"+d.pendingCodes()[0]+".json", `"unseen"`)) == 0
	}) // otherwise the next daemon asks again
	d.kill()
	d.start()
	p.connect()
	return d, p
}

// TestAYesAfterARestartContinuesTheRequest: the model reads the output of the command and answers the phone.
func TestAYesAfterARestartContinuesTheRequest(t *testing.T) {
	t.Parallel()
	d, p := askBeforeARestart(t)
	answer := p.say(phone, "yes").Body
	require.Contains(t, answer, "continued: Ran the approved command (exit 0).")
	require.Regexp(t, `<data source="[^"]*run_command" id="[0-9a-f]+">\n\$ echo out; touch made\nout\n`, answer)
	require.FileExists(t, d.home+"/made")
	require.Equal(t, "2", p.say(phone, "count").Body, "the program's message to the model is not the person's")
	require.Empty(t, p.poll())
	require.NotContains(t, d.client("sessions", "show", "bridge/"+phone), "now approved")
	require.Equal(t, []string{"CONFIRMED"}, d.classes())
}

// TestAYesAtTheMachineIsAnsweredOnThePhone that was asked. The machine gets the result of the command.
func TestAYesAtTheMachineIsAnsweredOnThePhone(t *testing.T) {
	t.Parallel()
	d, p := askBeforeARestart(t)
	shown := d.client("approve", d.pendingCodes()[0])
	require.Contains(t, shown, "out\n\nRan the approved command (exit 0).")
	require.NotContains(t, shown, "continued")
	told := p.pollExactly(1)[0]
	require.Equal(t, phone, told.To)
	require.True(t, strings.HasPrefix(told.Body, i18n.AnsweredElsewhere(i18n.ChannelName("cli", i18n.English)).In(i18n.English)+"\ncontinued: "), told.Body)
}

// latePlot scripts a model that wants a second command after a late yes to the first.
const latePlot = `
[[step]]
user_match = 'now approved your call .*more.* in their request "run (\w+)"'
text = "ran {{user.1}}"
[[step]]
user_match = 'now approved your call .*tokens.* in their request "run (\w+)"'
[[step.tool]]
name = "run_command"
input = { command = "echo {{user.1}} >> more" }
[[step]]
text = "ran {{user.1}}"
[[step]]
user_match = '^run (\w+)$'
[[step.tool]]
name = "run_command"
input = { command = "echo {{user.1}} >> tokens" }
[[step]]
text = "ran {{user.1}}"
`

// TestALateYesKilledAtAnyPointRepeatsNothing: a phone's question waits across a restart. The daemon that gets the yes
// is killed at each point, while it runs the command, while the model continues, and while it runs what that wants.
func TestALateYesKilledAtAnyPointRepeatsNothing(t *testing.T) {
	t.Parallel()
	d := newCrashMachine(t, tempHome(t))
	require.NoError(t, os.WriteFile(d.home+"/plot.toml", []byte(latePlot), 0o600))
	early, both := 0, 0
	for _, point := range crash.Points() {
		for _, nth := range []string{"", ":2", ":4", ":8"} {
			l := lateYes{crashMachine: d, word: d.word()}
			l.live("", func(c *ipc.Conn) bool { return l.say(c, "run "+l.word) && l.asked })
			require.True(t, l.asked)
			if !l.live(string(point)+nth, l.approveOnThePhone) {
				early++
				require.True(t, l.live("", l.approveAtTheMachine), "%s: %s\n%s", point, strings.Join(l.told, "\n"), d.describe(l.word))
			}
			tokens, more := strings.Count(d.read("tokens"), l.word), strings.Count(d.read("more"), l.word)
			require.LessOrEqual(t, tokens, 1, "%s%s: %s", point, nth, d.describe(l.word))
			require.LessOrEqual(t, more, 1, "%s%s: %s", point, nth, d.describe(l.word))
			if slices.ContainsFunc(l.told, func(body string) bool { return strings.Contains(body, "ran "+l.word) }) {
				require.Equal(t, 1, tokens)
			}
			both += more
		}
	}
	files, err := filepath.Glob(d.home + "/.config/blunux-ai/sessions/*" + phone + ".jsonl")
	require.NoError(t, err)
	require.Len(t, files, 1)
	conversation, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NotContains(t, string(conversation), "now approved")
	d.checkWords(string(conversation))
	t.Logf("%d daemons ended before the answer, %d times the second command ran", early, both)
	require.Greater(t, early, len(crash.Points())/2)
	require.Greater(t, both, len(crash.Points()))
}

// TestACodeApprovedLaterKilledAtAnyPointRunsOnceAndIsReported: no one could be asked, and the daemon is killed after the
// later approval. If the command ran, the approver or the outbox has it.
func TestACodeApprovedLaterKilledAtAnyPointRunsOnceAndIsReported(t *testing.T) {
	t.Parallel()
	d := newCrashMachine(t, tempHome(t))
	plot := strings.ReplaceAll(latePlot, ".*more.*", ".*nothing.*")
	require.NoError(t, os.WriteFile(d.home+"/plot.toml", []byte(strings.Replace(plot, ">> more", "> /dev/null; touch {{user.1}}", 1)), 0o600))
	early, ran := 0, 0
	for _, point := range crash.Points() {
		for _, nth := range []string{"", ":3", ":6"} {
			l := lateYes{crashMachine: d, word: d.word()}
			require.True(t, l.live("", func(*ipc.Conn) bool { l.client("ask", "--session", l.word, "run "+l.word); return true }))
			codes := l.pendingCodes() // of a daemon that the client starts
			require.Len(t, codes, 1)
			stopDaemon(d.home + "/run/blunux-ai.sock")

			shown := ""
			if !l.live(string(point)+nth, func(c *ipc.Conn) bool {
				shown = l.client("approve", codes[0])
				_, ok := l.request(c, ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPing, From: "__ping__"})
				return ok
			}) {
				early++
			}
			stopDaemon(d.home + "/run/blunux-ai.sock")
			require.True(t, l.live("", func(*ipc.Conn) bool {
				waitUntil(t, "the end of all tasks", func() bool {
					return !slices.ContainsFunc(slices.Collect(maps.Values(d.records())), func(k taskRecord) bool { return !k.isOver() })
				})
				shown += l.client("notifications")
				for _, code := range l.pendingCodes() {
					l.client("deny", code)
				}
				return true
			}))
			times := strings.Count(d.read("tokens"), l.word)
			require.LessOrEqual(t, times, 1, "%s%s: %s", point, nth, d.describe(l.word))
			if times == 1 {
				ran++
				require.Greater(t, strings.Count(shown, l.word), 1, "more than the command that approve prints first: %s%s: %s", point, nth, d.describe(l.word))
			}
		}
	}
	t.Logf("%d daemons ended early, %d commands ran", early, ran)
	require.Greater(t, early, len(crash.Points())/2)
	require.Greater(t, ran, len(crash.Points()))
}

// lateYes is a request whose command is approved in a later daemon.
type lateYes struct {
	*crashMachine
	word  string
	asked bool
	over  bool
	told  []string
}

// live runs a daemon until act is done or the daemon dies, then kills it. It returns what act returns.
func (l *lateYes) live(point string, act func(c *ipc.Conn) bool) (done bool) {
	cmd := l.start(point)
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	if c := l.dial(dead, time.Minute); c != nil {
		done = act(c)
		c.Close()
	}
	l.kill(cmd, dead)
	return done
}

// request sends a request and returns the reply, false if the daemon died.
func (l *lateYes) request(c *ipc.Conn, m ipc.Message) (ipc.Message, bool) {
	if c.Write(m) != nil {
		return m, false
	}
	m, err := c.Read()
	return m, err == nil
}

// say sends a message of the phone and records the reply.
func (l *lateYes) say(c *ipc.Conn, body string) bool {
	m, ok := l.request(c, ipc.Message{Type: ipc.TypeMessage, From: phone, Body: body})
	if ok {
		l.record(m.Body)
	}
	return ok
}

// record records what the phone was sent: a question, what became of the request, or what became of an earlier one.
func (l *lateYes) record(body string) {
	l.told = append(l.told, body)
	if strings.Contains(body, l.word) {
		l.asked = strings.Contains(body, i18n.AskQuestion.In(i18n.English))
		l.over = l.over || !l.asked
	}
}

// poll gets the phone's notifications.
func (l *lateYes) poll(c *ipc.Conn) bool {
	<-time.After(2 * time.Millisecond) // as in dial
	m, ok := l.request(c, ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
	for _, n := range m.Notifications {
		l.record(n.Body)
	}
	return ok
}

// approveOnThePhone says yes to every question until the phone knows what became of the request.
func (l *lateYes) approveOnThePhone(c *ipc.Conn) bool {
	for !l.over {
		if l.asked && !l.say(c, "yes") || !l.poll(c) {
			return false
		}
	}
	return true
}

// approveAtTheMachine approves what waits, because the phone cannot know which questions are still open.
func (l *lateYes) approveAtTheMachine(c *ipc.Conn) bool {
	for !l.over {
		for _, code := range l.pendingCodes() {
			l.client("approve", code)
		}
		if !l.poll(c) {
			return false
		}
	}
	return true
}

// pendingCodes returns the codes of open approvals, and client runs the client without a terminal.
func (l *lateYes) pendingCodes() []string {
	return (&machine{t: l.t, home: l.home, env: l.env}).pendingCodes()
}

func (l *lateYes) client(args ...string) string {
	return (&machine{t: l.t, home: l.home, env: l.env}).client(args...)
}
