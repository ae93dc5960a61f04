package botapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/test/channeltest"
)

// User IDs of the people, and a group that they share with the bot.
const (
	owner    int64 = 551_001
	partner  int64 = 551_002
	stranger int64 = 551_003
	group    int64 = -1_001_234_567_890
)

var _ channeltest.World = (*Server)(nil)

// Channel returns "telegram".
func (*Server) Channel() string { return "telegram" }

// Owner and Partner return people whom the configuration admits, and who have written to the bot
// before. Stranger has not.
func (*Server) Owner() string    { return id(owner) }
func (*Server) Partner() string  { return id(partner) }
func (*Server) Stranger() string { return id(stranger) }

func id(n int64) string { return strconv.FormatInt(n, 10) }

func nameOf(user int64) string {
	switch user {
	case owner:
		return "민수"
	case partner:
		return "지영"
	}
	return "Someone"
}

// builds caches the built bridges by build tags.
var builds sync.Map

// Command builds the bridge once and returns its command line.
func (s *Server) Command(t testing.TB) (argv, env []string) {
	t.Helper()
	once, _ := builds.LoadOrStore(s.Tags, sync.OnceValues(func() (string, error) { return build(s.Tags) }))
	program, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program}, []string{"BLUNUX_AI_TELEGRAM_SERVER=" + s.URL()}
}

// build builds the bridge into a directory that depends on the source tree and the tags. It
// replaces the file atomically, because another test run may be starting it.
func build(tags string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	sum := sha256.Sum256([]byte(here + "\x00" + tags))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("blunux-telegram-bridge-%d-%x", os.Getuid(), sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	fresh, program := filepath.Join(dir, strconv.Itoa(os.Getpid())), filepath.Join(dir, "blunux-telegram-bridge")
	cmd := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-tags", tags, "-ldflags", "-s -w -X main.version=test", "-o", fresh, "github.com/nidoit/blunux-ai/cmd/blunux-telegram-bridge")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, program); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w", err)
	}
	return program, nil
}

// LogIn saves the bot's token as a login does.
func (s *Server) LogIn(t testing.TB, home string) {
	t.Helper()
	dir := filepath.Join(home, "telegram")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(s.currentToken()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Say sends a person's message to the bot.
func (s *Server) Say(from string, said channeltest.PersonMessage) string {
	who, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		panic(err) // IDs are numbers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastMessage++
	n := s.lastMessage
	m := map[string]any{"message_id": n, "from": user(who), "chat": privateChat(who), "date": time.Now().Unix()}
	switch {
	case said.Own:
		m["from"] = botUser()
	case said.Group:
		m["chat"] = map[string]any{"id": group, "type": "supergroup", "title": "가족"}
	default:
		s.chats[who] = true
	}
	if !said.Sent.IsZero() {
		m["date"] = said.Sent.Unix()
	}
	if said.Forwarded {
		m["forward_origin"] = map[string]any{"type": "hidden_user", "sender_user_name": "Someone else", "date": time.Now().Add(-time.Hour).Unix()}
	}
	if said.File != nil {
		s.attachFile(m, said)
	} else {
		m["text"] = said.Text
	}
	s.messages[n], _ = json.Marshal(m)
	s.queueUpdate(map[string]any{"message": m})
	return strconv.Itoa(n)
}

func user(who int64) map[string]any {
	return map[string]any{"id": who, "is_bot": false, "first_name": nameOf(who), "username": fmt.Sprintf("user%d", who), "language_code": "ko"}
}

func privateChat(who int64) map[string]any {
	return map[string]any{"id": who, "type": "private", "first_name": nameOf(who), "username": fmt.Sprintf("user%d", who)}
}

// attachFile adds a file to a message: as a photo in two sizes if it is an image without a name, as a
// voice message, or as a document.
func (s *Server) attachFile(m map[string]any, said channeltest.PersonMessage) {
	f := &file{name: said.File.Name, kind: said.File.Type, data: said.File.Data, claims: said.File.Claims}
	if f.claims == 0 {
		f.claims = int64(len(f.data))
	}
	s.addFile(f, "documents")
	if said.Text != "" {
		m["caption"] = said.Text
	}
	whole := map[string]any{"file_id": f.id, "file_unique_id": "u" + f.id, "file_size": f.claims}
	switch {
	case f.kind == "image/jpeg" && f.name == "":
		small := &file{data: f.data[:min(len(f.data), 16)], claims: int64(min(len(f.data), 16))}
		s.addFile(small, "photos")
		whole["width"], whole["height"] = 1280, 960
		m["photo"] = []any{map[string]any{"file_id": small.id, "file_unique_id": "u" + small.id, "file_size": small.claims, "width": 90, "height": 67}, whole}
	case strings.HasPrefix(f.kind, "audio/ogg"):
		whole["duration"], whole["mime_type"] = 3, f.kind
		m["voice"] = whole
	default:
		m["document"] = f.document()
	}
}

// Redeliver queues a message again in a new update.
func (s *Server) Redeliver(id string) {
	n, _ := strconv.Atoi(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.messages[n]; ok {
		s.queueUpdate(map[string]any{"message": m})
	}
}

// Press presses a button of a message as a person.
func (s *Server) Press(t testing.TB, from, handle, action string) {
	t.Helper()
	n, _ := strconv.Atoi(handle)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.post(n)
	if p == nil {
		t.Fatalf("there is no message %s", handle)
	}
	for _, b := range slices.Concat(p.keyboard...) {
		if actionOf(b) == action {
			s.queuePress(from, p, b.Data)
			return
		}
	}
	t.Fatalf("message %s has no button %s", handle, action)
}

// PressData sends a button press with arbitrary data.
func (s *Server) PressData(from, handle, data string) {
	n, _ := strconv.Atoi(handle)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.post(n); p != nil {
		s.queuePress(from, p, data)
	}
}

// queuePress queues a CallbackQuery. The caller holds the lock.
func (s *Server) queuePress(from string, p *post, data string) {
	who, _ := strconv.ParseInt(from, 10, 64)
	pressID := fmt.Sprintf("43826%013d", s.nextID)
	s.presses[pressID] = who
	s.queueUpdate(map[string]any{"callback_query": map[string]any{
		"id": pressID, "from": user(who), "chat_instance": "-3141592653589", "data": data, "message": p.message(),
	}})
}

// actionOf returns a button's action, the first part of its data.
func actionOf(b button) string {
	action, _, _ := strings.Cut(b.Data, "|")
	return action
}

// Received returns the messages that a person has received.
func (s *Server) Received(person string) []channeltest.ReceivedMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var seen []channeltest.ReceivedMessage
	for _, p := range s.posts {
		if id(p.chat) != person || p.deleted {
			continue
		}
		m := channeltest.ReceivedMessage{Handle: strconv.Itoa(p.id), Text: p.text, Raw: p.raw, Edits: p.edits, Copies: 1}
		for _, b := range slices.Concat(p.keyboard...) {
			m.Buttons = append(m.Buttons, actionOf(b))
		}
		if p.file != nil {
			m.File, m.Name = p.file.data, p.file.name
		}
		seen = append(seen, m)
	}
	return seen
}

// Changed returns a channel that is closed when a person's view changes.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// TypingCount returns how often a person saw the typing indicator.
func (s *Server) TypingCount(person string) int {
	n, _ := strconv.ParseInt(person, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed[n]
}

// CloseConnections closes all connections.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
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
