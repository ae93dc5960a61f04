package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// wire is one wire format: how requests are parsed and replies written.
type wire interface {
	serves(path string) bool
	decode(path string, body []byte) (Request, error)
	events(r Reply) []string // events of a streamed answer, without its end
	ending(r Reply) []string // the events that complete it
	piece(s string) string   // one more piece of text
	document(r Reply) any    // a whole answer
	failure(status int, message string) any
}

// Handler is a fake model server. It is safe for concurrent use.
type Handler struct {
	wire   wire
	script Script

	mu          sync.Mutex
	seen        []Request
	disconnects chan struct{}
}

// NewAnthropic returns a server of Anthropic's Messages API.
func NewAnthropic(script Script) *Handler { return newHandler(messagesWire{}, script) }

// NewChatCompletions returns a server of the chat/completions dialect.
func NewChatCompletions(script Script) *Handler { return newHandler(chatWire{}, script) }

// NewGemini returns a server of Google's generateContent API.
func NewGemini(script Script) *Handler { return newHandler(geminiWire{}, script) }

func newHandler(w wire, script Script) *Handler {
	return &Handler{wire: w, script: script, disconnects: make(chan struct{}, 64)}
}

// Requests returns the requests so far, in order.
func (h *Handler) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Request(nil), h.seen...)
}

// Disconnects receives one value for each client that disconnected from a [Reply.Endless] or [Reply.Hold] answer. It
// buffers at most 64.
func (h *Handler) Disconnects() <-chan struct{} { return h.disconnects }

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.wire.serves(r.URL.Path) || r.Method != http.MethodPost {
		h.fail(w, Reply{Status: http.StatusNotFound, Message: fmt.Sprintf("no such address: %s %s", r.Method, r.URL.Path)})
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected
	}
	seen, err := h.wire.decode(r.URL.Path, body)
	if err != nil {
		h.fail(w, Reply{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	seen.Body, seen.Header = string(body), map[string]string{}
	for name := range r.Header {
		seen.Header[name] = r.Header.Get(name)
	}
	h.mu.Lock()
	n := len(h.seen)
	h.seen = append(h.seen, seen)
	h.mu.Unlock()
	h.answer(w, r, h.script(n, seen), seen.Stream)
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request, reply Reply, stream bool) {
	switch {
	case reply.Status >= 400:
		h.fail(w, reply)
	case reply.Plain || !stream:
		h.write(w, http.StatusOK, h.wire.document(reply))
	default:
		h.stream(w, r, reply)
	}
}

func (h *Handler) fail(w http.ResponseWriter, reply Reply) {
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	h.write(w, reply.Status, h.wire.failure(reply.Status, reply.Message))
}

func (h *Handler) write(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // an error means that the client disconnected
}

func (h *Handler) stream(w http.ResponseWriter, r *http.Request, reply Reply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := &flusher{w: w, chop: reply.Chop, pause: reply.Slow, done: r.Context().Done()}
	for _, event := range h.wire.events(reply) {
		out.write(event)
	}
	switch {
	case reply.Endless:
		for event := h.wire.piece(reply.Text[len(reply.Text)-1]); r.Context().Err() == nil && out.err == nil; {
			out.write(event)
		}
		h.disconnects <- struct{}{}
		return
	case reply.Hold:
		<-r.Context().Done()
		h.disconnects <- struct{}{}
		return
	case reply.Cut:
		panic(http.ErrAbortHandler) // aborts the connection
	case reply.Short:
		return
	case reply.Broken:
		out.write("event: content_block_delta\ndata: {\"oops\"]\n\n")
	}
	for _, event := range h.wire.ending(reply) {
		out.write(event)
	}
}

// flusher writes to the network immediately, in pieces of chop bytes.
type flusher struct {
	w     http.ResponseWriter
	chop  int
	pause time.Duration
	done  <-chan struct{}
	err   error
}

func (f *flusher) write(s string) {
	for s != "" && f.err == nil {
		n := len(s)
		if f.chop > 0 {
			n = min(n, f.chop)
		}
		_, f.err = io.WriteString(f.w, s[:n])
		if err := http.NewResponseController(f.w).Flush(); f.err == nil {
			f.err = err
		}
		s = s[n:]
		if f.pause > 0 {
			select {
			case <-time.After(f.pause):
			case <-f.done:
				f.err = io.ErrClosedPipe
			}
		}
	}
}

// Server is a [Handler] listening on loopback.
type Server struct {
	*Handler
	URL string // http://127.0.0.1:PORT, without a path

	connections func() int
	closeServer func()
}

// Connections returns the number of connections opened so far.
func (s *Server) Connections() int { return s.connections() }

// Close stops listening and waits for running requests.
func (s *Server) Close() { s.closeServer() }

// Anthropic starts a server of Anthropic's Messages API that stops at the end of the test.
func Anthropic(t testing.TB, script Script) *Server {
	t.Helper()
	return start(t, NewAnthropic(script))
}

// ChatCompletions starts a server of the chat/completions dialect that stops at the end of the test.
func ChatCompletions(t testing.TB, script Script) *Server {
	t.Helper()
	return start(t, NewChatCompletions(script))
}

// Gemini starts a server of Google's generateContent API that stops at the end of the test.
func Gemini(t testing.TB, script Script) *Server {
	t.Helper()
	return start(t, NewGemini(script))
}

func start(t testing.TB, h *Handler) *Server {
	t.Helper()
	var mu sync.Mutex
	opened := 0
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			mu.Lock()
			opened++
			mu.Unlock()
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return &Server{Handler: h, URL: server.URL, closeServer: server.Close, connections: func() int {
		mu.Lock()
		defer mu.Unlock()
		return opened
	}}
}
