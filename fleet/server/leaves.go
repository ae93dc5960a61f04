package server

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/nidoit/blunux-ai/fleet"
)

// The requests of a leaf server to the hub.
const (
	leafSite = "site" // what it has to know of its site
	leafPair = "pair" // a machine asks it to be paired
)

// Site is what a leaf server knows of its site.
type Site struct {
	Site     string  `json:"site"`
	Port     int     `json:"port"` // on which the hub takes leaf servers
	Machines []Entry `json:"machines"`
}

// LeafAsk passes on that a machine asks a leaf server to be paired.
type LeafAsk struct {
	Key  string `json:"key"`
	Host string `json:"host"`
}

// linkBeat is how often both ends of a connection between leaf server and hub look whether it is there.
const linkBeat = 10 * time.Second

// leafSettings are those of the port for leaf servers. They see nothing of each other: neither what others subscribe
// to, nor the subjects by which NATS finds loops, with which one could keep another away.
func leafSettings(listen string, cert *tls.Config) (natsserver.LeafNodeOpts, error) {
	host, port, err := splitAddress(listen)
	return natsserver.LeafNodeOpts{
		Host: host, Port: port, TLSConfig: cert, TLSTimeout: tlsTime, AuthTimeout: tlsTime, NoAdvertise: true,
		IsolateLeafnodeInterest: true, PingInterval: linkBeat, MaxPingsOut: 2,
		Compression: natsserver.CompressionOpts{Mode: natsserver.CompressionOff},
	}, err
}

// LeafPort returns the port on which the server takes leaf servers, 0 if it takes none.
func (s *Server) LeafPort() int {
	v, err := s.nats.Varz(nil)
	if err != nil || s.o.LeafListen == "" {
		return 0
	}
	return v.LeafNode.Port
}

// serveLeaf answers a leaf server. Its key is a token of the subject, which it may not choose.
func (s *Server) serveLeaf(m *nats.Msg) {
	tokens := strings.Split(m.Subject, ".")
	leaf, ok := s.leaves.byKey(tokens[2])
	if !ok {
		return
	}
	switch tokens[3] {
	case leafSite:
		s.leaves.note(leaf.Machine, fleet.Beat{}, s.o.Now())
		site := Site{Site: leaf.Site, Port: s.LeafPort(), Machines: []Entry{}}
		for _, e := range s.machines.behind(leaf.Site) {
			site.Machines = append(site.Machines, Entry{Machine: e.Machine, Key: e.Key, Added: e.Added, Leaf: true})
		}
		s.reply(m, site)
	case leafPair:
		s.servePairingBehind(leaf, m)
	}
}

// servePairingBehind remembers a machine that asks a leaf server to be paired. The machine sees the leaf server's
// certificate, so its code depends on that one, as the hub knows it from the pairing of the leaf server: somebody
// between the two has another certificate, and a leaf server cannot name one.
func (s *Server) servePairingBehind(leaf Entry, m *nats.Msg) {
	var ask LeafAsk
	sum, err := hex.DecodeString(leaf.Shown)
	if json.Unmarshal(m.Data, &ask) != nil || len(ask.Host) > 64 || len(ask.Key) > 64 || err != nil || len(sum) != 32 {
		return
	}
	code := fleet.PairingCode([32]byte(sum), ask.Key, s.console)
	s.remember(Pending{Code: code, Key: ask.Key, Host: ask.Host, Leaf: leaf.Site})
	s.reply(m, fleet.PairReply{Console: s.console})
}

// ErrNoLeaves reports a server without a port for leaf servers.
var ErrNoLeaves = errors.New("this server takes no leaf servers; start it with --leaf-listen")

func (s *Server) addLeaf(e Entry) error {
	if s.o.LeafListen == "" {
		return ErrNoLeaves
	}
	return s.leaves.add(e)
}

// removeLeaf removes the leaf server of a site, and ends its connections.
func (s *Server) removeLeaf(m fleet.Machine) error {
	e, err := s.leaves.remove(m)
	if err != nil {
		return err
	}
	s.cutLeaves()
	return s.disconnect(e.Key)
}

// updateTime bounds the wait for a leaf server that gets the list of its machines.
const updateTime = 5 * time.Second

// updateLeaf lets the leaf server of a site take the list of its machines, and gives its connection the rights of that
// list. A leaf server that is away takes it when it is back.
func (s *Server) updateLeaf(ctx context.Context, site string) {
	leaf, ok := s.leaves.get(fleet.Machine{Site: site})
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, updateTime)
	defer cancel()
	if _, err := s.conn.RequestWithContext(ctx, fleet.SiteSubject(leaf.Key), nil); err != nil {
		s.o.Log.Warn().Err(fmt.Errorf("cannot update a leaf server: %w", err)).Str("site", site).Msg("leaf server away")
	}
	s.cutLeaves()
}

// cutLeaves ends the connections whose rights have changed, and later those that were about to begin.
func (s *Server) cutLeaves() {
	s.access.cut()
	time.AfterFunc(linkTime, s.access.cut)
}
