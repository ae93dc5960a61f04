// Package server is the fleet's server: NATS with JetStream in this process, the list of the machines, and pairing. It
// stores and forwards; what runs on a machine is decided there.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
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
	Log    zerolog.Logger
	Now    func() time.Time
}

// Server is a running server.
type Server struct {
	o        Options
	machines *registry
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
	pending map[string]Pending // by key
}

// readyTime bounds the wait for the embedded server.
const readyTime = 30 * time.Second

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
	s := &Server{o: o, machines: machines, console: id.Public, print: print, pending: map[string]Pending{}, log: newNATSLog(o.Log)}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", o.Listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on port %q: %w", port, err)
	}
	if number == 0 {
		number = natsserver.RANDOM_PORT
	}
	s.nats, err = natsserver.NewServer(&natsserver.Options{
		ServerName: "blunux-fleet", Host: host, Port: number, TLS: true, TLSConfig: cert, TLSTimeout: 10,
		JetStream: true, StoreDir: filepath.Join(o.Dir, "streams"), SyncAlways: true, MaxPayload: fleet.MaxPayload,
		JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory,
		AlwaysEnableNonce: true, CustomClientAuthentication: &access{machines, id.Public}, NoSigs: true,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start the server: %w", err)
	}
	s.nats.SetLoggerV2(s.log, false, false, false)
	go s.nats.Start()
	if !s.nats.ReadyForConnections(readyTime) {
		s.nats.Shutdown()
		return nil, fmt.Errorf("cannot listen on %s: is another server running?", o.Listen)
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

// Pending is a machine that waits to be paired.
type Pending struct {
	Code string    `json:"code"`
	Key  string    `json:"key"`
	Host string    `json:"host"` // as the machine calls itself
	At   time.Time `json:"at"`
}

const (
	// maxPending bounds the machines that wait, pairTime how long one waits.
	maxPending = 200
	pairTime   = 15 * time.Minute
)

// servePairing remembers a machine that asks to be paired. Its key is the subject's last token, which it may not
// choose.
func (s *Server) servePairing(m *nats.Msg) {
	key := m.Subject[len(fleet.PairSubject("")):]
	var ask fleet.PairRequest
	if json.Unmarshal(m.Data, &ask) != nil || len(ask.Host) > 64 {
		return
	}
	s.mu.Lock()
	now := s.o.Now()
	for k, p := range s.pending {
		if now.Sub(p.At) > pairTime {
			delete(s.pending, k)
		}
	}
	if len(s.pending) < maxPending {
		s.pending[key] = Pending{Code: fleet.PairingCode(s.print, key, s.console), Key: key, Host: ask.Host, At: now}
	}
	s.mu.Unlock()
	s.reply(m, fleet.PairReply{Console: s.console})
}

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
var codes = map[string]error{"code": ErrCode, "taken": ErrTaken, "unknown": ErrUnknown, "name": fleet.ErrName}

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
		for _, e := range s.machines.list() {
			r.Machines = append(r.Machines, Member{Entry: e, Seen: e.Seen, Beat: e.Beat, Twins: e.Twins})
		}
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
		return r, s.remove(ctx, c.Machine)
	}
	return r, errCall
}

// ErrCode reports a pairing code that no machine shows.
var ErrCode = errors.New("no machine waits with this code; compare all twelve characters with the machine's screen")

// pair adds the machine that shows a code, and tells it its name.
func (s *Server) pair(ctx context.Context, c Call) error {
	if err := errors.Join(fleet.CheckName(c.Machine.Site), fleet.CheckName(c.Machine.Name)); err != nil {
		return err
	}
	s.mu.Lock()
	var found Pending
	for _, p := range s.pending {
		if p.Code == c.Code && s.o.Now().Sub(p.At) <= pairTime {
			found = p
		}
	}
	s.mu.Unlock()
	if found.Key == "" {
		return ErrCode
	}
	if err := s.openQueue(ctx, c.Machine); err != nil {
		return err
	}
	if err := s.machines.add(Entry{Machine: c.Machine, Key: found.Key, Labels: c.Labels, Added: s.o.Now().UTC()}); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.pending, found.Key)
	s.mu.Unlock()
	data, err := json.Marshal(c.Machine)
	if err == nil {
		err = s.conn.Publish(fleet.PairedSubject(found.Key), data)
	}
	if err != nil {
		return fmt.Errorf("cannot tell the machine its name: %w", err)
	}
	return nil
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
	return s.disconnect(e.Key)
}

func (s *Server) disconnect(key string) error {
	all, err := s.nats.Connz(&natsserver.ConnzOptions{Username: true, Limit: 10_000})
	if err != nil {
		return fmt.Errorf("cannot list the connections: %w", err)
	}
	for _, c := range all.Conns {
		if c.AuthorizedUser == key {
			_ = s.nats.DisconnectClientByID(c.Cid) // it may be gone
		}
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
