// Package discordapi is a fake Discord on loopback: the parts of the REST API and of the gateway that a bot in direct
// messages and in a channel of a server uses, the CDN of attachments, and the people who write to the bot. Comments name the sections of
// https://discord.com/developers/docs.
package discordapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Token is the bot's token.
const Token = "MTEwMjAxNTQzMTEwMjAxNTQz.GxYzAb.AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw123"

// The bot's user.
const (
	BotID   = "110201543110201543"
	BotName = "blunux-test"
)

const apiPrefix = "/api/v10/"

// Server is Discord and the people. It implements channeltest.World.
type Server struct {
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	changed  chan struct{} // closed when a person's view changes
	down     bool
	stalled  chan struct{} // closed when the stall ends; nil if there is none
	conns    map[net.Conn]struct{}
	sockets  map[*websocket.Conn]struct{}
	token    string
	failures map[string][]Failure
	calls    map[string]int
	buckets  map[string]*bucket
	errors   []string // what no client of Discord may do

	sessions map[string]*session
	beat     time.Duration // heartbeat interval
	deaf     bool          // heartbeats are not acknowledged
	intents  int           // of the last session
	refusal  int           // close code of the next IDENTIFY
	events   chan struct{} // closed when an event is queued

	lastID   uint64
	channels map[string]*channel // by ID
	dms      map[string]*channel // by the person's ID
	closed   map[string]bool     // people who accept no messages
	typed    map[string]int
	files    map[string]*file
	presses  map[string]*press // by interaction token
	answers  map[string][]string
}

// Failure is the result of a failing call.
type Failure struct {
	Code       int     // HTTP status
	Error      int     // Discord's error code
	RetryAfter float64 // seconds
	Global     bool
	Times      int // number of calls; 0 means until the failure is removed
	Hangup     bool
	Body       string // instead of an API error
}

// New starts a server that runs until the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		listener: l, token: Token, changed: make(chan struct{}), conns: map[net.Conn]struct{}{}, sockets: map[*websocket.Conn]struct{}{},
		failures: map[string][]Failure{}, calls: map[string]int{}, buckets: map[string]*bucket{}, sessions: map[string]*session{},
		beat: 41250 * time.Millisecond, events: make(chan struct{}), channels: map[string]*channel{}, dms: map[string]*channel{},
		closed: map[string]bool{}, typed: map[string]int{}, files: map[string]*file{}, presses: map[string]*press{}, answers: map[string][]string{},
	}
	s.http = &http.Server{Handler: s, ConnState: s.connState, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.http.Serve(l) // returns when it is closed
	}()
	t.Cleanup(func() {
		s.SetStalled(false)
		s.CloseConnections()
		s.http.Close()
		<-done
		for _, e := range s.errors {
			t.Error(e)
		}
	})
	return s
}

// URL returns the URL to use instead of https://discord.com.
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

// snowflake returns a new ID. IDs grow with time (section "Snowflakes"). The caller holds the lock.
func (s *Server) snowflake() string {
	s.lastID = max(s.lastID+1, uint64(time.Now().UnixMilli()-1420070400000)<<22)
	return strconv.FormatUint(s.lastID, 10)
}

// request is a call of the REST API.
type request struct {
	name   string   // of the call, as in its section
	args   []string // variable parts of the path
	query  map[string]string
	body   body
	bucket string
}

// ServeHTTP answers requests to the API, the gateway and the CDN.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/gateway/":
		s.serveGateway(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/attachments/"):
		s.serveFile(w, r)
		return
	case !strings.HasPrefix(r.URL.Path, apiPrefix):
		http.NotFound(w, r)
		return
	}
	q, ok := route(r)
	if !ok {
		replyError(w, 404, 0, "404: Not Found")
		return
	}
	if f, ok := s.nextFailure(q.name); ok {
		f.reply(w)
		return
	}
	withoutToken := q.name == "createFollowup" || q.name == "createResponse"
	if !withoutToken && r.Header.Get("Authorization") != "Bot "+s.currentToken() {
		replyError(w, 401, 0, "401: Unauthorized")
		return
	}
	if s.limited(w, q.bucket) {
		return
	}
	if err := q.body.parse(r); err != nil {
		replyError(w, 400, 50109, "The request body contains invalid JSON.")
		return
	}
	s.call(w, r, q)
}

// route finds the call of a request.
func route(r *http.Request) (request, bool) {
	q := request{query: map[string]string{}}
	for k := range r.URL.Query() {
		q.query[k] = r.URL.Query().Get(k)
	}
	path := strings.Split(strings.TrimPrefix(r.URL.Path, apiPrefix), "/")
	for _, known := range []struct{ name, method, path string }{
		{"getGatewayBot", "GET", "gateway/bot"},
		{"getCurrentUser", "GET", "users/@me"},
		{"getCurrentApplication", "GET", "applications/@me"},
		{"createDM", "POST", "users/@me/channels"},
		{"getMessages", "GET", "channels/*/messages"},
		{"createMessage", "POST", "channels/*/messages"},
		{"editMessage", "PATCH", "channels/*/messages/*"},
		{"deleteMessage", "DELETE", "channels/*/messages/*"},
		{"triggerTyping", "POST", "channels/*/typing"},
		{"createResponse", "POST", "interactions/*/*/callback"},
		{"createFollowup", "POST", "webhooks/*/*"},
	} {
		parts := strings.Split(known.path, "/")
		if known.method != r.Method || len(parts) != len(path) {
			continue
		}
		q.args = nil
		same := true
		for i, part := range parts {
			if part == "*" {
				q.args = append(q.args, path[i])
			} else if part != path[i] {
				same = false
			}
		}
		if same {
			q.name = known.name
			if strings.HasPrefix(known.path, "channels/") && r.Method != "GET" {
				q.bucket = known.name + ":" + q.args[0]
			}
			return q, true
		}
	}
	return q, false
}

func (s *Server) currentToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// call runs a call and answers.
func (s *Server) call(w http.ResponseWriter, r *http.Request, q request) {
	do := map[string]func(request) (any, error){
		"getGatewayBot": s.getGatewayBot, "getCurrentUser": s.getCurrentUser, "getCurrentApplication": s.getCurrentApplication,
		"createDM": s.createDM, "getMessages": s.getMessages, "createMessage": s.createMessage, "editMessage": s.editMessage,
		"deleteMessage": s.deleteMessage, "triggerTyping": s.triggerTyping, "createResponse": s.createResponse,
		"createFollowup": s.createFollowup,
	}[q.name]
	result, err := do(q)
	if q.name == "createMessage" || q.name == "editMessage" {
		s.waitStall(r.Context())
	}
	if e, refused := err.(apiError); refused { //nolint:errorlint // never wrapped
		replyError(w, e.status, e.code, e.text)
		return
	}
	if result == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	reply(w, http.StatusOK, result)
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
func (s *Server) nextFailure(name string) (Failure, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[name]++
	for _, of := range []string{name, "*"} {
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

// apiError is an unsuccessful answer (section "Error Messages").
type apiError struct {
	status, code int
	text         string
}

func (e apiError) Error() string { return e.text }

func badForm(format string, args ...any) error {
	return apiError{400, 50035, "Invalid Form Body: " + fmt.Sprintf(format, args...)}
}

func reply(w http.ResponseWriter, status int, result any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // ignore disconnected clients
}

func replyError(w http.ResponseWriter, status, code int, text string) {
	reply(w, status, map[string]any{"message": text, "code": code})
}

// reply answers as the failure says.
func (f Failure) reply(w http.ResponseWriter) {
	switch {
	case f.Hangup:
		panic(http.ErrAbortHandler)
	case f.Body != "":
		w.Header().Set("Content-Type", "text/html")
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter)))
		}
		w.WriteHeader(f.Code)
		_, _ = w.Write([]byte(f.Body))
	case f.Code == http.StatusTooManyRequests:
		replyLimited(w, f.RetryAfter, f.Global)
	default:
		replyError(w, f.Code, f.Error, "refused")
	}
}

// replyLimited answers that a client makes too many requests (section "Rate Limits").
func replyLimited(w http.ResponseWriter, after float64, global bool) {
	scope := "user"
	if global {
		scope = "global"
		w.Header().Set("X-RateLimit-Global", "true")
	}
	w.Header().Set("X-RateLimit-Scope", scope)
	w.Header().Set("Retry-After", strconv.Itoa(int(after)+1))
	reply(w, http.StatusTooManyRequests, map[string]any{"message": "You are being rate limited.", "retry_after": after, "global": global})
}

// The limit of requests to one route of a channel.
const (
	bucketLimit = 5
	bucketTime  = 5 * time.Second
)

// bucket counts the requests to one route of a channel (section "Rate Limits").
type bucket struct {
	used  int
	reset time.Time
}

// limited counts a request and sets the headers of its bucket. It reports whether it has answered that there are too
// many.
func (s *Server) limited(w http.ResponseWriter, name string) bool {
	if name == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[name]
	if b == nil || time.Now().After(b.reset) {
		b = &bucket{reset: time.Now().Add(bucketTime)}
		s.buckets[name] = b
	}
	after := time.Until(b.reset).Seconds()
	h := w.Header()
	h.Set("X-RateLimit-Bucket", strconv.Itoa(len(name)))
	h.Set("X-RateLimit-Limit", strconv.Itoa(bucketLimit))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", after))
	if b.used >= bucketLimit {
		s.calls["429"]++
		h.Set("X-RateLimit-Remaining", "0")
		replyLimited(w, after, false)
		return true
	}
	b.used++
	h.Set("X-RateLimit-Remaining", strconv.Itoa(bucketLimit-b.used))
	return false
}

// notify signals that a person's view has changed. The caller holds the lock.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}
