package server_test

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
)

// patience bounds the wait for an event.
const patience = time.Minute

// startHub starts a server that takes leaf servers, with its console.
func startHub(t *testing.T) (*server.Server, *console.Console) {
	return startHubAt(t, t.TempDir())
}

func startHubAt(t *testing.T, dir string) (*server.Server, *console.Console) {
	return startWith(t, server.Options{Dir: dir, Listen: "127.0.0.1:0", LeafListen: "127.0.0.1:0", Log: zerolog.Nop(), Now: time.Now})
}

// joinLeaf pairs a leaf server of a site and returns its directory.
func joinLeaf(t *testing.T, s *server.Server, c *console.Console, site string) (dir string) {
	dir = t.TempDir()
	p, err := server.PairLeaf(t.Context(), dir, s.Address(), "leaf of "+site)
	require.NoError(t, err)
	defer p.Close()
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: fleet.Machine{Site: site}})
	require.NoError(t, err)
	got, err := p.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, site, got)
	require.NoError(t, p.Join(time.Now()))
	return dir
}

// startLeaf starts a paired leaf server and waits for its connection.
func startLeaf(t *testing.T, dir string) *server.Leaf {
	l, err := server.StartLeaf(t.Context(), server.LeafOptions{Dir: dir, Listen: "127.0.0.1:0", Log: zerolog.New(zerolog.NewTestWriter(t))})
	require.NoError(t, err)
	t.Cleanup(l.Close)
	require.Eventually(t, l.Connected, patience, 10*time.Millisecond)
	return l
}

// joinBehind pairs a machine through a leaf server and returns the directory of its bridge.
func joinBehind(t *testing.T, l *server.Leaf, c *console.Console, name string) (dir string, m fleet.Machine) {
	dir, m = t.TempDir(), fleet.Machine{Site: l.Site(), Name: name}
	p, err := bridge.Pair(t.Context(), dir, l.Address(), name)
	require.NoError(t, err)
	defer p.Close()
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: m})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := p.Wait(ctx)
	require.NoError(t, err)
	require.Equal(t, m, got)
	require.NoError(t, p.Join(time.Now()))
	return dir, m
}

// TestAMachineBehindALeafReachesItsQueue: JetStream's requests, acknowledgements and replies pass the leaf server.
func TestAMachineBehindALeafReachesItsQueue(t *testing.T) {
	s, c := startHub(t)
	l := startLeaf(t, joinLeaf(t, s, c, "lab"))
	dir, m := joinBehind(t, l, c, "pc-1")
	id, err := fleet.OpenIdentity(filepath.Join(dir, "machine.nk"))
	require.NoError(t, err)
	conn, _ := connect(t, l, id)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	var queue jetstream.Consumer
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		queue, err = js.Consumer(ctx, fleet.Requests, m.Consumer())
		return err == nil
	}, patience, 50*time.Millisecond, "%v", err)
	_, err = c.Ask(t.Context(), []fleet.Machine{m}, "disk full?", "en")
	require.NoError(t, err)
	msg, err := queue.Next()
	require.NoError(t, err)
	require.NoError(t, msg.DoubleAck(t.Context()))
	for range 2 {
		ack, err := js.Publish(t.Context(), m.Subject(fleet.Answered), []byte("{}"), jetstream.WithMsgID("once"))
		require.NoError(t, err)
		require.EqualValues(t, 1, ack.Sequence)
	}
}

// TestALeafGivesEachMachineOnlyItsOwnSubjects: what holds at the hub holds at the leaf server.
func TestALeafGivesEachMachineOnlyItsOwnSubjects(t *testing.T) {
	s, c := startHub(t)
	l := startLeaf(t, joinLeaf(t, s, c, "lab"))
	dir, own := joinBehind(t, l, c, "pc-1")
	_, other := joinBehind(t, l, c, "pc-2")
	machine, err := fleet.OpenIdentity(filepath.Join(dir, "machine.nk"))
	require.NoError(t, err)
	stranger, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "stranger.nk"))
	require.NoError(t, err)
	for id, also := range map[*fleet.Identity]string{machine: own.Subject(fleet.Ask), stranger: own.Subject(fleet.Answered)} {
		conn, refused := connect(t, l, id)
		for _, subject := range []string{
			also, other.Subject(fleet.Ask), other.Subject(fleet.Answered), "fleet.console.machines", fleet.PairSubject("UOTHER"), "$JS.API.INFO",
			"$JS.API.CONSUMER.MSG.NEXT.REQUESTS." + other.Consumer(), fleet.PairedSubject("UOTHER"), fleet.LeafSubject("UOTHER", "site"),
		} {
			require.NoError(t, conn.Publish(subject, []byte("{}")))
			require.NoError(t, conn.Flush())
			require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, subject)
		}
	}
	_, err = nats.Connect("tls://"+l.Address(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect())
	require.ErrorIs(t, err, nats.ErrAuthorization, "without a key")
}

// TestALeafEndsTheConnectionOfARemovedMachine: at the leaf server, not only at the hub.
func TestALeafEndsTheConnectionOfARemovedMachine(t *testing.T) {
	s, c := startHub(t)
	l := startLeaf(t, joinLeaf(t, s, c, "lab"))
	dir, m := joinBehind(t, l, c, "pc-1")
	id, err := fleet.OpenIdentity(filepath.Join(dir, "machine.nk"))
	require.NoError(t, err)
	closed := make(chan struct{})
	conn, err := nats.Connect("tls://"+l.Address(), id.Option(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect(),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	_, err = c.Call(t.Context(), server.CallRemove, server.Call{Machine: m})
	require.NoError(t, err)
	<-closed
	conn, refused := connect(t, l, id)
	require.NoError(t, conn.Publish(m.Subject(fleet.Answered), []byte("{}")))
	require.NoError(t, conn.Flush())
	require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, "a stranger again")
}

// TestALeafKnowsItsMachinesWhileTheHubIsAway: it starts with the last list, and its machines need not be paired again.
func TestALeafKnowsItsMachinesWhileTheHubIsAway(t *testing.T) {
	dir := t.TempDir()
	s, c := startHubAt(t, dir)
	leaf := joinLeaf(t, s, c, "lab")
	l := startLeaf(t, leaf)
	home, m := joinBehind(t, l, c, "pc-1")
	l.Close()
	c.Close()
	address, port := s.Address(), s.LeafPort()
	s.Close()
	l, err := server.StartLeaf(t.Context(), server.LeafOptions{Dir: leaf, Listen: "127.0.0.1:0", Log: zerolog.Nop()})
	require.NoError(t, err)
	t.Cleanup(l.Close)
	id, err := fleet.OpenIdentity(filepath.Join(home, "machine.nk"))
	require.NoError(t, err)
	conn, refused := connect(t, l, id)
	require.NoError(t, conn.Publish(m.Subject(fleet.Answered), []byte("{}")))
	require.NoError(t, conn.Flush())
	require.Empty(t, refused)
	closed := make(chan struct{})
	conn.SetClosedHandler(func(*nats.Conn) { close(closed) })

	startWith(t, server.Options{Dir: dir, Listen: address, LeafListen: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Log: zerolog.Nop(), Now: time.Now})
	<-closed // so that it takes requests again at once
	require.Eventually(t, l.Connected, patience, 10*time.Millisecond)
}

// TestThreat45TheCodesShowWhoIsBetweenAMachineAndItsLeaf is threat 45, too: the machine's code depends on the
// certificate that the hub knows of the leaf server, and the leaf server's code on the hub's and on its own.
func TestThreat45TheCodesShowWhoIsBetweenAMachineAndItsLeaf(t *testing.T) {
	hub, other := [32]byte{1}, [32]byte{2}
	code := fleet.LeafCode(hub, "ULEAF", "UCONSOLE", "shown")
	require.Regexp(t, `^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$`, code)
	for _, different := range []string{
		fleet.LeafCode(other, "ULEAF", "UCONSOLE", "shown"), fleet.LeafCode(hub, "UTHIEF", "UCONSOLE", "shown"),
		fleet.LeafCode(hub, "ULEAF", "UTHIEF", "shown"), fleet.LeafCode(hub, "ULEAF", "UCONSOLE", "another"),
		fleet.PairingCode(hub, "ULEAF", "UCONSOLE"),
	} {
		require.NotEqual(t, code, different)
	}

	s, c := startHub(t)
	l := startLeaf(t, joinLeaf(t, s, c, "lab"))
	between := startLeaf(t, joinLeaf(t, s, c, "office")) // it has another certificate, and passes on what it gets
	id, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "machine.nk"))
	require.NoError(t, err)
	asked, err := fleet.AskToPair(t.Context(), id, between.Address(), fleet.PairRequest{Host: "pc"})
	require.NoError(t, err)
	t.Cleanup(asked.Close)
	relayed, err := fleet.AskToPair(t.Context(), id, l.Address(), fleet.PairRequest{Host: "pc"})
	require.NoError(t, err)
	t.Cleanup(relayed.Close)
	seen := fleet.PairingCode(asked.Certificate, id.Public, asked.Console) // on the machine's screen
	r, err := c.Call(t.Context(), server.CallPending, server.Call{})
	require.NoError(t, err)
	for _, p := range r.Pending {
		require.Equal(t, p.Leaf == "office", p.Code == seen, "the code that came by %s", p.Leaf)
	}
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: seen, Machine: fleet.Machine{Site: "lab", Name: "pc-1"}})
	require.ErrorIs(t, err, server.ErrPlace, "a machine gets no name of another site")
}

// TestANameFitsWhatShowsTheCode: SITE for a leaf server, SITE/NAME for a machine; a site has one leaf server.
func TestANameFitsWhatShowsTheCode(t *testing.T) {
	s, c := startHub(t)
	pair := func(code, site, name string) error {
		_, err := c.Call(t.Context(), server.CallPair, server.Call{Code: code, Machine: fleet.Machine{Site: site, Name: name}})
		return err
	}
	leaf, err := server.PairLeaf(t.Context(), t.TempDir(), s.Address(), "leaf")
	require.NoError(t, err)
	t.Cleanup(leaf.Close)
	require.ErrorIs(t, pair(leaf.Code, "lab", "pc-1"), server.ErrPlace)
	machine, err := bridge.Pair(t.Context(), t.TempDir(), s.Address(), "pc")
	require.NoError(t, err)
	t.Cleanup(machine.Close)
	require.ErrorIs(t, pair(machine.Code, "lab", ""), server.ErrPlace)
	require.ErrorIs(t, pair(leaf.Code, "Lab!", ""), fleet.ErrName)
	require.NoError(t, pair(leaf.Code, "lab", ""))
	more, err := server.PairLeaf(t.Context(), t.TempDir(), s.Address(), "leaf")
	require.NoError(t, err)
	t.Cleanup(more.Close)
	require.ErrorIs(t, pair(more.Code, "lab", ""), server.ErrTaken)

	plain, c := start(t) // without a port for leaf servers
	leaf, err = server.PairLeaf(t.Context(), t.TempDir(), plain.Address(), "leaf")
	require.NoError(t, err)
	t.Cleanup(leaf.Close)
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: leaf.Code, Machine: fleet.Machine{Site: "lab"}})
	require.ErrorIs(t, err, server.ErrNoLeaves)
	_, err = server.StartLeaf(t.Context(), server.LeafOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: zerolog.Nop()})
	require.ErrorIs(t, err, server.ErrNoHub)
}

// TestALeafDoesNotPairALeaf: a site's leaf server takes machines only.
func TestALeafDoesNotPairALeaf(t *testing.T) {
	s, c := startHub(t)
	l := startLeaf(t, joinLeaf(t, s, c, "lab"))
	id, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "leaf.nk"))
	require.NoError(t, err)
	conn, _ := connect(t, l, id)
	data, err := json.Marshal(fleet.PairRequest{Host: "leaf", Leaf: "shown"})
	require.NoError(t, err)
	_, err = conn.Request(fleet.PairSubject(id.Public), data, time.Second)
	require.ErrorIs(t, err, nats.ErrTimeout)
}
