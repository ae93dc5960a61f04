package server

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/fleet"
)

// Hub is what a leaf server knows of its hub. It is made by pairing.
type Hub struct {
	Address     string    `json:"address"`
	Certificate string    `json:"certificate"` // SHA-256, in hexadecimal
	Console     string    `json:"console"`
	Site        string    `json:"site"`
	Port        int       `json:"port,omitempty"` // for leaf servers
	Joined      time.Time `json:"joined"`
}

// The files of a leaf server's directory, with its certificate and the list of its machines.
const (
	hubFile      = "hub.json"
	leafKeyFile  = "leaf.nk"
	machinesFile = "machines.json"
)

// ErrNoHub reports a leaf server that was not paired with a hub.
var ErrNoHub = errors.New("this leaf server has no hub")

// ErrHub reports a leaf server that was paired with a hub already.
var ErrHub = errors.New("this leaf server has a hub already")

// ReadHub reads what a leaf server knows of its hub.
func ReadHub(dir string) (Hub, error) {
	data, err := os.ReadFile(filepath.Join(dir, hubFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Hub{}, ErrNoHub
	}
	var h Hub
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	if err == nil {
		err = fleet.CheckName(h.Site)
	}
	if err != nil {
		return Hub{}, fmt.Errorf("cannot read the hub of this leaf server: %w", err)
	}
	return h, nil
}

// Save writes what a leaf server knows of its hub.
func (h Hub) Save(dir string) error {
	data, err := json.MarshalIndent(h, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, hubFile), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save the hub of this leaf server: %w", err)
	}
	return nil
}

// link returns the address on which the hub takes leaf servers.
func (h Hub) link() string {
	host, _, _ := net.SplitHostPort(h.Address)
	return net.JoinHostPort(host, strconv.Itoa(h.Port))
}

// LeafPairing is a leaf server that is being paired with a hub.
type LeafPairing struct {
	Code string // as the hub shows it, too

	dir   string
	hub   Hub
	asked *fleet.Pairing
}

// PairLeaf asks the hub at an address to be paired. The caller shows the code, calls [LeafPairing.Wait] and then, if
// the person says that the hub shows the same code, [LeafPairing.Join].
func PairLeaf(ctx context.Context, dir, address, host string) (*LeafPairing, error) {
	if _, err := ReadHub(dir); !errors.Is(err, ErrNoHub) {
		return nil, errors.Join(ErrHub, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the leaf server's directory: %w", err)
	}
	id, err := fleet.OpenIdentity(filepath.Join(dir, leafKeyFile))
	if err != nil {
		return nil, err
	}
	_, print, err := openCertificate(dir)
	if err != nil {
		return nil, err
	}
	shown := hex.EncodeToString(print[:])
	asked, err := fleet.AskToPair(ctx, id, address, fleet.PairRequest{Host: host, Leaf: shown})
	if err != nil {
		return nil, err
	}
	return &LeafPairing{
		Code: fleet.LeafCode(asked.Certificate, id.Public, asked.Console, shown), dir: dir, asked: asked,
		hub: Hub{Address: address, Certificate: hex.EncodeToString(asked.Certificate[:]), Console: asked.Console},
	}, nil
}

// Wait waits until the hub has accepted the leaf server, and returns its site.
func (p *LeafPairing) Wait(ctx context.Context) (site string, err error) {
	m, err := p.asked.Wait(ctx)
	p.hub.Site = m.Site
	return m.Site, err
}

// Join saves what is known of the hub. The person has said that both screens show the same code.
func (p *LeafPairing) Join(now time.Time) error {
	p.hub.Joined = now.UTC()
	return p.hub.Save(p.dir)
}

// Close ends the pairing.
func (p *LeafPairing) Close() { p.asked.Close() }

// LeafOptions configure a [Leaf].
type LeafOptions struct {
	Dir    string // its state: key, certificate, hub and machines
	Listen string // host:port, for the machines of the site
	Log    zerolog.Logger
}

// Leaf is a running leaf server: NATS without JetStream, for the machines of a site. It passes their messages on to the
// hub over one connection, and what the hub has for them back. It stores none. Over another connection it learns which
// machines there are.
type Leaf struct {
	o        LeafOptions
	id       *fleet.Identity
	machines *registry
	control  *nats.Conn // to the hub, for the list of the machines and for pairing
	lock     *os.File
	stop     context.CancelFunc
	ended    sync.WaitGroup

	mu   sync.Mutex
	hub  Hub
	nats *natsserver.Server // nil until it is started
	conn *nats.Conn         // to the embedded server
}

// StartLeaf starts a leaf server. It returns [ErrNoHub] if it was not paired.
func StartLeaf(ctx context.Context, o LeafOptions) (*Leaf, error) {
	hub, err := ReadHub(o.Dir)
	if err != nil {
		return nil, err
	}
	l := &Leaf{o: o, hub: hub}
	if l.lock, err = fleet.Lock(o.Dir); err != nil {
		return nil, err
	}
	ctx, l.stop = context.WithCancel(ctx)
	if err := l.start(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Leaf) start(ctx context.Context) error {
	var err error
	if l.id, err = fleet.OpenIdentity(filepath.Join(l.o.Dir, leafKeyFile)); err != nil {
		return err
	}
	if l.machines, err = openRegistry(filepath.Join(l.o.Dir, machinesFile)); err != nil {
		return err
	}
	if err = l.reachHub(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	err = l.startNATS()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if _, err = l.conn.Subscribe(fleet.PairSubject("*"), l.servePairing); err != nil {
		return fmt.Errorf("cannot serve the machines of the site: %w", err)
	}
	l.ended.Go(func() { l.keepFresh(ctx) })
	return nil
}

const (
	// hubTime bounds the wait for an answer of the hub.
	hubTime   = 5 * time.Second
	hubRetry  = 2 * time.Second
	siteEvery = time.Minute // a sign of life, too
)

// reachHub connects to the hub and takes the list of the site's machines. If the hub is away, the last list will do.
func (l *Leaf) reachHub(ctx context.Context) error {
	pin, err := fleet.ParsePin(l.hub.Certificate)
	if err != nil {
		return err
	}
	l.mu.Lock() // the handlers wait for it
	l.control, err = nats.Connect(
		"tls://"+l.hub.Address,
		l.id.Option(),
		nats.Secure(fleet.Pin(pin, nil)),
		nats.Name("leaf server of "+l.hub.Site),
		nats.CustomInboxPrefix(fleet.Inbox(l.id.Public)),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(hubRetry),
		nats.ReconnectJitter(hubRetry, hubRetry),
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(linkBeat),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if ctx.Err() == nil {
				l.o.Log.Info().Err(err).Msg("disconnected from the hub")
			}
		}),
		nats.ConnectHandler(func(*nats.Conn) { l.serveReturn(ctx) }),
		nats.ReconnectHandler(func(*nats.Conn) { l.serveReturn(ctx) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			l.o.Log.Warn().Err(err).Msg("the hub reports an error")
		}),
	)
	l.mu.Unlock()
	if err == nil {
		_, err = l.control.Subscribe(fleet.SiteSubject(l.id.Public), func(m *nats.Msg) { l.serveUpdate(ctx, m) })
	}
	if err != nil {
		return fmt.Errorf("cannot connect to the hub %s: %w", l.hub.Address, err)
	}
	err = l.refresh(ctx)
	switch {
	case errors.Is(err, ErrNoLeaves):
		return err
	case err != nil && l.hub.Port == 0:
		return &fleet.ReachError{Address: l.hub.Address, Err: err}
	case err != nil:
		l.o.Log.Warn().Err(err).Msg("hub away, using the last list of machines")
	}
	return nil
}

// startNATS starts the embedded server with its connection to the hub.
func (l *Leaf) startNATS() error {
	pin, err := fleet.ParsePin(l.hub.Certificate)
	if err != nil {
		return err
	}
	seed, err := l.id.Seed()
	if err != nil {
		return fmt.Errorf("cannot use the leaf server's key: %w", err)
	}
	cert, _, err := openCertificate(l.o.Dir)
	if err != nil {
		return err
	}
	settings, err := settingsOf(l.o.Listen, cert, &access{machines: l.machines, own: l.id.Public})
	if err != nil {
		return err
	}
	settings.ServerName = l.id.Public // the hub lets a later connection with a name replace an earlier one
	// NATS withholds JetStream requests from a hub unless the leaf's account has a default domain.
	settings.JsAccDefaultDomain = map[string]string{natsserver.DEFAULT_GLOBAL_ACCOUNT: ""}
	settings.LeafNode = natsserver.LeafNodeOpts{
		ReconnectInterval: time.Second, PingInterval: linkBeat, MaxPingsOut: 2,
		Remotes: []*natsserver.RemoteLeafOpts{{
			URLs: []*url.URL{{Scheme: "tls", Host: l.hub.link()}}, Nkey: string(seed), IgnoreDiscoveredServers: true,
			TLS: true, TLSConfig: fleet.Pin(pin, nil), TLSTimeout: tlsTime, DialTimeout: hubTime, FirstInfoTimeout: hubTime,
			Compression: natsserver.CompressionOpts{Mode: natsserver.CompressionOff},
		}},
	}
	if l.nats, err = natsserver.NewServer(settings); err != nil {
		return fmt.Errorf("cannot start the leaf server: %w", err)
	}
	l.nats.SetLoggerV2(leafLog{newNATSLog(l.o.Log)}, false, false, false)
	go l.nats.Start()
	if !l.nats.ReadyForConnections(readyTime) {
		return fmt.Errorf("cannot listen on %s: is another server running?", l.o.Listen)
	}
	l.conn, err = nats.Connect("", nats.InProcessServer(l.nats), l.id.Option(), nats.MaxReconnects(-1))
	if err != nil {
		return fmt.Errorf("cannot connect to the embedded server: %w", err)
	}
	return nil
}

// leafLog drops NATS's warnings, which are about settings that are meant: the default domain, and the pinned
// certificate instead of a host's name.
type leafLog struct{ *natsLog }

// Warnf implements [natsserver.Logger].
func (leafLog) Warnf(string, ...any) {}

// Address returns where the leaf server listens.
func (l *Leaf) Address() string { return l.nats.Addr().String() }

// Site returns the site of the leaf server.
func (l *Leaf) Site() string { return l.hub.Site }

// Connected reports whether the connection for the machines' messages is there.
func (l *Leaf) Connected() bool { return l.nats.NumLeafNodes() > 0 }

// Close ends the leaf server.
func (l *Leaf) Close() {
	l.stop()
	l.ended.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range []*nats.Conn{l.control, l.conn} {
		if c != nil {
			c.Close()
		}
	}
	if l.nats != nil {
		l.nats.Shutdown()
		l.nats.WaitForShutdown()
	}
	l.lock.Close()
}

// keepFresh takes the list from time to time, for updates that were missed.
func (l *Leaf) keepFresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(siteEvery):
		}
		if err := l.refresh(ctx); err != nil {
			l.warn(ctx, err)
		}
	}
}

// serveUpdate takes a changed list. The hub waits for the reply before it goes on.
func (l *Leaf) serveUpdate(ctx context.Context, m *nats.Msg) {
	err := l.refresh(ctx)
	if err == nil {
		err = m.Respond(nil)
	}
	if err != nil {
		l.warn(ctx, err)
	}
}

// warn reports that the list of the machines may be old, unless the leaf server ends.
func (l *Leaf) warn(ctx context.Context, err error) {
	if ctx.Err() == nil {
		l.o.Log.Warn().Err(err).Msg("list of machines not updated")
	}
}

// serveReturn ends the machines' connections when the hub is back: the hub has forgotten which machines wait for
// requests, which they would notice after half a minute.
func (l *Leaf) serveReturn(ctx context.Context) {
	err := l.refresh(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		l.o.Log.Warn().Err(err).Msg("list of machines not updated")
	}
	l.o.Log.Info().Msg("connected to the hub")
	l.disconnect(func(key string) bool { _, ok := l.machines.byKey(key); return ok })
}

// refresh takes the list of the site's machines from the hub. Machines that were removed are disconnected, and new ones
// get their names.
func (l *Leaf) refresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	m, err := fleet.Query(ctx, l.control, fleet.LeafSubject(l.id.Public, leafSite), nil)
	var site Site
	if err == nil {
		err = json.Unmarshal(m.Data, &site)
	}
	if err == nil && site.Port == 0 {
		err = ErrNoLeaves
	}
	if err == nil && site.Port != l.hub.Port {
		l.hub.Port = site.Port // for the next start
		err = l.hub.Save(l.o.Dir)
	}
	var added, removed []Entry
	if err == nil {
		added, removed, err = l.machines.set(site.Machines)
	}
	if err != nil {
		return fmt.Errorf("cannot take the list of machines from the hub: %w", err)
	}
	if l.conn == nil {
		return nil // it starts
	}
	l.disconnect(func(key string) bool {
		return slices.ContainsFunc(removed, func(e Entry) bool { return e.Key == key })
	})
	for _, e := range added {
		if err := l.announce(e); err != nil {
			return err
		}
	}
	return nil
}

// announce sends a machine that waits to be paired its name. The leaf server already accepts it.
func (l *Leaf) announce(e Entry) error {
	data, err := json.Marshal(e.Machine)
	if err == nil {
		err = l.conn.Publish(fleet.PairedSubject(e.Key), data)
	}
	if err != nil {
		return fmt.Errorf("cannot tell %s its name: %w", e.Machine, err)
	}
	return nil
}

// disconnect ends the connections of machines. l.mu is held.
func (l *Leaf) disconnect(fits func(key string) bool) {
	if l.nats == nil {
		return // it starts
	}
	if err := disconnect(l.nats, fits); err != nil {
		l.o.Log.Warn().Err(err).Msg("cannot end connections")
	}
}

// servePairing passes on that a machine asks to be paired. Its key is the subject's last token, which it may not
// choose.
func (l *Leaf) servePairing(m *nats.Msg) {
	var ask fleet.PairRequest
	if json.Unmarshal(m.Data, &ask) != nil || ask.Leaf != "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hubTime)
	defer cancel()
	data, err := json.Marshal(LeafAsk{Key: m.Subject[len(fleet.PairSubject("")):], Host: ask.Host})
	var reply *nats.Msg
	if err == nil {
		reply, err = fleet.Query(ctx, l.control, fleet.LeafSubject(l.id.Public, leafPair), data)
	}
	if err == nil {
		err = m.Respond(reply.Data)
	}
	if err != nil {
		l.o.Log.Warn().Err(err).Msg("cannot pass on a pairing")
	}
}
