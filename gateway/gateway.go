// Package gateway lets other programs use the daemon over JSON-RPC 2.0 on a WebSocket, as the Moonbot specification
// describes it (sections 2, 9 and 11). It connects clients with the daemon and does nothing else: it starts no program,
// decides nothing about a command, and has no more rights than its channel at the daemon. What a client may do depends
// on the scope of its token. docs/gateway.md describes the methods.
//
// A message that a client names is served once. The daemon knows each message by its name, and the gateway keeps the
// answers on disk until clients have them, so that both can be killed at any time.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
)

// Options configures a gateway. Dir, Link and Listener are required.
type Options struct {
	Dir      string // of the tokens and the answers
	Link     Link
	Listener net.Listener
	// Hosts are names in addition to those of the loopback under which clients reach it.
	Hosts   []string
	Fleet   string // the socket of a fleet's server, see [ipc.FleetSocket]; "" for none
	Lang    i18n.Lang
	Version string
	Log     zerolog.Logger
	// IdleExit is after how long without clients and open messages Run returns. 0 means never.
	IdleExit time.Duration
	// AuthTime bounds the time until a client has shown its token, CallTime that of a request. 0 means 10 s and 30 s.
	AuthTime, CallTime time.Duration
	Now                func() time.Time
}

// Gateway serves the clients of one listener.
type Gateway struct {
	Options
	started time.Time
	tokens  *tokens
	ledger  *ledger
	daemon  *daemonLink
	rates   rates
	admit   *admission
	work    sync.WaitGroup // goroutines other than those of the HTTP server
	ctx     context.Context

	delivery sync.Mutex // held from the sending of an answer until it is noted as delivered; taken before mu

	mu      sync.Mutex
	clients map[*client]struct{}
	sending map[entryKey]*sending
	running map[string]string // tokens of running messages, by the id of the request to the daemon
	asked   map[string]question
	waiting map[string]string // tasks of questions, by their codes
	calls   map[string]*toolCall
	idle    *time.Timer
	closing bool
	close   context.CancelFunc
}

// New opens the directory. It fails with [ErrRunning] if another gateway uses it. The caller calls [Gateway.Run].
func New(o Options) (*Gateway, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.AuthTime == 0 {
		o.AuthTime = 10 * time.Second
	}
	if o.CallTime == 0 {
		o.CallTime = 30 * time.Second
	}
	g := &Gateway{
		Options: o, started: o.Now(), tokens: &tokens{dir: o.Dir, now: o.Now}, daemon: newDaemonLink(o.Link),
		rates:   rates{made: map[string][]time.Time{}},
		admit:   &admission{Listener: o.Listener},
		clients: map[*client]struct{}{},
		sending: map[entryKey]*sending{},
		running: map[string]string{},
		asked:   map[string]question{},
		waiting: map[string]string{},
		calls:   map[string]*toolCall{},
	}
	if _, err := g.tokens.current(); err != nil {
		o.Log.Error().Err(err).Msg("cannot read tokens")
	}
	ledger, damage, err := openLedger(o.Dir, o.Now)
	if err != nil {
		return nil, err
	}
	g.ledger = ledger
	for _, d := range damage {
		o.Log.Error().Err(d).Msg("cannot read state file")
	}
	g.daemon.connected, g.daemon.event = g.recover, g.serveEvent
	return g, nil
}

// Run serves clients until ctx ends or the gateway is idle, which are no errors.
func (g *Gateway) Run(ctx context.Context) error {
	defer g.ledger.close()
	ctx, g.close = context.WithCancel(ctx)
	defer g.close()
	g.ctx = ctx
	stopWatching, err := g.watchTokens(ctx)
	if err != nil {
		return err
	}
	defer stopWatching()
	server := &http.Server{
		Handler: http.HandlerFunc(g.serveHTTP), ReadHeaderTimeout: g.AuthTime, MaxHeaderBytes: 16 << 10,
		IdleTimeout: g.AuthTime, ErrorLog: log.New(io.Discard, "", 0), // strangers' mistakes are not logged
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	server.SetKeepAlivesEnabled(false)
	served := make(chan error, 1)
	go func() { served <- server.Serve(g.admit) }()
	g.resetIdle()
	select {
	case <-ctx.Done():
		err = nil
	case err = <-served:
		served <- err
	}
	g.close()
	server.Close()
	if serveErr := <-served; err != nil && errors.Is(serveErr, http.ErrServerClosed) {
		err = nil
	}
	g.stopIdle()
	g.closeClients()
	if err := removeExpired(g.Dir, g.Now()); err != nil {
		g.Log.Warn().Err(err).Msg("cannot remove expired sessions")
	}
	g.work.Wait()
	g.daemon.close()
	if err != nil {
		return fmt.Errorf("cannot serve clients: %w", err)
	}
	return nil
}

// connKey is the key of a connection in the context of its request.
type connKey struct{}

// spawn runs work that Run waits for, unless the gateway ends.
func (g *Gateway) spawn(work func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closing {
		g.work.Go(work)
	}
}

// watchTokens disconnects the clients of tokens that are removed.
func (g *Gateway) watchTokens(ctx context.Context) (stop func(), err error) {
	w, err := watch.New(func(err error) { g.Log.Warn().Err(err).Msg("cannot watch the tokens") },
		watch.Dir{Path: g.Dir, Match: func(name string) bool { return name == "tokens.json" }})
	if err != nil {
		return nil, fmt.Errorf("cannot watch the tokens: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-w.Changes():
				g.dropRevoked()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		w.Close()
		g.close()
		<-done
	}, nil
}

// dropRevoked disconnects the clients of removed tokens, and cancels what they started.
func (g *Gateway) dropRevoked() {
	g.mu.Lock()
	var gone []*client
	names := map[string]bool{}
	for c := range g.clients {
		if token, ok := c.identity(); ok && !g.tokens.holds(token) {
			gone = append(gone, c)
			names[token.Name] = token.Page == nil
		}
	}
	all, _ := g.tokens.current() // without readable tokens, all are removed
	var cancel []string
	for id, token := range g.running {
		if names[token] || !slices.ContainsFunc(all, func(t Token) bool { return t.owner() == token }) {
			cancel = append(cancel, id)
		}
	}
	g.mu.Unlock()
	for _, c := range gone {
		c.end(websocket.StatusPolicyViolation, "the token was removed")
	}
	for _, id := range cancel {
		if _, err := g.daemon.requests.Send(ipc.Message{Type: ipc.TypeCancel, Re: id}, func(ipc.Message, error) {}); err != nil {
			g.Log.Warn().Err(err).Msg("cannot cancel message of removed token")
		}
	}
}

// serveHTTP makes a client of a connection, if it comes from a program of this machine that has or will show a token.
func (g *Gateway) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if isPagePath(r.URL.Path) {
		g.servePage(w, r)
		return
	}
	switch {
	case !g.isOwnHost(r.Host) || !isOwnOrigin(r):
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return
	case r.URL.Path != "/" && r.URL.Path != mcpPath:
		http.NotFound(w, r)
		return
	case r.URL.RawQuery != "": // such as ?token=…, which servers and browsers keep
		http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
		return
	}
	raw, _ := r.Context().Value(connKey{}).(*counted)
	if raw == nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	var token Token
	if header := r.Header.Get("Authorization"); header != "" {
		text, _ := strings.CutPrefix(header, "Bearer ")
		var ok bool
		if token, ok = g.tokens.find(strings.TrimSpace(text)); !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
			return
		}
	}
	if r.URL.Path == mcpPath {
		g.serveMCP(w, r, raw, token)
		return
	}
	// The origin was checked above.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // it has answered
	}
	g.serveClient(ws, raw, token, g.Lang)
}

// isOwnHost reports whether a request names this machine, so that a web page cannot reach it under its own name
// that leads here.
func (g *Gateway) isOwnHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	return slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, host) || slices.Contains(g.Hosts, host)
}

// isOwnOrigin reports whether a request comes from no web page, or from one of this gateway.
func isOwnOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) || u.Scheme != "http" {
			return false
		}
	}
	return true
}

// resetIdle restarts the wait for the end of an unused gateway.
func (g *Gateway) resetIdle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.IdleExit <= 0 || g.ctx.Err() != nil {
		return
	}
	if g.idle != nil {
		g.idle.Stop()
	}
	g.idle = time.AfterFunc(g.IdleExit, func() {
		if g.isUnused() {
			g.close()
			return
		}
		g.resetIdle()
	})
}

func (g *Gateway) stopIdle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil {
		g.idle.Stop()
	}
}

// isUnused reports whether there are no clients and no open messages, whose questions end with this program.
func (g *Gateway) isUnused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.clients)+len(g.sending)+len(g.running)+len(g.calls) == 0
}

func (g *Gateway) closeClients() {
	g.mu.Lock()
	g.closing = true
	all := make([]*client, 0, len(g.clients))
	for c := range g.clients {
		all = append(all, c)
	}
	g.mu.Unlock()
	for _, c := range all {
		c.end(websocket.StatusGoingAway, "the gateway ends")
	}
}

// members returns the clients with a token.
func (g *Gateway) members() []*client {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []*client
	for c := range g.clients {
		if _, ok := c.identity(); ok {
			all = append(all, c)
		}
	}
	return all
}

// broadcast sends a notification to all clients with a token, and reports whether one of a token was among them. The
// caller holds mu, so that notifications keep their order.
func (g *Gateway) broadcast(token, method string, params any) (reached bool) {
	text := encode(notification{"2.0", method, params})
	for c := range g.clients {
		if t, ok := c.identity(); ok && c.write(text) && t.owner() == token {
			reached = true
		}
	}
	return reached
}
