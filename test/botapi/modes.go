package botapi

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Fail makes calls of a method ("*" for any) fail, after earlier failures are used up.
func (s *Server) Fail(method string, f Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method = strings.ToLower(method)
	s.failures[method] = append(s.failures[method], f)
}

// ClearFailures removes a method's failures.
func (s *Server) ClearFailures(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, strings.ToLower(method))
}

// Revoke replaces the bot's token, as BotFather does. The old token is rejected, even for a waiting
// poll.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.token = "110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
	s.mu.Unlock()
	s.CloseConnections()
}

// Webhook simulates another program's webhook; "" removes it.
func (s *Server) Webhook(url string) {
	s.mu.Lock()
	s.webhook = url
	s.mu.Unlock()
	s.CloseConnections()
}

// Block makes a person block or unblock the bot.
func (s *Server) Block(person string, blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who := range s.chats {
		if id(who) == person {
			s.blocked[who] = blocked
		}
	}
}

// Erase makes a person delete a message from the bot on both sides.
func (s *Server) Erase(handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		if id(int64(p.id)) == handle {
			p.deleted = true
		}
	}
	s.notify()
}

// Update queues an update with arbitrary fields.
func (s *Server) Update(fields map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queueUpdate(fields)
}

// RawUpdate queues the text body as the update id.
func (s *Server) RawUpdate(id int64, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates = append(s.updates, update{id, json.RawMessage(body)})
	s.nextID = max(s.nextID, id+1)
	close(s.queued)
	s.queued = make(chan struct{})
}

// AnswerPoll makes the next getUpdates return body.
func (s *Server) AnswerPoll(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rawAnswers = append(s.rawAnswers, body)
}

// Message returns a person's message as in an update, for tests to modify.
func Message(id int, from int64, text string) map[string]any {
	return map[string]any{"message_id": id, "from": user(from), "chat": privateChat(from), "date": time.Now().Unix(), "text": text}
}

// CallCount returns how often a method was called.
func (s *Server) CallCount(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[strings.ToLower(method)]
}

// Offsets returns the offsets of the getUpdates calls, in order.
func (s *Server) Offsets() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offsets)
}

// UnconfirmedCount returns the number of queued updates.
func (s *Server) UnconfirmedCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// PressAnswers returns the answers to a person's button presses.
func (s *Server) PressAnswers(person string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who, texts := range s.answers {
		if id(who) == person {
			return slices.Clone(texts)
		}
	}
	return nil
}

// AnswerFile makes the next getFile return path.
func (s *Server) AnswerFile(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files["f"] = &file{id: "f", path: path, data: []byte("x")}
}
