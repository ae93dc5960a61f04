package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
)

// rogue speaks the protocol of leaf servers itself, so that no rule of a well-behaved one holds it back.
type rogue struct {
	t    *testing.T
	conn *tls.Conn
	in   *bufio.Reader
}

// dialRogue connects to the hub's port for leaf servers with the key in a leaf server's directory.
func dialRogue(t *testing.T, s *server.Server, dir string, options map[string]any) *rogue {
	t.Helper()
	id, err := fleet.OpenIdentity(filepath.Join(dir, "leaf.nk"))
	require.NoError(t, err)
	seed, err := id.Seed()
	require.NoError(t, err)
	key, err := nkeys.FromSeed(seed)
	require.NoError(t, err)
	plain, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.LeafPort())))
	require.NoError(t, err)
	t.Cleanup(func() { plain.Close() })
	line, err := bufio.NewReader(plain).ReadString('\n')
	require.NoError(t, err)
	var info struct {
		Nonce       string `json:"nonce"`
		TLSRequired bool   `json:"tls_required"`
	}
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info))
	require.True(t, info.TLSRequired)
	sig, err := key.Sign([]byte(info.Nonce))
	require.NoError(t, err)
	connect := map[string]any{
		"nkey": id.Public, "sig": base64.RawURLEncoding.EncodeToString(sig), "name": "rogue-" + id.Public, "version": "2.15.3", "headers": true,
	}
	for k, v := range options {
		connect[k] = v
	}
	data, err := json.Marshal(connect)
	require.NoError(t, err)
	r := &rogue{t: t, conn: tls.Client(plain, fleet.Pin(nil, nil))}
	r.in = bufio.NewReader(r.conn)
	r.send("CONNECT %s\r\n", data)
	return r
}

func (r *rogue) send(form string, args ...any) { _, _ = fmt.Fprintf(r.conn, form, args...) }

func (r *rogue) publish(subject string) { r.send("LMSG %s 2\r\n{}\r\n", subject) }

// flush returns what the hub has sent until it has read everything that was sent to it, or has ended the connection.
func (r *rogue) flush() string {
	r.send("PING\r\n")
	_ = r.conn.SetReadDeadline(time.Now().Add(patience))
	var all strings.Builder
	for {
		line, err := r.in.ReadString('\n')
		all.WriteString(line)
		if err != nil || strings.HasPrefix(line, "PONG") {
			return all.String()
		}
	}
}

// stored returns how many messages the streams have.
func stored(t *testing.T, dir string, s *server.Server) (n uint64) {
	id, err := fleet.OpenIdentity(filepath.Join(dir, "console.nk"))
	require.NoError(t, err)
	conn, _ := connect(t, s, id)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	for _, name := range []string{fleet.Requests, fleet.Replies} {
		stream, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		n += stream.CachedInfo().State.Msgs
	}
	return n
}

// sites is a hub with two leaf servers, a machine behind each, and one of the first site that joined the hub itself.
type sites struct {
	hub                 *server.Server
	dir                 string
	console             *console.Console
	lab, office         string // directories of the leaf servers
	own, other, direct  fleet.Machine
	ownKey, otherKey    string
	labLeaf, officeLeaf *server.Leaf
}

func newSites(t *testing.T) *sites {
	x := &sites{dir: t.TempDir()}
	x.hub, x.console = startHubAt(t, x.dir)
	x.lab, x.office = joinLeaf(t, x.hub, x.console, "lab"), joinLeaf(t, x.hub, x.console, "office")
	x.labLeaf, x.officeLeaf = startLeaf(t, x.lab), startLeaf(t, x.office)
	var dir string
	dir, x.own = joinBehind(t, x.labLeaf, x.console, "pc-1")
	x.ownKey = keyOf(t, dir, "machine.nk")
	dir, x.other = joinBehind(t, x.officeLeaf, x.console, "pc-1")
	x.otherKey = keyOf(t, dir, "machine.nk")
	_, x.direct = join(t, x.hub, x.console, "direct")
	return x
}

func keyOf(t *testing.T, dir, file string) string {
	id, err := fleet.OpenIdentity(filepath.Join(dir, file))
	require.NoError(t, err)
	return id.Public
}

// TestThreat44ALeafReachesOnlyItsOwnMachines is threat 44, too: a leaf server that was taken over, with its key.
func TestThreat44ALeafReachesOnlyItsOwnMachines(t *testing.T) {
	x := newSites(t)
	x.labLeaf.Close()
	officeKey := keyOf(t, x.office, "leaf.nk")
	refused := []string{
		x.own.Subject(fleet.Ask), x.direct.Subject(fleet.Answered), x.direct.Subject(fleet.Heartbeat),
		x.other.Subject(fleet.Ask), x.other.Subject(fleet.Answered), x.other.Subject(fleet.Happened), x.other.Subject(fleet.Heartbeat),
		"$JS.API.CONSUMER.MSG.NEXT.REQUESTS." + x.other.Consumer(), "$JS.API.CONSUMER.INFO.REQUESTS." + x.direct.Consumer(),
		"$JS.ACK.REQUESTS." + x.other.Consumer() + ".1.1.1.1.0", "$JS.API.INFO", "$JS.API.STREAM.DELETE.REQUESTS",
		"$JS.API.CONSUMER.CREATE.REQUESTS.more", "$JS.API.STREAM.MSG.GET.REPLIES", "fleet.console.machines",
		fleet.PairSubject("UMACHINE"), fleet.PairedSubject(x.otherKey), fleet.LeafSubject(officeKey, "site"), fleet.SiteSubject(officeKey),
		fleet.Inbox(x.otherKey) + ".reply", fleet.Inbox(x.hub.Console()) + ".reply",
		"$SYS.REQ.USER.INFO", "$SYS.REQ.ACCOUNT.PING.CONNZ", "$KV.any.key",
		"_GR_.aaaaaa.bbbbbb." + x.other.Subject(fleet.Answered), "$GR.aaaa." + x.other.Subject(fleet.Answered),
	}
	before := stored(t, x.dir, x.hub)
	for _, subject := range refused {
		r := dialRogue(t, x.hub, x.lab, nil)
		r.publish(subject)
		require.Contains(t, r.flush(), "Permissions Violation for Publish", subject)
		asHub := dialRogue(t, x.hub, x.lab, map[string]any{"hub": true})
		asHub.publish(subject)
		asHub.flush()
	}
	for _, subject := range []string{
		x.own.Subject(fleet.Ask), x.other.Subject(fleet.Ask), x.other.Subject(fleet.Answered), "fleet.console.machines",
		fleet.Inbox(x.otherKey) + ".reply", fleet.Inbox(x.hub.Console()) + ".reply", fleet.SiteSubject(officeKey),
	} {
		r := dialRogue(t, x.hub, x.lab, nil)
		r.send("LS+ %s\r\n", subject)
		require.Contains(t, r.flush(), "Permissions Violation for Subscription", subject)
	}
	require.Equal(t, before, stored(t, x.dir, x.hub), "nothing arrived")

	r := dialRogue(t, x.hub, x.lab, nil)
	r.publish(x.own.Subject(fleet.Answered))
	require.NotContains(t, r.flush(), "-ERR")
	require.Equal(t, before+1, stored(t, x.dir, x.hub), "its own machine's answer")
}

// TestThreat44ALeafHearsNothingOfOtherSites: wildcards are taken, and nothing is sent for them. What one leaf server
// subscribes to is not passed on to another, nor are the subjects by which loops are found.
func TestThreat44ALeafHearsNothingOfOtherSites(t *testing.T) {
	x := newSites(t)
	x.labLeaf.Close()
	r := dialRogue(t, x.hub, x.lab, map[string]any{"cluster": "elsewhere"})
	for _, subject := range []string{">", "f.>", "f.*.*.ask", "_I.>", "$JS.>", "fleet.>", "fleet.*.* queue 1"} {
		r.send("LS+ %s\r\n", subject)
	}
	require.NotContains(t, r.flush(), "-ERR")
	_, err := x.console.Ask(t.Context(), []fleet.Machine{x.own, x.other, x.direct}, "disk full?", "en")
	require.NoError(t, err)
	_, err = x.console.Call(t.Context(), server.CallMachines, server.Call{})
	require.NoError(t, err)
	r.send("LS+ $LDS.marker\r\nLS+ _I.%s.marker\r\n", x.ownKey)
	require.NotContains(t, r.flush(), "MSG")

	x.officeLeaf.Close()
	other := dialRogue(t, x.hub, x.office, nil)
	require.NotContains(t, other.flush(), "marker")
	r.send("LS+ $LDS.later-marker\r\nLS+ _I.%s.later-marker\r\n", x.ownKey)
	r.flush()
	require.NotContains(t, other.flush(), "marker")
}

// TestARemovedLeafIsCutOff: at once, on both connections, and it does not come back.
func TestARemovedLeafIsCutOff(t *testing.T) {
	x := newSites(t)
	x.labLeaf.Close()
	r := dialRogue(t, x.hub, x.lab, nil)
	require.Contains(t, r.flush(), "PONG")
	id, err := fleet.OpenIdentity(filepath.Join(x.lab, "leaf.nk"))
	require.NoError(t, err)
	closed := make(chan struct{})
	conn, err := nats.Connect("tls://"+x.hub.Address(), id.Option(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect(),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	_, err = x.console.Call(t.Context(), server.CallRemove, server.Call{Machine: fleet.Machine{Site: "lab"}})
	require.NoError(t, err)
	require.NotContains(t, r.flush(), "PONG")
	<-closed
	again := dialRogue(t, x.hub, x.lab, nil)
	require.Contains(t, again.flush(), "Authorization Violation")
	stranger := dialRogue(t, x.hub, t.TempDir(), nil)
	require.Contains(t, stranger.flush(), "Authorization Violation")
	conn, refused := connect(t, x.hub, id)
	require.NoError(t, conn.Publish(fleet.LeafSubject(id.Public, "site"), nil))
	require.NoError(t, conn.Flush())
	require.ErrorIs(t, <-refused, nats.ErrPermissionViolation)
}

// TestALeafLosesTheRightsOfARemovedMachine: its connection ends, and the next one has the rights of the new list.
func TestALeafLosesTheRightsOfARemovedMachine(t *testing.T) {
	x := newSites(t)
	x.labLeaf.Close()
	r := dialRogue(t, x.hub, x.lab, nil)
	require.Contains(t, r.flush(), "PONG")
	_, err := x.console.Call(t.Context(), server.CallRemove, server.Call{Machine: x.own})
	require.NoError(t, err)
	require.NotContains(t, r.flush(), "PONG")
	for _, subject := range []string{x.own.Subject(fleet.Answered), "$JS.API.STREAM.NAMES", "any.other"} {
		again := dialRogue(t, x.hub, x.lab, nil) // without machines, too, it must not have all rights
		again.publish(subject)
		require.Contains(t, again.flush(), "Permissions Violation for Publish", subject)
	}
}

// TestALeafsKeyOnTheHubsPortOnlyGetsItsSite: the leaf server's other connection.
func TestALeafsKeyOnTheHubsPortOnlyGetsItsSite(t *testing.T) {
	x := newSites(t)
	id, err := fleet.OpenIdentity(filepath.Join(x.lab, "leaf.nk"))
	require.NoError(t, err)
	conn, refused := connect(t, x.hub, id)
	for _, subject := range []string{
		x.own.Subject(fleet.Answered), x.own.Subject(fleet.Ask), "fleet.console.machines", fleet.PairSubject(id.Public),
		fleet.LeafSubject(keyOf(t, x.office, "leaf.nk"), "site"), "$JS.API.CONSUMER.INFO.REQUESTS." + x.own.Consumer(),
	} {
		require.NoError(t, conn.Publish(subject, []byte("{}")))
		require.NoError(t, conn.Flush())
		require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, subject)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m, err := conn.RequestWithContext(ctx, fleet.LeafSubject(id.Public, "site"), nil)
	require.NoError(t, err)
	var site server.Site
	require.NoError(t, json.Unmarshal(m.Data, &site))
	require.Len(t, site.Machines, 1)
	require.Equal(t, x.own, site.Machines[0].Machine)
}
