package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// The second promise: if the daemon is killed at any moment, acknowledged data is not lost, commands do not run
// twice, and pending notifications are delivered.

// countKills returns the number of random kills, in addition to those at every named point.
func countKills() int {
	if soaking() {
		return 520
	}
	return 60
}

// crashPlot answers "say N" and runs "run N", which writes a token.
const crashPlot = `
[[step]]
user_match = '^Summarise this conversation'
text = "they talked about numbers"
forever = true
[[step]]
user_match = '^say (\w+)$'
text = "heard {{user.1}}"
forever = true
[[step]]
user_match = '^run (\w+)$'
[[step.tool]]
name = "run_command"
input = { command = "echo {{user.1}} >> tokens" }
[[step]]
text = "ran {{user.1}}"
[[step]]
user_match = 'now approved your call .* in their request "run (\w+)"'
text = "ran {{user.1}}"
forever = true
`

// crashMachine is a home directory whose daemon is killed again and again.
type crashMachine struct {
	t    *testing.T
	home string
	env  []string
	bin  string

	mu         sync.Mutex
	acked      []string            // words whose answer a client has
	sent       []string            // words that a bridge sent
	notified   map[string][]string // words → ids of the notifications about them
	answered   map[string]bool     // words whose answer came over the wire
	repeatable map[string]bool     // ids that may be repeated: the daemon was killed while it delivered them
	batch      []string            // ids of the last poll
	bodies     []string            // exchanged texts of the bridge
	kills      int
	n          int
}

// crashable is the directory of a daemon that can be killed at a named point, which it builds once.
var crashable = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(binaries, "doomed")
	cmd := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-tags", "crashtest", "-o", dir+"/", "../../cmd/blunux-ai", "../../cmd/blunux-ai-cell", "../../cmd/blunux-ai-index")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the daemon: %w: %s", err, out)
	}
	return dir, nil
})

func newCrashMachine(t *testing.T, home string) *crashMachine {
	t.Helper()
	bin, err := crashable()
	require.NoError(t, err)
	d := &crashMachine{t: t, home: home, bin: bin, notified: map[string][]string{}, answered: map[string]bool{}, repeatable: map[string]bool{}}
	d.env = []string{"HOME=" + home, "TZ=" + os.Getenv("TZ"), "XDG_RUNTIME_DIR=" + home + "/run", "LANG=en_US.UTF-8", "PATH=/usr/bin:/bin", "BLUNUX_AI_LOG=debug", "BLUNUX_AI_AUTOMATIONS=off"}
	config := filepath.Join(home, ".config/blunux-ai")
	require.NoError(t, os.MkdirAll(home+"/run", 0o700))
	require.NoError(t, os.MkdirAll(config, 0o700))
	text := "[ai_agent]\nprovider = \"scripted:" + home + "/plot.toml\"\n[limits]\nhistory_messages = 6\n"
	require.NoError(t, os.WriteFile(config+"/config.toml", []byte(text), 0o600))
	require.NoError(t, os.Mkdir(config+"/config.d", 0o700))
	require.NoError(t, os.WriteFile(config+"/config.d/10-senders.toml", []byte(senders()), 0o600))
	require.NoError(t, os.WriteFile(home+"/plot.toml", []byte(crashPlot), 0o600))
	return d
}

func tempHome(t *testing.T) string {
	home, err := os.MkdirTemp("", "doom-") // short, because it contains a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	return home
}

// word returns a new word for each message.
func (d *crashMachine) word() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	return "w" + strconv.Itoa(d.n) + "x"
}

// start starts a daemon that dies at a point ("" for none).
func (d *crashMachine) start(point string) *exec.Cmd {
	cmd := exec.Command(d.bin+"/blunux-ai", "daemon")
	cmd.Dir, cmd.Env = d.home, append(slices.Clone(d.env), "BLUNUX_AI_CRASH="+point)
	log, err := os.OpenFile(d.home+"/daemon.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(d.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(d.t, cmd.Start())
	return cmd
}

// kill kills a daemon and waits until its socket is dead too: a child can hold it until its exec.
func (d *crashMachine) kill(cmd *exec.Cmd, dead <-chan struct{}) {
	_ = cmd.Process.Kill()
	<-dead
	waitUntil(d.t, "nobody to listen", func() bool { return daemonPID(d.home+"/run/blunux-ai.sock") == 0 })
}

// dial connects to the daemon, or returns nil if the daemon died before. limit is the connection's deadline.
func (d *crashMachine) dial(dead <-chan struct{}, limit time.Duration) *ipc.Conn {
	for {
		c, err := net.Dial("unix", d.home+"/run/blunux-ai.sock")
		if err == nil {
			_ = c.SetDeadline(time.Now().Add(limit))
			return ipc.NewConn(c)
		}
		select {
		case <-dead:
			return nil
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// life runs one daemon with clients. The daemon is killed at a point, after a time, or when the clients are
// done. early reports whether it died before that.
func (d *crashMachine) life(point string, after time.Duration) (early bool) {
	cmd := d.start(point)
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	var peers sync.WaitGroup
	for _, act := range []func(*ipc.Conn){d.runTerminalClient, d.runBridge, d.runPoller} {
		peers.Go(func() {
			// A message may wait for the confirmation of an earlier one that was retried.
			if c := d.dial(dead, 4*time.Second); c != nil {
				defer c.Close()
				act(c)
			}
		})
	}
	peers.Wait()
	select {
	case <-dead:
		early = true
	case <-time.After(20 * time.Millisecond): // a client may notice the lost connection before we do
	}
	d.kill(cmd, dead)
	d.kills++
	for _, id := range d.batch { // delivered, but perhaps not yet recorded as delivered
		d.repeatable[id] = true
	}
	d.batch = nil
	return early
}

// runTerminalClient is a client at a terminal that approves everything.
func (d *crashMachine) runTerminalClient(c *ipc.Conn) {
	hello := ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Channel: "cli", Caps: []string{ipc.CapAsk}})
	if c.Write(hello) != nil {
		return
	}
	for i, verb := range []string{"say", "run", "say"} {
		word := d.word()
		id := "m" + strconv.Itoa(i)
		if c.Write(ipc.Message{Type: ipc.TypeMessage, ID: id, Session: "desk", Body: verb + " " + word}) != nil {
			return
		}
		for {
			m, err := c.Read()
			if err != nil {
				return
			}
			if m.Type == ipc.TypeAsk {
				if c.Write(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowOnce}) != nil {
					return
				}
			}
			if m.Re != id || !m.Done {
				continue
			}
			if m.Type == ipc.TypeResponse {
				d.ack(word)
			}
			break
		}
	}
}

func (d *crashMachine) ack(word string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acked = append(d.acked, word)
	d.answered[word] = true
}

// runBridge is an original peer with one sender that approves everything.
func (d *crashMachine) runBridge(c *ipc.Conn) {
	ask := func(body string) (string, bool) {
		if c.Write(ipc.Message{Type: ipc.TypeMessage, From: phone, Body: body}) != nil {
			return "", false
		}
		m, err := c.Read()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.bodies = append(d.bodies, body+" → "+m.Body)
		return m.Body, err == nil
	}
	for _, verb := range []string{"say", "run"} {
		word := d.word()
		d.mu.Lock()
		d.sent = append(d.sent, word)
		d.mu.Unlock()
		body, ok := ask(verb + " " + word)
		if ok && strings.Contains(body, "echo "+word) {
			body, ok = ask("네")
		}
		if !ok {
			return
		}
		if strings.Contains(body, "heard "+word) || strings.Contains(body, "ran "+word) {
			d.ack(word)
		}
	}
}

var words = regexp.MustCompile(`w\d+x`)

// runPoller polls for the bridge's notifications. Its sender approves what retried messages ask.
func (d *crashMachine) runPoller(c *ipc.Conn) {
	for range 8 {
		if c.Write(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"}) != nil {
			return
		}
		m, err := c.Read()
		if err != nil {
			return
		}
		d.recordBatch(m.Notifications)
		// After the next reply the daemon has recorded the previous one as delivered.
		if c.Write(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPing, From: "__ping__"}) != nil {
			return
		}
		if _, err := c.Read(); err != nil {
			return
		}
		d.recordBatch(nil)
		for _, n := range m.Notifications {
			if strings.Contains(n.Body, i18n.AskQuestion.In(i18n.English)) && c.Write(ipc.Message{Type: ipc.TypeMessage, From: phone, Body: "네"}) == nil {
				if m, err := c.Read(); err == nil {
					d.recordAnswers(m.Body)
				}
			}
		}
	}
}

// recordAnswers records answers that came directly as a reply to an approval.
func (d *crashMachine) recordAnswers(body string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bodies = append(d.bodies, "네 (poller) → "+body)
	for _, word := range words.FindAllString(body, -1) {
		d.answered[word] = d.answered[word] || strings.Contains(body, "ran "+word)
	}
}

func (d *crashMachine) recordBatch(ns []ipc.Notification) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batch = nil
	for _, n := range ns {
		d.batch = append(d.batch, n.ID)
		said := words.FindAllString(n.Body, -1)
		slices.Sort(said)
		for _, word := range slices.Compact(said) {
			d.notified[word] = append(d.notified[word], n.ID)
		}
	}
}

// finish runs a last daemon until all tasks have ended, and polls all notifications. It approves everything,
// because later messages wait behind a confirmation.
func (d *crashMachine) finish() {
	cmd := d.start("")
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	defer func() { _ = cmd.Process.Kill(); <-dead }()
	moved, before := time.Now(), ""
	for !d.isFinished(dead) {
		if now := fmt.Sprint(d.records()); now != before {
			moved, before = time.Now(), now
		}
		if time.Since(moved) > time.Minute {
			_ = cmd.Process.Signal(syscall.SIGQUIT) // print the goroutines
			<-dead
			log := d.read("daemon.log")
			require.FailNow(d.t, "nothing moves any more", "%s\n%s", before, log[max(len(log)-40_000, 0):])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// isFinished polls once and reports whether all tasks have ended or wait for approval.
func (d *crashMachine) isFinished(dead <-chan struct{}) bool {
	c := d.dial(dead, time.Minute)
	require.NotNil(d.t, c, "the last daemon died: %s", d.read("daemon.log"))
	defer c.Close()
	require.NoError(d.t, c.Write(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"}))
	m, err := c.Read()
	require.NoError(d.t, err)
	d.recordBatch(m.Notifications)
	for _, n := range m.Notifications {
		if strings.Contains(n.Body, i18n.AskQuestion.In(i18n.English)) {
			require.NoError(d.t, c.Write(ipc.Message{Type: ipc.TypeMessage, From: phone, Body: "네"}))
			answer, err := c.Read()
			require.NoError(d.t, err)
			d.recordAnswers(answer.Body)
		}
	}
	for _, r := range d.records() {
		if r.State != "PAUSED" && !r.isOver() {
			return false
		}
	}
	return len(m.Notifications) == 0
}

func (d *crashMachine) read(name string) string {
	data, err := os.ReadFile(filepath.Join(d.home, name))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(d.t, err)
	}
	return string(data)
}

// taskRecord is a task in the journal.
type taskRecord struct {
	ID, State, Text, Channel string
	Told                     bool
}

func (k taskRecord) isOver() bool {
	return k.Told && k.State != "PENDING" && k.State != "RUNNING" && k.State != "PAUSED"
}

func (d *crashMachine) records() map[string]taskRecord {
	all := map[string]taskRecord{}
	for line := range strings.Lines(d.read(".config/blunux-ai/tasks/tasks.jsonl")) {
		var k taskRecord
		if json.Unmarshal([]byte(line), &k) == nil && k.ID != "" {
			if old, ok := all[k.ID]; ok && k.Text == "" {
				k.Text, k.Channel = old.Text, old.Channel
			}
			all[k.ID] = k
		}
	}
	return all
}

// check compares the files and what the clients received with the promises.
func (d *crashMachine) check() {
	t := d.t
	conversations := ""
	for _, name := range []string{"cli%2Fdesk", "bridge%2F" + phone} {
		files, err := filepath.Glob(filepath.Join(d.home, ".config/blunux-ai/sessions/*"+name+".jsonl"))
		require.NoError(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			conversations += string(data)
		}
	}
	for _, word := range d.acked {
		require.Regexp(t, `"type":"user","content":"(say|run) `+word+`"`, conversations, "an acknowledged message is lost")
		require.Regexp(t, `"content":"(heard|ran) `+word+`"`, conversations, "an acknowledged answer is lost")
	}
	d.checkWords(conversations)
	d.checkLedger()
	ran := map[string]int{}
	for token := range strings.FieldsSeq(d.read("tokens")) {
		ran[token]++
	}
	log := d.read(".config/blunux-ai/logs/commands.log")
	for token, times := range ran {
		require.Equal(t, 1, times, "%s ran more than once:\n%s", token, d.describe(token))
		require.Contains(t, log, "CONFIRM")
		require.Regexp(t, `CONFIRMED +echo `+token+` >>tokens`, log, "%s has no log line", token)
	}
	verify := exec.Command(binaries+"/blunux-aictl", "log", "--verify")
	verify.Env = d.env
	out, err := verify.CombinedOutput()
	require.NoError(t, err, "%s", out)
	stopDaemon(d.home + "/run/blunux-ai.sock") // started by the client

	// A message that a bridge sent and the daemon saved was answered directly, or once by poll. If it needed
	// approval, another notification may follow.
	for _, word := range d.sent {
		if !strings.Contains(conversations, " "+word+`"`) {
			continue // the daemon died before it saved and acknowledged the message
		}
		// A new message denies a pending approval, and its answer says so.
		taken := strings.Contains(conversations, "it was denied: echo "+word)
		if !d.answered[word] && !d.isWaiting(word) && !taken {
			require.NotEmpty(t, d.notified[word], "nobody was told what became of %s:\n%s", word, d.describe(word))
		}
	}
	for word, ids := range d.notified {
		seen := map[string]int{}
		for _, id := range ids {
			if seen[id]++; seen[id] > 1 {
				require.True(t, d.repeatable[id], "%s told of %s twice", id, word)
			}
		}
	}
}

// userEntry matches a user's entry, with its word.
var userEntry = regexp.MustCompile(`"type":"user","content":"(?:say|run) (w\d+x)"`)

// checkWords requires each message of the user once in the conversation, however often it was retried.
func (d *crashMachine) checkWords(conversations string) {
	times := map[string]int{}
	for _, m := range userEntry.FindAllStringSubmatch(conversations, -1) {
		times[m[1]]++
		require.Equal(d.t, 1, times[m[1]], "%s is in its conversation twice:\n%s", m[1], d.describe(m[1]))
	}
	require.NotEmpty(d.t, times)
}

// checkLedger requires that every model request in the daemon's log is in the ledger once. A daemon can be
// killed between writing the two.
func (d *crashMachine) checkLedger() {
	entered, logged := 0, 0
	for line := range strings.Lines(d.read(".config/blunux-ai/usage/usage.jsonl")) {
		var entry struct{ Requests int }
		if line != "{\"v\":1}\n" && json.Unmarshal([]byte(line), &entry) == nil { // skip the header
			entered += max(entry.Requests, 1)
		}
	}
	for line := range strings.Lines(d.read("daemon.log")) {
		if strings.Contains(line, "DBG round") && !strings.Contains(line, "error=") {
			logged++
		}
	}
	require.NotZero(d.t, logged)
	require.GreaterOrEqual(d.t, entered, logged, "a request to a model is not in the ledger")
	require.LessOrEqual(d.t, entered, logged+2*d.kills, "a request to a model is in the ledger twice")
}

// describe returns all lines about a word in the files.
func (d *crashMachine) describe(word string) string {
	var found []string
	for _, name := range []string{"tasks/tasks.jsonl", "outbox/notifications.jsonl", "approvals/answers.jsonl", "logs/audit.jsonl"} {
		for line := range strings.Lines(d.read(".config/blunux-ai/" + name)) {
			if strings.Contains(line, word) {
				found = append(found, name+": "+line)
			}
		}
	}
	for i, body := range d.bodies {
		if strings.Contains(body, word) {
			found = append(found, strings.Join(d.bodies[max(i-2, 0):min(i+4, len(d.bodies))], "\n")+"\n")
		}
	}
	files, _ := filepath.Glob(filepath.Join(d.home, ".config/blunux-ai/sessions/*"+phone+".jsonl"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, word) {
				found = append(found, line)
			}
		}
	}
	for id, k := range d.records() {
		if strings.Contains(k.Text, word) {
			found = append(found, fmt.Sprintf("task %s: %+v", id, k))
		}
	}
	return strings.Join(found, "")
}

// isWaiting reports whether a task still waits for approval.
func (d *crashMachine) isWaiting(word string) bool {
	for _, k := range d.records() {
		if k.State == "PAUSED" && strings.Contains(k.Text, word) {
			return true
		}
	}
	return false
}

func TestKilledAtAnyInstantNothingIsLostAndNothingRunsTwice(t *testing.T) {
	t.Parallel()
	var all sync.Map
	t.Run("at every named point", func(t *testing.T) {
		t.Parallel()
		d := newCrashMachine(t, tempHome(t))
		for _, point := range crash.Points() {
			// Some points are only reached after others have left work behind.
			reached := false
			for n := 0; n < 40 && !reached; n++ {
				if n > 0 {
					d.life(string(crash.AnswerStored), 0)
				}
				reached = d.life(string(point), 0)
			}
			require.True(t, reached, "%s is never come to", point)
			for _, nth := range []string{":2", ":3"} {
				d.life(string(point)+nth, 0)
			}
			d.life("", 0)
		}
		d.finish()
		d.check()
		all.Store("points", d.figures())
	})
	for _, part := range []string{"a", "b"} {
		t.Run("at random "+part, func(t *testing.T) {
			t.Parallel()
			d := newCrashMachine(t, tempHome(t))
			for range countKills() / 2 {
				point := crash.Points()[rand.IntN(len(crash.Points()))]
				switch rand.IntN(3) {
				case 0:
					d.life(fmt.Sprintf("%s:%d", point, 1+rand.IntN(12)), 0)
				default:
					d.life("", time.Duration(rand.IntN(120))*time.Millisecond+time.Millisecond)
				}
			}
			d.finish()
			d.check()
			all.Store(part, d.figures())
		})
	}
	t.Cleanup(func() {
		var total figures
		all.Range(func(_, f any) bool { total = total.plus(f.(figures)); return true })
		fmt.Fprintf(os.Stderr, "killed %d daemons (%d named points): %d messages acknowledged, %d commands run, %d texts polled\n",
			total.kills, len(crash.Points()), total.acked, total.ran, total.told)
	})
}

// interruptedPeer is an original peer whose daemon died just before it asked for approval, connected to the next
// daemon.
type interruptedPeer struct {
	*crashMachine
	t     *testing.T
	conn  *ipc.Conn
	older []string // files of approvals when the first daemon died
}

func newInterruptedPeer(t *testing.T) interruptedPeer {
	o := interruptedPeer{crashMachine: newCrashMachine(t, tempHome(t)), t: t}
	cmd := o.start(string(crash.ApprovalStored))
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	c := o.dial(dead, time.Minute)
	require.NotNil(t, c)
	require.NoError(t, c.Write(ipc.Message{Type: ipc.TypeMessage, From: phone, Body: "run w1x"}))
	<-dead
	c.Close()
	o.older = o.approvals()
	require.Len(t, o.older, 1)
	waitUntil(t, "nobody to listen", func() bool { return daemonPID(o.home+"/run/blunux-ai.sock") == 0 }) // as in kill

	cmd = o.start("")
	gone := make(chan struct{})
	go func() { _ = cmd.Wait(); close(gone) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-gone })
	o.conn = o.dial(gone, time.Minute)
	require.NotNil(t, o.conn)
	t.Cleanup(func() { o.conn.Close() })
	return o
}

func (o interruptedPeer) approvals() []string {
	list, err := filepath.Glob(o.home + "/.config/blunux-ai/approvals/*.json")
	require.NoError(o.t, err)
	return list
}

func (o interruptedPeer) request(m ipc.Message) ipc.Message {
	require.NoError(o.t, o.conn.Write(m))
	m, err := o.conn.Read()
	require.NoError(o.t, err)
	return m
}

func (o interruptedPeer) yes() string {
	return o.request(ipc.Message{Type: ipc.TypeMessage, From: phone, Body: "네"}).Body
}

func (o interruptedPeer) isPolled(text string) bool {
	m := o.request(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
	return len(m.Notifications) == 1 && strings.Contains(m.Notifications[0].Body, text)
}

// TestAQuestionWhoseDaemonDiedAskingIsAskedOnceAnew: the older approval has ended, so that a yes approves only
// the new one, and the command runs once.
func TestAQuestionWhoseDaemonDiedAskingIsAskedOnceAnew(t *testing.T) {
	t.Parallel()
	o := newInterruptedPeer(t)
	require.Eventually(t, func() bool { return o.isPolled("echo w1x") }, time.Minute, 5*time.Millisecond)
	require.Len(t, o.approvals(), 1)
	require.NotEqual(t, o.older, o.approvals())
	require.Equal(t, "ran w1x", o.yes())
	require.Equal(t, "w1x\n", o.read("tokens"))
	require.Empty(t, o.approvals())
}

// TestD8bARetriedMessageIsInItsConversationOnce, even if the daemon died after the model had answered with a
// call.
func TestD8bARetriedMessageIsInItsConversationOnce(t *testing.T) {
	t.Parallel()
	o := newInterruptedPeer(t)
	require.Eventually(t, func() bool { return o.isPolled("echo w1x") }, time.Minute, 5*time.Millisecond)
	require.Equal(t, "ran w1x", o.yes())
	files, err := filepath.Glob(o.home + "/.config/blunux-ai/sessions/*" + phone + ".jsonl")
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Len(t, userEntry.FindAllString(string(data), -1), 1, "%s", data)
}

// TestThreat07ABareYesToAQuestionNobodyHasSeenShowsIt: an approval waits to be polled. A yes before that was
// for something else.
func TestThreat07ABareYesToAQuestionNobodyHasSeenShowsIt(t *testing.T) {
	t.Parallel()
	o := newInterruptedPeer(t)
	require.Eventually(t, func() bool { return len(o.approvals()) == 1 && o.approvals()[0] != o.older[0] }, time.Minute, 5*time.Millisecond)
	require.Contains(t, o.yes(), "echo w1x")
	require.Empty(t, o.read("tokens"))
	require.Equal(t, "ran w1x", o.yes())
	require.Equal(t, "w1x\n", o.read("tokens"))
}

// figures counts what happened in a test.
type figures struct{ kills, acked, ran, told int }

func (f figures) plus(g figures) figures {
	return figures{f.kills + g.kills, f.acked + g.acked, f.ran + g.ran, f.told + g.told}
}

func (d *crashMachine) figures() figures {
	return figures{d.kills, len(d.acked), len(strings.Fields(d.read("tokens"))), len(d.notified)}
}
