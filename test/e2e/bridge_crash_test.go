package e2e

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// bridgeSender is a bridge with one sender on a daemon that is killed. It sends every open message again to each new
// daemon, and identifies notifications by their id.
type bridgeSender struct {
	*crashMachine
	messages []ipc.Message         // messages of the open question, in order
	received map[string]ipc.Notice // notifications by id
	answers  map[string][]string   // ids of the answers to each question
	early    int                   // daemons that died before the answer
}

// cancelled is answered immediately and without a task, because there is nothing to cancel.
const cancelled = "/cancel"

const phoneNumber = "821012345678"

func newBridgeSender(t *testing.T) *bridgeSender {
	d := newCrashMachine(t, tempHome(t))
	file := filepath.Join(d.home, ".config/blunux-ai/config.toml")
	text := d.read(".config/blunux-ai/config.toml") + "[telegram]\nallowed_chats = [\"" + phoneNumber + "\"]\n[whatsapp]\nmax_messages_per_minute = 100\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return &bridgeSender{crashMachine: d, received: map[string]ipc.Notice{}, answers: map[string][]string{}}
}

// TestABridgesQuestionKilledAtAnyPointIsAnsweredOnce kills the daemon at every point of package crash, during a
// question, a question that needs approval, and a message that is answered without a task. The bridge sends
// every message again to the next daemon. There must be one task, one answer, and at most one execution.
func TestABridgesQuestionKilledAtAnyPointIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	p := newBridgeSender(t)
	asked, all := map[string]string{}, []ipc.Message(nil)
	for _, point := range crash.Points() {
		for _, nth := range []string{"", ":2", ":3"} {
			for _, verb := range []string{"say ", "run ", cancelled} {
				word := p.word()
				asked[word] = verb
				if verb != cancelled {
					asked[word] += word
				}
				p.messages = nil
				p.write(word, asked[word])
				if !p.life(string(point)+nth, word, 3*time.Second) {
					p.early++
					if !p.life("", word, time.Minute) { // a bridge reconnects
						t.Logf("%s at %s was not answered at once: %s\n%s", asked[word], point, p.describe(word), p.logTail())
						require.True(t, p.life("", word, time.Minute), "%s at %s: %s\n%s", asked[word], point, p.describe(word), p.logTail())
					}
				}
				all = append(all, p.messages...)
			}
		}
	}
	p.resendAll(all)
	p.requireOnce(asked)
	t.Logf("%d questions in %d lives, of which %d ended before the answer", len(asked), p.kills, p.early)
	require.Greater(t, p.early, len(crash.Points())/2)
}

// logTail returns the last lines of the daemons' log.
func (p *bridgeSender) logTail() string {
	lines := strings.Split(p.read("daemon.log"), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

// requireOnce requires one task and one answer for each question, and at most one execution.
func (p *bridgeSender) requireOnce(asked map[string]string) {
	tasks := map[string]map[string]bool{}
	for line := range strings.Lines(p.read(".config/blunux-ai/tasks/tasks.jsonl")) {
		var r struct{ ID, Letter string }
		if json.Unmarshal([]byte(line), &r) == nil && r.Letter != "" {
			if tasks[r.Letter] == nil {
				tasks[r.Letter] = map[string]bool{}
			}
			tasks[r.Letter][r.ID] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(p.home, ".config/blunux-ai/sessions/*.jsonl"))
	require.NoError(p.t, err)
	conversations := ""
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(p.t, err)
		conversations += string(data)
	}
	p.checkWords(conversations)
	tokens := p.read("tokens")
	for word, text := range asked {
		if text == cancelled {
			require.Empty(p.t, tasks[word])
		} else {
			require.Len(p.t, tasks[word], 1, "%s: %s", text, p.describe(word))
		}
		require.Len(p.t, p.answers[word], 1, "%s: %s", text, p.describe(word))
		require.LessOrEqual(p.t, strings.Count(tokens, word), 1, "%s: %s", text, p.describe(word))
		if strings.Contains(p.received[p.answers[word][0]].Body, "ran "+word) {
			require.Contains(p.t, tokens, word)
		}
	}
}

// resendAll sends all messages to one more daemon, which must reject them as duplicates.
func (p *bridgeSender) resendAll(letters []ipc.Message) {
	cmd := p.start("")
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	defer func() { _ = cmd.Process.Kill(); <-dead }()
	c := p.connect(dead, time.Minute)
	require.NotNil(p.t, c)
	defer c.Close()
	require.NoError(p.t, c.Write(helloOfBridge))
	for _, letter := range letters {
		require.NoError(p.t, c.Write(letter))
		m, err := c.Read()
		for ; err == nil && (m.Re != letter.ID || !m.Done); m, err = c.Read() {
		}
		require.NoError(p.t, err)
		var out ipc.Outcome
		require.NoError(p.t, m.Decode(&out))
		require.Equal(p.t, ipc.StopDuplicate, out.Stop, "%s: %+v", letter.ID, m)
	}
	require.NoError(p.t, c.Write(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: []string{"notifications"}})))
	require.NoError(p.t, c.Write(ipc.Message{Type: ipc.TypeAction, ID: "p", Action: ipc.ActionPing}))
	for {
		m, err := c.Read()
		require.NoError(p.t, err)
		require.NotEqual(p.t, ipc.TypeEvent, m.Type, "what was answered is answered again: %s", m.Data)
		if m.Re == "p" {
			return
		}
	}
}

var helloOfBridge = ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Client: "test-bridge/1", Channel: "telegram"})

// write queues a message of the sender.
func (p *bridgeSender) write(mid, body string) ipc.Message {
	m := ipc.Message{Type: ipc.TypeMessage, ID: "m" + mid, From: phoneNumber, Body: body}.WithData(ipc.InboundMessage{MID: mid})
	p.messages = append(p.messages, m)
	return m
}

// life runs a daemon until it dies at a point or has answered; it returns whether it has answered.
func (p *bridgeSender) life(point, word string, limit time.Duration) (done bool) {
	cmd := p.start(point)
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	if c := p.connect(dead, limit); c != nil {
		done = p.talk(c, word)
		c.Close()
	}
	_ = cmd.Process.Kill()
	<-dead
	p.kills++
	return done
}

func (p *bridgeSender) connect(dead <-chan struct{}, limit time.Duration) *ipc.Conn {
	for {
		c, err := net.Dial("unix", ipc.BridgeSocket(p.home+"/run/blunux-ai.sock", "telegram"))
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

// talk sends the messages, approves commands, and acknowledges notifications until a question is answered.
func (p *bridgeSender) talk(c *ipc.Conn, word string) (done bool) {
	sub := ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: []string{"notifications"}})
	for _, m := range append([]ipc.Message{helloOfBridge, sub}, p.messages...) {
		if c.Write(m) != nil {
			return false
		}
	}
	acks := map[string]string{} // notification ids by action id
	for {
		m, err := c.Read()
		if err != nil {
			return false
		}
		switch {
		case m.Type == ipc.TypeEvent:
			id := "k" + p.word()
			acks[id] = p.recordNotice(m)
			if c.Write(ipc.Message{Type: ipc.TypeAction, ID: id, Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: []string{acks[id]}})) != nil {
				return false
			}
		case acks[m.Re] != "":
			if n := p.received[acks[m.Re]]; n.Approval != "" && c.Write(p.write("y:"+n.ID, "네")) != nil {
				return false
			}
			delete(acks, m.Re)
		}
		if len(acks) == 0 && len(p.answers[word]) > 0 {
			return true
		}
	}
}

// recordNotice records a notification and returns its id. A repeated notification must have the same id.
func (p *bridgeSender) recordNotice(m ipc.Message) string {
	var e struct{ What ipc.Notice }
	require.NoError(p.t, m.Decode(&e))
	n := e.What
	_, again := p.received[n.ID]
	p.received[n.ID] = n
	p.bodies = append(p.bodies, n.ID+" → "+n.Body)
	if again || n.Approval != "" {
		return n.ID
	}
	for _, word := range words.FindAllString(n.Re+" "+n.Body, 1) {
		p.answers[word] = append(p.answers[word], n.ID)
		return n.ID
	}
	for _, l := range p.messages { // an answer to an approval belongs to the open question
		if l.ID == "m"+n.Re {
			word := strings.TrimPrefix(p.messages[0].ID, "m")
			p.answers[word] = append(p.answers[word], n.ID)
		}
	}
	return n.ID
}
