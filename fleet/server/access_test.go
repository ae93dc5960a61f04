package server_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts a server with its console.
func start(t *testing.T) (*server.Server, *console.Console) {
	return startWith(t, server.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: zerolog.Nop(), Now: time.Now})
}

func startWith(t *testing.T, o server.Options) (*server.Server, *console.Console) {
	s, err := server.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	c, err := console.Open(o.Dir, s.Address(), "office")
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return s, c
}

// join pairs a machine and returns the directory of its bridge.
func join(t *testing.T, s *server.Server, c *console.Console, name string) (dir string, m fleet.Machine) {
	dir, m = t.TempDir(), fleet.Machine{Site: "lab", Name: name}
	p, err := bridge.Pair(t.Context(), dir, s.Address(), name)
	require.NoError(t, err)
	defer p.Close()
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: m})
	require.NoError(t, err)
	_, err = p.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Join(time.Now()))
	return dir, m
}

// connect connects with a key as a machine does, and collects what the server refuses.
func connect(t *testing.T, s interface{ Address() string }, id *fleet.Identity) (*nats.Conn, <-chan error) {
	refused := make(chan error, 64)
	conn, err := nats.Connect(
		"tls://"+s.Address(),
		id.Option(),
		nats.Secure(fleet.Pin(nil, nil)),
		nats.CustomInboxPrefix(fleet.Inbox(id.Public)),
		nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }),
	)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn, refused
}

// TestThreat44AMachineReachesOnlyItsOwnSubjects is threat 44: a rogue or stolen machine.
func TestThreat44AMachineReachesOnlyItsOwnSubjects(t *testing.T) {
	s, c := start(t)
	dir, own := join(t, s, c, "pc-1")
	_, other := join(t, s, c, "pc-2")
	id, err := fleet.OpenIdentity(filepath.Join(dir, "machine.nk"))
	require.NoError(t, err)
	conn, refused := connect(t, s, id)
	for _, subject := range []string{
		other.Subject(fleet.Ask), other.Subject(fleet.Answered), own.Subject(fleet.Ask), "f.*.*.ask", "f.>", ">", "fleet.console.machines", "fleet.pair.*",
		fleet.RecordSubject("asked", "x"), "$JS.API.STREAM.MSG.GET.CONSOLE", "$JS.API.CONSUMER.CREATE.CONSOLE", "$JS.API.STREAM.MSG.GET.REPLIES", "$JS.API.STREAM.DELETE.REQUESTS", "$JS.API.CONSUMER.MSG.NEXT.REQUESTS." + other.Consumer(), "_I.>",
	} {
		if _, err := conn.SubscribeSync(subject); err == nil {
			require.NoError(t, conn.Flush())
			require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, "subscribe %s", subject)
		}
		if subject == "f.>" || subject == ">" || subject == "_I.>" || subject == "f.*.*.ask" ||
			subject == "fleet.pair.*" {
			continue // nothing is published to wildcards
		}
		require.NoError(t, conn.Publish(subject, []byte("{}")))
		require.NoError(t, conn.Flush())
		require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, "publish %s", subject)
	}
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), own.Subject(fleet.Answered), []byte("{}"))
	require.NoError(t, err, "its own answers")
	_, err = js.Consumer(t.Context(), fleet.Requests, own.Consumer())
	require.NoError(t, err, "its own queue")
}

// TestAStrangerCanOnlyAskToBePaired: a key that is in no list, or none.
func TestAStrangerCanOnlyAskToBePaired(t *testing.T) {
	s, c := start(t)
	_, m := join(t, s, c, "pc-1")
	id, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "stranger.nk"))
	require.NoError(t, err)
	conn, refused := connect(t, s, id)
	for _, subject := range []string{m.Subject(fleet.Ask), m.Subject(fleet.Answered), "fleet.console.machines", fleet.PairSubject("UOTHER"), "$JS.API.INFO"} {
		require.NoError(t, conn.Publish(subject, []byte("{}")))
		require.NoError(t, conn.Flush())
		require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, subject)
	}
	data, err := json.Marshal(fleet.PairRequest{Host: "stranger"})
	require.NoError(t, err)
	_, err = conn.Request(fleet.PairSubject(id.Public), data, 10*time.Second)
	require.NoError(t, err)
	r, err := c.Call(t.Context(), server.CallPending, server.Call{})
	require.NoError(t, err)
	require.Len(t, r.Pending, 1)

	_, err = nats.Connect("tls://"+s.Address(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect())
	require.ErrorIs(t, err, nats.ErrAuthorization, "without a key")
	lying, err := nkeys.CreateUser()
	require.NoError(t, err)
	_, err = nats.Connect("tls://"+s.Address(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect(),
		nats.Nkey(id.Public, func(nonce []byte) ([]byte, error) { return lying.Sign(nonce) }))
	require.ErrorIs(t, err, nats.ErrAuthorization, "another's key")
}

// TestThreat45PairingShowsWhoIsBetween is threat 45: the codes differ if the machine sees another certificate or
// another console's key.
func TestThreat45PairingShowsWhoIsBetween(t *testing.T) {
	here, there := [32]byte{1}, [32]byte{2}
	code := fleet.PairingCode(here, "UMACHINE", "UCONSOLE")
	require.Regexp(t, `^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$`, code)
	require.NotEqual(t, code, fleet.PairingCode(there, "UMACHINE", "UCONSOLE"))
	require.NotEqual(t, code, fleet.PairingCode(here, "UANOTHER", "UCONSOLE"))
	require.NotEqual(t, code, fleet.PairingCode(here, "UMACHINE", "UTHIEF"))

	s, c := start(t)
	_, err := c.Call(
		t.Context(),
		server.CallPair,
		server.Call{Code: code, Machine: fleet.Machine{Site: "lab", Name: "pc-1"}},
	)
	require.EqualError(t, err, server.ErrCode.Error())
	pin := [32]byte{3}
	id, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "machine.nk"))
	require.NoError(t, err)
	_, err = nats.Connect("tls://"+s.Address(), id.Option(), nats.Secure(fleet.Pin(&pin, nil)), nats.NoReconnect())
	require.True(t, errors.Is(err, fleet.ErrServer), "a server with another certificate: %v", err)
}

func TestANameAndAKeyAreUsedOnce(t *testing.T) {
	s, c := start(t)
	_, m := join(t, s, c, "pc-1")
	dir := t.TempDir()
	p, err := bridge.Pair(t.Context(), dir, s.Address(), "another")
	require.NoError(t, err)
	defer p.Close()
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: m})
	require.ErrorContains(t, err, server.ErrTaken.Error())
}

func TestOneServerUsesADirectory(t *testing.T) {
	dir := t.TempDir()
	o := server.Options{Dir: dir, Listen: "127.0.0.1:0", Log: zerolog.Nop(), Now: time.Now}
	s, err := server.Start(t.Context(), o)
	require.NoError(t, err)
	_, err = server.Start(t.Context(), o)
	require.ErrorIs(t, err, fleet.ErrRunning)
	s.Close()
	s, err = server.Start(t.Context(), o)
	require.NoError(t, err)
	s.Close()
}
