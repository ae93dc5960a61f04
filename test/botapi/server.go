// Package botapi is a fake of Telegram's Bot API on loopback, including the people who write to the
// bot. It implements the parts of https://core.telegram.org/bots/api that a bot in private chats
// uses. Comments name the sections there.
package botapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is the bot's token.
const Token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

// The bot's user.
const (
	BotID   = 110201543
	BotName = "blunux_test_bot"
)

// Server is the Bot API and the people. It implements channeltest.World.
type Server struct {
	listener net.Listener
	http     *http.Server
	// Tags are the build tags with which Command builds the bridge.
	Tags string

	mu         sync.Mutex
	changed    chan struct{} // closed when a person's view changes
	queued     chan struct{} // closed when an update is queued or a delay ends
	down       bool
	stalled    chan struct{} // closed when the stall ends; nil if there is none
	conns      map[net.Conn]struct{}
	token      string
	webhook    string
	polling    context.CancelCauseFunc // cancels the waiting getUpdates
	failures   map[string][]Failure
	rawAnswers []string // invalid answers to getUpdates

	updates []update
	nextID  int64 // of updates
	offsets []int64
	calls   map[string]int

	lastMessage int
	posts       []*post
	messages    map[int]json.RawMessage // people's messages by ID
	files       map[string]*file
	chats       map[int64]bool // people who have started a chat with the bot
	blocked     map[int64]bool
	typed       map[int64]int
	presses     map[string]int64 // who pressed, by the ID of the press
	answers     map[int64][]string
}

// update is an update that is queued until it is confirmed (section "Getting updates").
type update struct {
	id   int64
	body json.RawMessage
}

// Failure is the result of a failing call.
type Failure struct {
	Code        int
	Description string
	RetryAfter  int // seconds
	Times       int // number of calls; 0 means until the failure is removed
	Hangup      bool
}

// New starts a server that runs until the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		listener: l, token: Token, changed: make(chan struct{}), queued: make(chan struct{}), conns: map[net.Conn]struct{}{}, failures: map[string][]Failure{},
		nextID: 880_000_001, calls: map[string]int{}, lastMessage: 100, messages: map[int]json.RawMessage{}, files: map[string]*file{},
		chats: map[int64]bool{owner: true, partner: true}, blocked: map[int64]bool{}, typed: map[int64]int{}, presses: map[string]int64{}, answers: map[int64][]string{},
	}
	s.http = &http.Server{Handler: s, ConnState: s.connState, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.http.Serve(l) // returns when it is closed
	}()
	t.Cleanup(func() {
		s.SetStalled(false)
		s.http.Close()
		<-done
	})
	return s
}

// URL returns the URL to use instead of https://api.telegram.org.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// connState tracks connections, and closes new ones while the server is down.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c] = struct{}{}
		if s.down {
			c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, c)
	}
}

// ServeHTTP answers /botTOKEN/METHOD and /file/botTOKEN/PATH (section "Making requests").
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		s.download(w, r, path)
		return
	}
	token, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	if !ok || !strings.Contains(token, ":") {
		reply(w, refusal{404, "Not Found", 0})
		return
	}
	args, err := parseArguments(r)
	if err != nil {
		reply(w, refusal{400, "Bad Request: " + err.Error(), 0})
		return
	}
	if token != s.currentToken() {
		reply(w, refusal{401, "Unauthorized", 0})
		return
	}
	s.call(w, r, strings.ToLower(method), args)
}

func (s *Server) currentToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// call runs a method, or fails as the test requested.
func (s *Server) call(w http.ResponseWriter, r *http.Request, method string, args values) {
	if f, ok := s.nextFailure(method); ok {
		if f.Hangup {
			panic(http.ErrAbortHandler)
		}
		reply(w, refusal{f.Code, f.Description, f.RetryAfter})
		return
	}
	if method == "getupdates" {
		s.getUpdates(w, r, args)
		return
	}
	do, ok := map[string]func(values) (any, error){
		"getme": s.getMe, "sendmessage": s.sendMessage, "editmessagetext": s.editMessageText, "editmessagereplymarkup": s.editMessageReplyMarkup,
		"deletemessage":  s.deleteMessage,
		"sendchataction": s.sendChatAction, "answercallbackquery": s.answerCallbackQuery,
		"senddocument": s.sendDocument, "getfile": s.getFile, "deletewebhook": s.deleteWebhook, "getwebhookinfo": s.getWebhookInfo,
	}[method]
	if !ok {
		reply(w, refusal{404, "Not Found", 0})
		return
	}
	result, err := do(args)
	if strings.HasPrefix(method, "send") && method != "sendchataction" || strings.HasPrefix(method, "edit") {
		s.waitStall(r.Context())
	}
	if err != nil {
		reply(w, err)
		return
	}
	reply(w, result)
}

// waitStall delays an answer while the server is stalled.
func (s *Server) waitStall(ctx context.Context) {
	s.mu.Lock()
	over := s.stalled
	s.mu.Unlock()
	if over == nil {
		return
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// nextFailure returns the failure of this call, if any.
func (s *Server) nextFailure(method string) (Failure, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
	for _, of := range []string{method, "*"} {
		list := s.failures[of]
		if len(list) == 0 {
			continue
		}
		f := list[0]
		switch f.Times {
		case 0:
		case 1:
			s.failures[of] = list[1:]
		default:
			list[0].Times--
		}
		return f, true
	}
	return Failure{}, false
}

// refusal is an unsuccessful answer (section "Making requests").
type refusal struct {
	code       int
	text       string
	retryAfter int
}

func (r refusal) Error() string { return r.text }

func badRequest(format string, args ...any) error {
	return refusal{400, "Bad Request: " + fmt.Sprintf(format, args...), 0}
}

// reply writes a result or a refusal.
func reply(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	r, refused := result.(refusal)
	if !refused {
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result}) // ignore disconnected clients
		return
	}
	body := map[string]any{"ok": false, "error_code": r.code, "description": r.text}
	if r.retryAfter > 0 {
		body["parameters"] = map[string]any{"retry_after": r.retryAfter}
	}
	w.WriteHeader(r.code)
	_ = json.NewEncoder(w).Encode(body)
}

// notify signals that a person's view has changed. The caller holds the lock.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}
