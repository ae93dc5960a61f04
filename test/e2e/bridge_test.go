package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// bridge is the unchanged original WhatsApp bridge, with substitutes for the library that connects to WhatsApp
// (testdata/node/stand-ins).
type bridge struct {
	d      *machine
	phone  io.Writer
	answer string // file
	log    string // file
	seen   int
}

// sentMessage is a message that the bridge sent.
type sentMessage struct {
	To, Body string
	Reply    bool
}

// newBridge starts the bridge from the sources in $BLUNUX_AI_BRIDGE, which are not part of this repository.
// Without them it skips the test.
func newBridge(d *machine) *bridge {
	d.t.Helper()
	dir := os.Getenv("BLUNUX_AI_BRIDGE")
	if dir == "" {
		d.t.Skip("BLUNUX_AI_BRIDGE names no directory with the original bridge")
	}
	stands, err := filepath.Abs("testdata/node/stand-ins")
	require.NoError(d.t, err)
	b := &bridge{d: d, answer: d.home + "/sent", log: d.home + "/bridge.log"}
	log, err := os.Create(b.log)
	require.NoError(d.t, err)
	cmd := exec.Command(needNode(d.t), filepath.Join(dir, "src/index.js"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.home, log, log
	cmd.Env = append(d.env, "NODE_PATH="+stands, "SENT="+b.answer,
		"BLUNUX_AI_CONFIG_DIR="+d.home+"/.config/blunux-ai", "BLUNUX_AI_SOCKET="+d.sock())
	b.phone, err = cmd.StdinPipe()
	require.NoError(d.t, err)
	require.NoError(d.t, cmd.Start())
	d.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		log.Close()
		if d.t.Failed() {
			d.t.Log(b.logText())
		}
	})
	b.awaitLog("IPC connected", 1)
	return b
}

// logText returns the bridge's log.
func (b *bridge) logText() string {
	text, err := os.ReadFile(b.log)
	require.NoError(b.d.t, err)
	return string(text)
}

// awaitLog waits until the bridge has logged a text the given number of times.
func (b *bridge) awaitLog(what string, times int) {
	b.d.t.Helper()
	waitUntil(b.d.t, what, func() bool { return strings.Count(b.logText(), what) >= times })
}

// write sends a message from a number and does not wait for an answer.
func (b *bridge) write(number, body string) {
	b.d.t.Helper()
	line, err := json.Marshal(map[string]string{"from": number + "@c.us", "body": body})
	require.NoError(b.d.t, err)
	_, err = fmt.Fprintf(b.phone, "%s\n", line)
	require.NoError(b.d.t, err)
}

// nextMessage returns the next message that the bridge sends.
func (b *bridge) nextMessage() sentMessage {
	b.d.t.Helper()
	var lines []string
	waitUntil(b.d.t, "a message from the bridge", func() bool {
		text, _ := os.ReadFile(b.answer) // does not exist before the first one
		lines = strings.Split(string(text), "\n")
		return len(lines) > b.seen+1
	})
	var m sentMessage
	require.NoError(b.d.t, json.Unmarshal([]byte(lines[b.seen]), &m))
	b.seen++
	m.To = strings.TrimSuffix(m.To, "@c.us")
	return m
}

func (b *bridge) ask(number, body string) string {
	b.d.t.Helper()
	b.write(number, body)
	m := b.nextMessage()
	require.True(b.d.t, m.Reply)
	require.Equal(b.d.t, number, m.To)
	return m.Body
}

// bridgeConfig is the one file that both the bridge and the daemon read.
const bridgeConfig = "[whatsapp]\nmax_messages_per_minute = 20\nallowed_numbers = [\"+" + phone + "\"]\n[agent]\nwhatsapp_enabled = true\n"

// TestTheOriginalBridge runs the bridge unchanged: questions and answers, confirmations, notifications that it
// polls for every 15 s, a restarted daemon, and one that is killed in the middle of a turn.
func TestTheOriginalBridge(t *testing.T) {
	d, s := newStage(t, "")
	text, err := os.ReadFile(d.home + "/.config/blunux-ai/config.toml")
	require.NoError(t, err)
	d.write("config.toml", strings.Replace(string(text), "[ai_agent]\n", bridgeConfig, 1))
	d.start()
	b := newBridge(d)

	require.Equal(t, "heard: hello", b.ask(phone, "hello"))
	b.write("821099999999", "nobody let me in")
	b.awaitLog("Ignored unauthorised number: 821099999999", 1)

	question := b.ask(phone, "run touch made")
	require.Contains(t, question, "touch made")
	require.Contains(t, question, `Answer "yes" or "no".`)
	require.Contains(t, b.ask(phone, "네"), "done: ")
	require.FileExists(t, d.home+"/made")
	require.Contains(t, b.ask(phone, "run touch other"), "touch other")
	require.Contains(t, b.ask(phone, "아니요"), "done: ")
	require.NoFileExists(t, d.home+"/other")

	// The daemon is stopped and started again, and the bridge reconnects.
	stopDaemon(d.sock())
	d.start()
	b.awaitLog("IPC connected", 2)
	require.Equal(t, "heard: still there?", b.ask(phone, "still there?"))

	// The daemon is killed during a turn. The bridge waits on the lost connection for an answer, which then
	// comes by poll.
	b.write(phone, "hold a one")
	s.awaitGate("a")
	d.kill()
	d.start()
	b.awaitLog("IPC connected", 3)
	s.openGate("a")
	require.Equal(t, sentMessage{phone, "heard: one", false}, b.nextMessage())

	// The bridge cuts texts at 4000 characters. A confirmation that does not fit can be denied there, but not
	// approved.
	long := b.ask(phone, "run touch made "+strings.Repeat("x", 3950))
	require.Contains(t, long, "cannot be approved in this chat")
	require.Contains(t, b.ask(phone, "yes"), "blunux-aictl approve")
	require.Contains(t, b.ask(phone, "no"), "done: ")
	require.NotContains(t, b.logText(), "Bad JSON")
}
