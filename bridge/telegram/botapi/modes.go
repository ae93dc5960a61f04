package botapi

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Fail has calls of a method ("*": of any) end as told, after those told before.
func (s *Server) Fail(method string, f Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method = strings.ToLower(method)
	s.failures[method] = append(s.failures[method], f)
}

// Mend has a method work again.
func (s *Server) Mend(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, strings.ToLower(method))
}

// Revoke gives the bot another token, as BotFather does: the old one is
// unauthorised, also for a poll that waits.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.token = "110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
	s.mu.Unlock()
	s.Cut()
}

// Webhook has another program take the bot's updates by a webhook; "" ends that.
func (s *Server) Webhook(url string) {
	s.mu.Lock()
	s.webhook = url
	s.mu.Unlock()
	s.Cut()
}

// Block has a person block the bot, or unblock it.
func (s *Server) Block(person string, blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who := range s.chats {
		if id(who) == person {
			s.blocked[who] = blocked
		}
	}
}

// Erase has a person delete a message of the bot's for both.
func (s *Server) Erase(handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		if id(int64(p.id)) == handle {
			p.deleted = true
		}
	}
	s.note()
}

// Update puts up an update with the fields given, whatever they are.
func (s *Server) Update(fields map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.putUp(fields)
}

// RawUpdate puts up an update as it is written, under the id it says.
func (s *Server) RawUpdate(id int64, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates = append(s.updates, update{id, json.RawMessage(body)})
	s.nextID = max(s.nextID, id+1)
	close(s.came)
	s.came = make(chan struct{})
}

// AnswerPoll has the next getUpdates end with a body, whatever it is.
func (s *Server) AnswerPoll(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, body)
}

// Message is a person's message as an update has it, for tests that change it.
func Message(id int, from int64, text string) map[string]any {
	return map[string]any{"message_id": id, "from": user(from), "chat": privateChat(from), "date": time.Now().Unix(), "text": text}
}

// Calls is how often a method was called, Offsets what getUpdates was called with.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[strings.ToLower(method)]
}

// Offsets are the offsets getUpdates was called with, in order.
func (s *Server) Offsets() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offsets)
}

// Unconfirmed is how many updates are still put up.
func (s *Server) Unconfirmed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// Answered is what a person's presses were answered with.
func (s *Server) Answered(person string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who, texts := range s.answers {
		if id(who) == person {
			return slices.Clone(texts)
		}
	}
	return nil
}

// AnswerFile has the next getFile say that a file is at a path.
func (s *Server) AnswerFile(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files["f"] = &file{id: "f", path: path, data: []byte("x")}
}
