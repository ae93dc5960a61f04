package waserver

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver of the session's store

	"github.com/nidoit/blunux-ai/test/channeltest"
)

var _ channeltest.World = (*Server)(nil)

// Channel returns the messenger's name.
func (s *Server) Channel() string { return "whatsapp" }

// Owner returns a person whom the configuration admits.
func (s *Server) Owner() string { return OwnerNumber }

// Partner returns another person whom the configuration admits.
func (s *Server) Partner() string { return PartnerNumber }

// Stranger returns an unknown person. The number starts like the owner's.
func (s *Server) Stranger() string { return StrangerNumber }

// built returns the path of the bridge built for tests. The tests of all packages share it.
var built = sync.OnceValues(func() (string, error) {
	root, err := channeltest.Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin/test/blunux-wa-bridge")
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "watest", "-o", path, "./cmd/blunux-wa-bridge")
	cmd.Dir = filepath.Join(root, "bridge/whatsapp")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the bridge: %w\n%s", err, out)
	}
	return path, nil
})

// Command builds the bridge once and returns its command line.
func (s *Server) Command(t testing.TB) (argv, env []string) {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path}, s.Env()
}

// template is a session as a login creates it, and the server's data about it.
type template struct {
	store     []byte
	account   *person
	companion companion
}

// templates creates the initial session of tests, once per process, by linking the real client to a
// temporary server.
var (
	templateOnce sync.Once
	templateMade *template
)

// LogIn creates a session below home, as a login does, and registers it as the account's device.
func (s *Server) LogIn(t testing.TB, home string) {
	t.Helper()
	templateOnce.Do(func() { templateMade = makeTemplate(t) })
	if templateMade == nil {
		t.Fatal("there is no session to begin with")
	}
	place := filepath.Join(home, "whatsapp", "session")
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "store.db"), templateMade.store, 0o600); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := templateMade.companion
	c.oneTime = slices.Clone(c.oneTime)
	s.companion, s.removed, s.devices = &c, false, max(s.devices, c.device)
	s.account.device.IdentityKey = templateMade.account.device.IdentityKey
	s.account.device.SignedPreKey = templateMade.account.device.SignedPreKey
	s.resetSessions()
}

// Redirect makes a client of this process connect to the server.
func (s *Server) Redirect(cli *whatsmeow.Client) error {
	addr := s.Addr()
	hc := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		},
	}}
	cli.SetPreLoginHTTPClient(hc)
	cli.SetWebsocketHTTPClient(hc)
	cli.SetMediaHTTPClient(hc)
	return nil
}

// makeTemplate links the real client to a temporary server.
func makeTemplate(t testing.TB) *template {
	t.Helper()
	s := New(t)
	dir, err := os.MkdirTemp("", "blunux-wa-template-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "store.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)&_pragma=synchronous(0)&_pragma=journal_mode(WAL)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	container := sqlstore.NewWithDB(db, "sqlite3", waLog.Noop)
	if err := container.Upgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.linkClient(t, container)
	if err := container.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &template{store: data, account: s.account, companion: *s.companion}
}

// linkClient pairs a client by QR code and waits until it has uploaded its keys.
func (s *Server) linkClient(t testing.TB, container *sqlstore.Container) {
	t.Helper()
	device, err := container.GetFirstDevice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cli := whatsmeow.NewClient(device, waLog.Noop)
	if err := s.Redirect(cli); err != nil {
		t.Fatal(err)
	}
	connected := make(chan struct{}, 4)
	cli.AddEventHandler(func(e any) {
		switch e := e.(type) {
		case *events.QR:
			s.Scan(e.Codes[0])
		case *events.Connected:
			connected <- struct{}{}
		}
	})
	if err := cli.Connect(); err != nil {
		t.Fatal(err)
	}
	defer cli.Disconnect()
	select {
	case <-connected:
	case <-time.After(30 * time.Second):
		t.Fatal("the client was not linked in time")
	}
}

// Say sends a message from a person.
func (s *Server) Say(from string, said channeltest.PersonMessage) string {
	m := &waE2E.Message{Conversation: proto.String(said.Text)}
	if said.Forwarded {
		m = &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
			Text: proto.String(said.Text), ContextInfo: &waE2E.ContextInfo{IsForwarded: proto.Bool(true), ForwardingScore: proto.Uint32(1)},
		}}
	}
	if said.File != nil {
		m = s.attach(said.Text, said.File)
	}
	return s.Write(from, m, said)
}

// Redeliver redelivers a message.
func (s *Server) Redeliver(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.messages[id]; l != nil {
		s.deliver(l)
	}
}

// Press fails the test, because WhatsApp has no buttons for linked devices.
func (s *Server) Press(t testing.TB, _, _, _ string) {
	t.Helper()
	t.Fatal("WhatsApp has no buttons")
}

// Received returns the messages that a person has received.
func (s *Server) Received(who string) []channeltest.ReceivedMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.byNumber(who)
	all := make([]channeltest.ReceivedMessage, 0, len(p.order))
	for _, id := range p.order {
		one := p.shown[id].ReceivedMessage
		one.File = bytes.Clone(one.File)
		all = append(all, one)
	}
	return all
}

// Changed returns a channel that is closed when a person's view changes.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// TypingCount returns how often a person saw the typing indicator.
func (s *Server) TypingCount(who string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byNumber(who).typed
}
