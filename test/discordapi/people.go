package discordapi

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/test/channeltest"
)

// User IDs of the people, and a channel of a server that they share with the bot.
const (
	owner    = "551001551001551001"
	partner  = "551002551002551002"
	stranger = "551003551003551003"
	guild    = "771000000000000001"
	group    = "771000000000000002"
)

var _ channeltest.World = (*Server)(nil)

// Channel returns "discord".
func (*Server) Channel() string { return "discord" }

// Owner and Partner return people whom the configuration admits. The bot can write to them first, because they share a
// server with it. Stranger is on that server too.
func (*Server) Owner() string    { return owner }
func (*Server) Partner() string  { return partner }
func (*Server) Stranger() string { return stranger }

// OnlineFirst implements [channeltest.OnlineFirst].
func (*Server) OnlineFirst() bool { return true }

// knows reports whether a person shares a server with the bot.
func knows(person string) bool { return person == owner || person == partner || person == stranger }

func user(id string) map[string]any {
	names := map[string]string{owner: "민수", partner: "지영"}
	return map[string]any{"id": id, "username": "user" + id, "global_name": names[id], "discriminator": "0"}
}

// Command builds the bridge once and returns its command line.
func (s *Server) Command(t testing.TB) (argv, env []string) {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program}, []string{"BLUNUX_AI_DISCORD_SERVER=" + s.URL()}
}

// built builds the bridge into a directory that depends on the source tree. It replaces the file atomically, because
// another test run may be starting it.
var built = sync.OnceValues(func() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	sum := sha256.Sum256([]byte(here))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("blunux-discord-bridge-%d-%x", os.Getuid(), sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	fresh, program := filepath.Join(dir, fmt.Sprint(os.Getpid())), filepath.Join(dir, "blunux-discord-bridge")
	cmd := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-ldflags", "-s -w -X main.version=test", "-o", fresh, "github.com/nidoit/blunux-ai/cmd/blunux-discord-bridge")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, program); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	return program, nil
})

// LogIn saves the bot's token as a login does.
func (s *Server) LogIn(t testing.TB, home string) {
	t.Helper()
	dir := filepath.Join(home, "discord")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(s.currentToken()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Say sends a person's message to the bot. A message to a server comes even without the intent for it, because the
// bridge must not depend on that.
func (s *Server) Say(from string, said channeltest.PersonMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.dmOf(from)
	if said.Group {
		c = s.groupOf()
	}
	m := &message{id: s.snowflake(), author: from, sent: time.Now(), content: said.Text}
	if said.Own {
		m.author, m.byHand = BotID, true
	}
	if !said.Sent.IsZero() {
		m.sent = said.Sent
	}
	if said.File != nil {
		f := &file{name: said.File.Name, kind: said.File.Type, data: said.File.Data, claims: said.File.Claims}
		if f.claims == 0 {
			f.claims = int64(len(f.data))
		}
		s.addFile(f)
		m.files = []*file{f}
	}
	if said.Forwarded {
		m.snapshot = &message{id: s.snowflake(), content: m.content, files: m.files, sent: m.sent.Add(-time.Hour)}
		m.content, m.files = "", nil
	}
	s.add(c, m)
	return m.id
}

// add adds a person's message and informs the bot. The caller holds the lock.
func (s *Server) add(c *channel, m *message) {
	c.messages = append(c.messages, m)
	s.dispatch("MESSAGE_CREATE", s.object(c, m))
}

// groupOf returns the channel of the server. The caller holds the lock.
func (s *Server) groupOf() *channel {
	if s.channels[group] == nil {
		s.channels[group] = &channel{id: group, guild: guild}
	}
	return s.channels[group]
}

// SayWith sends a person's message with other fields than usual.
func (s *Server) SayWith(from, text string, extra map[string]any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &message{id: s.snowflake(), author: from, sent: time.Now(), content: text, extra: extra}
	s.add(s.dmOf(from), m)
	return m.id
}

// Room returns the channel of the server, in which the people and the bot are. It implements [channeltest.Roomy].
func (s *Server) Room() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groupOf().id
}

// HearsRoom reports whether the last session gets messages of servers.
func (s *Server) HearsRoom() bool { return s.Intents()&guildMessages != 0 }

// Mention returns the text that mentions the bot in front of another one.
func (*Server) Mention(text string) string { return "<@" + BotID + "> " + text }

// SayInRoom sends a person's message to the channel of the server. What is not to the bot reaches it without its text.
func (s *Server) SayInRoom(from, text string) string { return s.SayInRoomWith(from, text, nil) }

// SayInRoomWith sends a person's message to the channel of the server, with other fields than usual.
func (s *Server) SayInRoomWith(from, text string, extra map[string]any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &message{id: s.snowflake(), author: from, sent: time.Now(), content: text, extra: extra}
	s.add(s.groupOf(), m)
	return m.id
}

// SayInOtherChannel sends a person's message to another channel of the server.
func (s *Server) SayInOtherChannel(from, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(&channel{id: s.snowflake(), guild: guild}, &message{id: s.snowflake(), author: from, sent: time.Now(), content: text})
}

// ReceivedInRoom returns the bot's messages in the channel of the server.
func (s *Server) ReceivedInRoom() (seen []channeltest.ReceivedMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.groupOf().messages {
		if m.author == BotID && !m.deleted {
			seen = append(seen, received(m))
		}
	}
	return seen
}

// AnswersTo returns the author of the message to which one is a reply, "" for none.
func (s *Server) AnswersTo(handle string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, m := s.find(handle); m != nil && m.answers != nil {
		return m.answers.author
	}
	return ""
}

// Intents returns the intents of the last session.
func (s *Server) Intents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.intents
}

// find returns a message and its channel. The caller holds the lock.
func (s *Server) find(id string) (*channel, *message) {
	for _, c := range s.channels {
		if m := c.message(id); m != nil {
			return c, m
		}
	}
	return nil, nil
}

// Redeliver sends a message again in a new event.
func (s *Server) Redeliver(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, m := s.find(id); m != nil {
		s.dispatch("MESSAGE_CREATE", s.object(c, m))
	}
}

// EditTheirs edits a person's message.
func (s *Server) EditTheirs(id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, m := s.find(id); m != nil {
		m.content = text
		s.dispatch("MESSAGE_UPDATE", s.object(c, m))
	}
}

// Erase deletes a message.
func (s *Server) Erase(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, m := s.find(id); m != nil {
		m.deleted = true
		s.dispatch("MESSAGE_DELETE", map[string]any{"id": m.id, "channel_id": c.id})
		s.notify()
	}
}

// Press presses a button of a message as a person.
func (s *Server) Press(t testing.TB, from, handle, action string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, m := s.find(handle)
	if m == nil {
		t.Fatalf("there is no message %s", handle)
	}
	for _, r := range m.rows {
		for _, k := range r.Components {
			if actionOf(k) == action {
				s.press(from, c, m, k.ID)
				return
			}
		}
	}
	t.Fatalf("message %s has no button %s", handle, action)
}

// PressData sends a button press with arbitrary data.
func (s *Server) PressData(from, handle, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, m := s.find(handle); m != nil {
		s.press(from, c, m, data)
	}
}

// press sends an interaction (section "Interaction Object"). The caller holds the lock.
func (s *Server) press(from string, c *channel, m *message, data string) {
	id := s.snowflake()
	token := "aW50ZXJhY3Rpb246" + id + strings.Repeat("x", 150)
	s.presses[token] = &press{person: from, at: time.Now()}
	o := map[string]any{
		"id": id, "application_id": BotID, "type": 3, "token": token, "version": 1, "channel_id": c.id, "message": s.object(c, m),
		"data": map[string]any{"custom_id": data, "component_type": 2}, "locale": "ko",
	}
	if c.guild == "" {
		o["user"], o["context"], o["channel"] = user(from), 1, map[string]any{"id": c.id, "type": 1}
	} else {
		o["member"], o["guild_id"], o["context"] = map[string]any{"user": user(from)}, c.guild, 0
	}
	s.dispatch("INTERACTION_CREATE", o)
}

// actionOf returns a button's action, the first part of its data.
func actionOf(b button) string {
	action, _, _ := strings.Cut(b.ID, "|")
	return action
}

// Received returns the messages that a person has received.
func (s *Server) Received(person string) []channeltest.ReceivedMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.dms[person]
	if c == nil {
		return nil
	}
	var seen []channeltest.ReceivedMessage
	for _, m := range c.messages {
		if m.author != BotID || m.deleted || m.byHand {
			continue
		}
		seen = append(seen, received(m))
	}
	return seen
}

func received(m *message) channeltest.ReceivedMessage {
	r := channeltest.ReceivedMessage{Handle: m.id, Text: Display(m.content), Raw: m.content, Edits: m.edits, Copies: 1}
	for _, row := range m.rows {
		for _, k := range row.Components {
			r.Buttons = append(r.Buttons, actionOf(k))
		}
	}
	for _, f := range m.files {
		r.File, r.Name = f.data, f.name
	}
	return r
}

// Changed returns a channel that is closed when a person's view changes.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// TypingCount returns how often a person saw the typing indicator.
func (s *Server) TypingCount(person string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed[person]
}

// CloseConnections closes all connections, those to the gateway too.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
	for c := range s.sockets {
		go func() { _ = c.CloseNow() }()
	}
}

// SetDown makes the server reject all connections.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.CloseConnections()
	}
}

// SetStalled makes the server accept posts and edits without replying.
func (s *Server) SetStalled(stall bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case stall && s.stalled == nil:
		s.stalled = make(chan struct{})
	case !stall && s.stalled != nil:
		close(s.stalled)
		s.stalled = nil
	}
}

// Fail makes calls fail ("*" for any), after earlier failures are used up.
func (s *Server) Fail(name string, f Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[name] = append(s.failures[name], f)
}

// ClearFailures removes the failures of a call.
func (s *Server) ClearFailures(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, name)
}

// Revoke replaces the bot's token, as the Developer Portal does.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.token = strings.Replace(Token, "AAHdq", "BBHdq", 1)
	s.mu.Unlock()
	s.CloseGateway(4004)
}

// Block makes a person refuse or accept the bot's messages.
func (s *Server) Block(person string, blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed[person] = blocked
}

// CallCount returns how often a call was made. "identify", "resume" and "heartbeat" count frames of the gateway, "429"
// requests that the limits refused.
func (s *Server) CallCount(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[name]
}

// PressAnswers returns the answers to a person's button presses.
func (s *Server) PressAnswers(person string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers[person])
}

// UnansweredCount returns the number of button presses without a response.
func (s *Server) UnansweredCount() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.presses {
		if !p.answered {
			n++
		}
	}
	return n
}
