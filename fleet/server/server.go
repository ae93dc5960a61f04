// Package server is the fleet's server: NATS with JetStream in this process, the list of the machines, and pairing. It
// stores and forwards; what runs on a machine is decided there.
package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/fleet"
)

// Options configure a [Server].
type Options struct {
	Dir    string // its state: keys, certificate, machines and streams
	Listen string // host:port
	// LeafListen is where the leaf servers of sites connect, "" for none.
	LeafListen string
	Log        zerolog.Logger
	Now        func() time.Time
}

// Server is a running server.
type Server struct {
	o        Options
	machines *registry
	leaves   *registry
	access   *access
	nats     *natsserver.Server
	conn     *nats.Conn
	streams  jetstream.JetStream
	console  string
	print    [32]byte // of its certificate
	lock     *os.File
	log      *natsLog
	end      context.CancelFunc
	watching sync.WaitGroup

	mu      sync.Mutex
	pending map[string]Pending // by leaf server and key
}

const (
	// readyTime bounds the wait for the embedded server.
	readyTime = 30 * time.Second
	tlsTime   = 10 // seconds for a handshake
)

// Start starts a server. Its state is created if there is none.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the server's directory: %w", err)
	}
	lock, err := fleet.Lock(o.Dir) // two servers would damage the streams
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, o)
	if err != nil {
		lock.Close()
		return nil, err
	}
	s.lock = lock
	return s, nil
}

func start(ctx context.Context, o Options) (*Server, error) {
	id, err := fleet.OpenIdentity(filepath.Join(o.Dir, "console.nk"))
	if err != nil {
		return nil, err
	}
	cert, print, err := openCertificate(o.Dir)
	if err != nil {
		return nil, err
	}
	machines, err := openRegistry(filepath.Join(o.Dir, "machines.json"))
	if err != nil {
		return nil, err
	}
	leaves, err := openRegistry(filepath.Join(o.Dir, "leaves.json"))
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, machines: machines, leaves: leaves, console: id.Public, print: print, pending: map[string]Pending{},
		log:    newNATSLog(o.Log),
		access: &access{machines: machines, leaves: leaves, own: id.Public, linked: map[uint64]link{}},
	}
	settings, err := settingsOf(o.Listen, cert, s.access)
	if err != nil {
		return nil, err
	}
	settings.ServerName = "blunux-fleet"
	settings.JetStream, settings.StoreDir, settings.SyncAlways = true, filepath.Join(o.Dir, "streams"), true
	settings.JetStreamMaxStore, settings.JetStreamMaxMemory = maxStore, maxMemory
	if o.LeafListen != "" {
		if settings.LeafNode, err = leafSettings(o.LeafListen, cert); err != nil {
			return nil, err
		}
	}
	if s.nats, err = natsserver.NewServer(settings); err != nil {
		return nil, fmt.Errorf("cannot start the server: %w", err)
	}
	s.access.nats = s.nats
	s.nats.SetLoggerV2(s.log, false, false, false)
	go s.nats.Start()
	if !s.nats.ReadyForConnections(readyTime) {
		s.nats.Shutdown()
		return nil, fmt.Errorf(
			"cannot listen on %s: is another server running?",
			strings.TrimSpace(o.Listen+" "+o.LeafListen),
		)
	}
	if err := s.serve(ctx, id); err != nil {
		s.Close()
		return nil, err
	}
	watch, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	s.watching.Go(func() { s.watchStorage(watch) })
	return s, nil
}

// settingsOf returns the settings that a hub and a leaf server have in common.
func settingsOf(listen string, cert *tls.Config, check *access) (*natsserver.Options, error) {
	host, port, err := splitAddress(listen)
	if err != nil {
		return nil, err
	}
	return &natsserver.Options{
		Host: host, Port: port, TLS: true, TLSConfig: cert, TLSTimeout: tlsTime, MaxPayload: fleet.MaxPayload,
		AlwaysEnableNonce: true, CustomClientAuthentication: check, NoSigs: true,
	}, nil
}

// splitAddress reads host:port. Port 0 is any that is free.
func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("cannot listen on port %q: %w", text, err)
	}
	if port == 0 {
		port = natsserver.RANDOM_PORT
	}
	return host, port, nil
}

// serve connects to the embedded server, creates the streams, and answers machines and consoles.
func (s *Server) serve(ctx context.Context, id *fleet.Identity) error {
	var err error
	if s.conn, err = nats.Connect("", nats.InProcessServer(s.nats), id.Option(), nats.CustomInboxPrefix(fleet.Inbox(id.Public)), nats.MaxReconnects(-1)); err != nil {
		return fmt.Errorf("cannot connect to the embedded server: %w", err)
	}
	if s.streams, err = jetstream.New(s.conn); err != nil {
		return fmt.Errorf("cannot use JetStream: %w", err)
	}
	for _, c := range []jetstream.StreamConfig{
		{
			Name: fleet.Requests, Subjects: []string{"f.*.*." + fleet.Ask}, Retention: jetstream.WorkQueuePolicy, MaxAge: fleet.KeepFor,
			Duplicates: fleet.KeepFor, MaxBytes: 256 << 20, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		},
		{
			Name: fleet.Replies, Subjects: []string{"f.*.*." + fleet.Answered, "f.*.*." + fleet.Happened}, MaxAge: fleet.KeepFor,
			Duplicates: fleet.KeepFor, MaxBytes: 1 << 30, Storage: jetstream.FileStorage,
		},
		{
			Name: fleet.Records, Subjects: []string{fleet.RecordSubject("*", "*")}, MaxAge: fleet.KeepFor, MaxMsgsPerSubject: 1,
			MaxBytes: 64 << 20, Storage: jetstream.FileStorage,
		},
	} {
		if _, err := s.streams.CreateOrUpdateStream(ctx, c); err != nil {
			return fmt.Errorf("cannot create the stream %s: %w", c.Name, err)
		}
	}
	for _, e := range s.machines.list() {
		if err := s.openQueue(ctx, e.Machine); err != nil {
			return err
		}
	}
	for subject, handle := range map[string]nats.MsgHandler{
		fleet.PairSubject("*"): s.servePairing, "f.*.*." + fleet.Heartbeat: s.serveHeartbeat, fleet.ConsoleSubject("*"): s.serveConsole,
		fleet.LeafSubject("*", "*"): s.serveLeaf,
	} {
		if _, err := s.conn.Subscribe(subject, handle); err != nil {
			return fmt.Errorf("cannot serve %s: %w", subject, err)
		}
	}
	return nil
}

// openQueue creates a machine's consumer. One request at a time keeps their order.
func (s *Server) openQueue(ctx context.Context, m fleet.Machine) error {
	_, err := s.streams.CreateOrUpdateConsumer(ctx, fleet.Requests, jetstream.ConsumerConfig{
		Durable: m.Consumer(), FilterSubject: m.Subject(fleet.Ask), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: 30 * time.Second, MaxAckPending: 1, DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("cannot create the queue of %s: %w", m, err)
	}
	return nil
}

// Address returns where the server listens.
func (s *Server) Address() string { return s.nats.Addr().String() }

// Local returns where programs of this computer reach the server.
func (s *Server) Local() string {
	host, port, err := net.SplitHostPort(s.Address())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return s.Address()
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// Conn returns the connection of this process to the server, with the rights of the console.
func (s *Server) Conn() *nats.Conn { return s.conn }

// Console returns the public key of the console, which machines pin when they are paired.
func (s *Server) Console() string { return s.console }

// Close ends the server.
func (s *Server) Close() {
	if s.end != nil {
		s.end()
		s.watching.Wait()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	if s.lock != nil {
		s.lock.Close()
	}
}

func (s *Server) serveHeartbeat(m *nats.Msg) {
	if machine, _, ok := fleet.MachineOf(m.Subject); ok {
		var beat fleet.Beat
		_ = json.Unmarshal(m.Data, &beat) // an unreadable one is a sign of life, too
		s.machines.note(machine, beat, s.o.Now())
	}
}

// Pending is a machine or a leaf server that waits to be paired.
type Pending struct {
	Code string    `json:"code"`
	Key  string    `json:"key"`
	Host string    `json:"host"` // as the machine calls itself
	At   time.Time `json:"at"`
	// Leaf is the site of the leaf server through which a machine asks.
	Leaf string `json:"leaf,omitempty"`
	// Shown is the sum of the certificate that a leaf server shows to its machines. A machine shows none.
	Shown string `json:"shown,omitempty"`
}

const (
	// maxPending bounds the machines that wait here or at a leaf server, pairTime how long one waits.
	maxPending = 200
	pairTime   = 15 * time.Minute
)

// servePairing remembers a machine or a leaf server that asks to be paired. Its key is the subject's last token, which
// it may not choose.
func (s *Server) servePairing(m *nats.Msg) {
	key := m.Subject[len(fleet.PairSubject("")):]
	var ask fleet.PairRequest
	if json.Unmarshal(m.Data, &ask) != nil || len(ask.Host) > 64 || len(ask.Leaf) > 64 {
		return
	}
	code := fleet.PairingCode(s.print, key, s.console)
	if ask.Leaf != "" {
		code = fleet.LeafCode(s.print, key, s.console, ask.Leaf)
	}
	s.remember(Pending{Code: code, Key: key, Host: ask.Host, Shown: ask.Leaf})
	s.reply(m, fleet.PairReply{Console: s.console})
}

func (s *Server) remember(p Pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.At = s.o.Now()
	waiting := 0
	for k, other := range s.pending {
		switch {
		case p.At.Sub(other.At) > pairTime:
			delete(s.pending, k)
		case other.Leaf == p.Leaf:
			waiting++
		}
	}
	if waiting < maxPending {
		s.pending[p.id()] = p
	}
}

// id tells two requests with one key apart: a leaf server can claim any key.
func (p Pending) id() string { return p.Leaf + " " + p.Key }

// Call is a request of a console to the server; the subject names it.
type Call struct {
	Code    string            `json:"code,omitempty"`
	Machine fleet.Machine     `json:"machine,omitzero"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// Result is the answer to a [Call]. Error is for people, "" if it succeeded.
type Result struct {
	Error    string    `json:"error,omitempty"`
	Code     string    `json:"code,omitempty"` // of an error that a console can explain
	Machines []Member  `json:"machines,omitempty"`
	Leaves   []Member  `json:"leaves,omitempty"`
	Pending  []Pending `json:"pending,omitempty"`
}

// Member is a machine as a console sees it.
type Member struct {
	Entry
	Seen  time.Time  `json:"seen,omitzero"`
	Beat  fleet.Beat `json:"beat"`
	Twins bool       `json:"twins,omitempty"`
}

// The calls of a console.
const (
	CallMachines = "machines"
	CallPending  = "pending"
	CallPair     = "pair"
	CallRemove   = "remove"
)

func (s *Server) serveConsole(m *nats.Msg) {
	var c Call
	err := json.Unmarshal(m.Data, &c)
	var r Result
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), readyTime)
		defer cancel()
		r, err = s.call(ctx, m.Subject[len(fleet.ConsoleSubject("")):], c)
	}
	if err != nil {
		r.Error = err.Error()
		for code, known := range codes {
			if errors.Is(err, known) {
				r.Code = code
			}
		}
	}
	s.reply(m, r)
}

// codes are the errors that a console gets as such, by their codes on the wire.
var codes = map[string]error{
	"code":    ErrCode,
	"taken":   ErrTaken,
	"unknown": ErrUnknown,
	"name":    fleet.ErrName,
	"place":   ErrPlace,
	"leaves":  ErrNoLeaves,
}

// Err returns the error of a result, nil if it succeeded.
func (r Result) Err() error {
	switch {
	case r.Error == "":
		return nil
	case codes[r.Code] != nil:
		return codes[r.Code]
	}
	return errors.New(r.Error)
}

// errCall reports a console that knows more than this server.
var errCall = errors.New("this server does not know the request; update it")

func (s *Server) call(ctx context.Context, name string, c Call) (r Result, err error) {
	switch name {
	case CallMachines:
		r.Machines, r.Leaves = members(s.machines), members(s.leaves)
		return r, nil
	case CallPending:
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.pending {
			r.Pending = append(r.Pending, p)
		}
		return r, nil
	case CallPair:
		return r, s.pair(ctx, c)
	case CallRemove:
		if c.Machine.Name == "" {
			return r, s.removeLeaf(c.Machine)
		}
		return r, s.remove(ctx, c.Machine)
	}
	return r, errCall
}

func members(r *registry) (all []Member) {
	for _, e := range r.list() {
		all = append(all, Member{Entry: e, Seen: e.Seen, Beat: e.Beat, Twins: e.Twins})
	}
	return all
}

// ErrCode reports a pairing code that no machine shows.
var ErrCode = errors.New("no machine waits with this code; compare all twelve characters with the machine's screen")

// pair adds the machine or the leaf server that shows a code, and sends it its name.
func (s *Server) pair(ctx context.Context, c Call) error {
	if err := fleet.CheckName(c.Machine.Site); err != nil {
		return err
	}
	found, err := s.find(c.Code)
	if err != nil {
		return err
	}
	if err := found.fits(c.Machine); err != nil {
		return err
	}
	e := Entry{
		Machine: c.Machine, Key: found.Key, Labels: c.Labels, Added: s.o.Now().UTC(), Leaf: found.Leaf != "", Shown: found.Shown,
	}
	if found.Shown != "" {
		err = s.addLeaf(e)
	} else {
		err = s.addMachine(ctx, e)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.pending, found.id())
	s.mu.Unlock()
	if e.Leaf {
		s.updateLeaf(ctx, e.Site) // it tells the machine
		return nil
	}
	data, err := json.Marshal(c.Machine)
	if err == nil {
		err = s.conn.Publish(fleet.PairedSubject(found.Key), data)
	}
	if err != nil {
		return fmt.Errorf("cannot tell the machine its name: %w", err)
	}
	return nil
}

func (s *Server) find(code string) (Pending, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pending {
		if p.Code == code && s.o.Now().Sub(p.At) <= pairTime {
			return p, nil
		}
	}
	return Pending{}, ErrCode
}

// ErrPlace reports a name that does not fit what shows the code.
var ErrPlace = errors.New("a leaf server is added as SITE, a machine as SITE/NAME, with the SITE of its leaf server")

// fits reports why a name is none for what waits.
func (p Pending) fits(m fleet.Machine) error {
	switch {
	case (p.Shown != "") != (m.Name == ""), p.Leaf != "" && p.Leaf != m.Site:
		return ErrPlace
	case m.Name != "":
		return fleet.CheckName(m.Name)
	}
	return nil
}

func (s *Server) addMachine(ctx context.Context, e Entry) error {
	if err := s.openQueue(ctx, e.Machine); err != nil {
		return err
	}
	return s.machines.add(e)
}

// remove removes a machine with what waits for it, and ends its connection.
func (s *Server) remove(ctx context.Context, m fleet.Machine) error {
	e, err := s.machines.remove(m)
	if err != nil {
		return err
	}
	if err := s.streams.DeleteConsumer(ctx, fleet.Requests, m.Consumer()); err != nil &&
		!errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("cannot remove the queue of %s: %w", m, err)
	}
	stream, err := s.streams.Stream(ctx, fleet.Requests)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(m.Subject(fleet.Ask)))
	}
	if err != nil {
		return fmt.Errorf("cannot empty the queue of %s: %w", m, err)
	}
	if e.Leaf {
		s.updateLeaf(ctx, e.Site)
	}
	return s.disconnect(e.Key)
}

func (s *Server) disconnect(key string) error {
	if err := disconnect(s.nats, func(k string) bool { return k == key }); err != nil {
		return fmt.Errorf("cannot list the connections: %w", err)
	}
	return nil
}

func (s *Server) reply(m *nats.Msg, v any) {
	data, err := json.Marshal(v)
	if err == nil {
		err = m.Respond(data)
	}
	if err != nil {
		s.o.Log.Warn().Err(err).Str("subject", m.Subject).Msg("cannot answer")
	}
}
