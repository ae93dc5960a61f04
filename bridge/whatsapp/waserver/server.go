// Package waserver is a fake WhatsApp on loopback: the server, the phones of a few people, and the
// phone of the account that the bridge is linked to. It implements the real handshake, pairing and
// Signal encryption for the real client. Only tests link it.
package waserver

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// The account that the bridge is linked to, and the people who write to it.
const (
	AccountNumber  = "821099998888"
	OwnerNumber    = "821012345678"
	PartnerNumber  = "821055556666"
	StrangerNumber = "8210123456789" // the owner's number plus a digit
	NamelessLID    = "700700700700"  // the hidden ID of a person whose number the server does not reveal
)

// Environment variables of a bridge built for tests: the server's address and its root certificate
// key.
const (
	EnvServer = "BLUNUX_WA_TEST_SERVER"
	EnvRoot   = "BLUNUX_WA_TEST_ROOT"
)

// Server is a fake WhatsApp. It implements channeltest.World.
type Server struct {
	http *httptest.Server
	seal serverKey

	mu           sync.Mutex
	changed      chan struct{}
	account      *person
	people       []*person
	companion    *companion // the bridge's device; nil before it is linked
	devices      uint16     // number of devices ever linked
	removed      bool       // unlinked on the phone
	conns        map[*conn]bool
	current      *conn
	queue        []*message          // messages that the bridge has not confirmed
	messages     map[string]*message // all messages to the bridge by ID
	messageCount int
	media        map[string][]byte
	wrongLengths map[string]int64 // media for which the server reports a wrong length
	failures     failures
	receipts     map[string]string // last receipt by message
	scannedCodes chan string       // codes that the phone scans
	linking      *codePairing
	logins       int
}

// failures has the simulated failures.
type failures struct {
	down, stall, mute bool
	status            int             // HTTP status for new connections
	handshakes        int             // number of handshakes to abort; negative for all
	failure           waBinary.Attrs  // answer to logins
	messageError      func() (at int) // returns the error code that answers a message; 0 for none
}

// New starts a server that runs until the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		changed: make(chan struct{}), conns: map[*conn]bool{}, messages: map[string]*message{}, media: map[string][]byte{},
		wrongLengths: map[string]int64{}, receipts: map[string]string{}, scannedCodes: make(chan string, 1),
	}
	s.account = newPerson(AccountNumber, "100100100100", "me", false)
	nameless := newPerson("", NamelessLID, "nobody", true)
	nameless.nameless = true
	s.people = []*person{
		newPerson(OwnerNumber, "200200200200", "Kim", false),
		newPerson(PartnerNumber, "300300300300", "Lee", true),
		newPerson(StrangerNumber, "400400400400", "Park", true),
		nameless,
	}
	made, err := newServerKey()
	if err != nil {
		t.Fatal(err)
	}
	s.seal = made
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.stop)
	return s
}

func (s *Server) stop() {
	s.CloseConnections()
	s.http.Close()
}

// Addr returns the server's address.
func (s *Server) Addr() string { return s.http.Listener.Addr().String() }

// Env returns the environment with which a bridge built for tests reaches this server.
func (s *Server) Env() []string {
	return []string{EnvServer + "=" + s.Addr(), EnvRoot + "=" + hex.EncodeToString(root().Pub[:])}
}

// LoginCount returns how often a linked device has logged in.
func (s *Server) LoginCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	wrong := s.failures
	s.mu.Unlock()
	switch {
	case wrong.down:
		hangUp(w)
	case r.URL.Path == "/ws/chat" && wrong.status != 0:
		http.Error(w, "not now", wrong.status)
	case r.URL.Path == "/ws/chat":
		s.serveConn(w, r)
	default:
		s.serveMedia(w, r)
	}
}

// hangUp closes a connection without an answer.
func hangUp(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			_ = c.Close()
		}
	}
}

// serveConn serves one connection until it ends.
func (s *Server) serveConn(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	ws.SetReadLimit(1 << 24)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &conn{ctx: ctx, ws: ws}
	s.mu.Lock()
	s.conns[c] = true
	broken := s.failures.handshakes != 0
	if s.failures.handshakes > 0 {
		s.failures.handshakes--
	}
	s.mu.Unlock()
	defer s.removeConn(c)
	_ = s.serveClient(c, broken)
}

// removeConn removes a connection.
func (s *Server) removeConn(c *conn) {
	c.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.current == c {
		s.current = nil
	}
}

// serveClient performs the handshake, and then serves a login or a pairing.
func (s *Server) serveClient(c *conn, broken bool) error {
	header, err := c.header()
	if err != nil || broken {
		return err
	}
	static, payload, err := s.seal.handshake(c, header)
	if err != nil {
		return err
	}
	if d := payload.GetDevicePairingData(); d != nil {
		return s.servePairing(c, static, d)
	}
	return s.login(c, static, payload.GetUsername(), uint16(payload.GetDevice()))
}

// login serves a linked device's connection.
func (s *Server) login(c *conn, static []byte, user uint64, device uint16) error {
	if refusal := s.setCurrent(c, static, user, device); refusal != nil {
		c.send(waBinary.Node{Tag: "failure", Attrs: refusal})
		return nil
	}
	c.send(waBinary.Node{Tag: "success", Attrs: waBinary.Attrs{"lid": s.ownLID(), "t": time.Now().Unix()}})
	for {
		n, err := c.receive()
		if err != nil {
			return err
		}
		s.handleNode(c, n)
	}
}

// setCurrent makes a connection the current one. A previous one gets a stream error.
func (s *Server) setCurrent(c *conn, static []byte, user uint64, device uint16) waBinary.Attrs {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.companion
	if s.failures.failure != nil {
		return s.failures.failure
	}
	if d == nil || s.removed || d.device != device || string(d.noise) != string(static) || fmt.Sprint(user) != s.account.number {
		return waBinary.Attrs{"reason": 401, "location": "frc"}
	}
	s.logins++
	if old := s.current; old != nil {
		old.send(waBinary.Node{Tag: "stream:error", Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "replaced"}}}})
		old.close()
	}
	s.current = c
	return nil
}

func (s *Server) ownJID() types.JID {
	j := s.account.jid()
	j.Device = s.companion.device
	return j
}

func (s *Server) ownLID() types.JID {
	j := s.account.hidden()
	j.Device = s.companion.device
	return j
}

// notify signals that a person's view has changed.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// find returns the person of a JID, or nil.
func (s *Server) find(j types.JID) *person {
	if s.account.hasJID(j) {
		return s.account
	}
	for _, p := range s.people {
		if p.hasJID(j) {
			return p
		}
	}
	return nil
}

// byNumber returns the person with a number, or with a hidden ID if nameless. An unknown number
// becomes a new person.
func (s *Server) byNumber(number string) *person {
	for _, p := range s.people {
		if p.number == number || p.nameless && p.lid == number {
			return p
		}
	}
	p := newPerson(number, fmt.Sprint(500_500_500_500+len(s.people)), "somebody", true)
	s.people = append(s.people, p)
	return p
}
