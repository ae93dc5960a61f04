package serve

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
)

var update = flag.Bool("update", false, "rewrite testdata/access.golden")

// The table of rights as a reader of docs/protocol.md sees it. A change of it is reviewed there.
func TestWhoMayDoWhat(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	all := newRoutes()
	for _, r := range table() {
		request := strings.TrimSpace(r.request + " " + r.name)
		if seen[request] {
			continue
		}
		seen[request] = true
		var who []string
		for _, k := range []struct {
			kind kind
			name string
		}{{local, "local"}, {mcp, "mcp"}, {app, "app"}, {bridge, "bridge"}, {gateway, "gateway"}, {fleet, "fleet"}, {original, "original"}} {
			if _, allowed, _ := all.find(r.request, r.name, k.kind); allowed {
				who = append(who, k.name)
			}
		}
		b.WriteString(request + ": " + strings.Join(who, " ") + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/access.golden", []byte(b.String()), 0o644))
	}
	golden, err := os.ReadFile("testdata/access.golden")
	require.NoError(t, err)
	require.Equal(t, string(golden), b.String())
}

func TestEachKindOfConnectionIsToldByItsHello(t *testing.T) {
	for channel, want := range map[string]kind{
		"cli": local, "tui": local, post.DesktopChannel: local, post.MCPChannel: mcp, "web": app, ipc.GatewayChannel: gateway, ipc.FleetChannel: fleet, "telegram": bridge, "whatsapp": bridge,
	} {
		require.Equal(t, want, (&peerConn{hello: &ipc.Hello{Channel: channel}}).kind(), channel)
	}
	require.Equal(t, original, (&peerConn{}).kind())
}

func TestARouteIsFoundByItsKindOfConnection(t *testing.T) {
	rs := newRoutes()
	for request := range rs {
		found := kind(0)
		for _, r := range rs[request] {
			require.Zero(t, found&r.who, "%s has two routes for one kind", request)
			require.Equal(t, r.request == "topic", r.serve == nil, "%s", request)
			found |= r.who
		}
	}
	_, allowed, known := rs.find("query", "memory", bridge)
	require.False(t, allowed)
	require.True(t, known)
	_, _, known = rs.find("query", "weather", local)
	require.False(t, known)
}

// A type is what a peer writes, so it must not reach the rows of names.
func TestARequestIsFoundByItsExactWords(t *testing.T) {
	rs := newRoutes()
	for _, m := range []ipc.Message{
		{Type: "topic log"},
		{Type: "topic"},
		{Type: "action stop"},
		{Type: " message"},
		{Type: "original"},
		{Type: "original message"},
		{Type: "call alone"},
		{Type: ipc.TypeAction},
		{Type: ipc.TypeAction, Action: "stop "},
		{Type: ipc.TypeAction, Action: " reject"},
	} {
		for _, on := range []kind{local, mcp, app, bridge, original} {
			request, name, _ := requestOf(m, on)
			_, allowed, _ := rs.find(request, name, on)
			require.Equal(t, on == original && m.Type == ipc.TypeAction, allowed, "%+v", m)
		}
	}
}
