package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/state"
)

const (
	// minDelay and maxBackoff bound the delay between attempts after failures.
	minDelay, maxBackoff = 250 * time.Millisecond, time.Minute
	// helloTime is how long the server has for its first frame, writeTime for receiving one.
	helloTime, writeTime = 20 * time.Second, 10 * time.Second
	// maxFrame is the maximum size of a frame. READY is the largest one.
	maxFrame = 8 << 20
	// maxQueued is how many events wait while earlier ones are stored.
	maxQueued = 256
	// minBeat is the minimum accepted interval of heartbeats.
	minBeat = 10 * time.Millisecond
)

// Opcodes (section "Gateway Opcodes").
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// Close codes (section "Gateway Close Event Codes").
const (
	closeNotAuthenticated  = 4003
	closeAuthentication    = 4004
	closeAlreadyIdentified = 4005
	closeSequence          = 4007
	closeRateLimited       = 4008
	closeTimeout           = 4009
	closeShard             = 4010
	closeSharding          = 4011
	closeVersion           = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// Kinds of events that the bot asks for: direct messages, and messages of servers if there are rooms. It needs none of the
// privileged ones, because Discord always sends the content of direct messages and of those that mention the bot (section
// "Message Content Intent").
const (
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
)

// intentsFor returns the kinds of events for rooms.
func intentsFor(rooms []string) int {
	if len(rooms) > 0 {
		return intentDirectMessages | intentGuildMessages
	}
	return intentDirectMessages
}

// frame is a frame of the gateway (section "Gateway Event Payload Structure").
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
}

// event is a dispatched event in the queue. Its data is nil if it is ignored.
type event struct {
	seq  int64
	kind string
	data json.RawMessage
	// response is the result of the response to an interaction.
	response <-chan error
}

// gateway is the bot's session at the gateway. It outlives connections.
type gateway struct {
	*Client
	to       bridge.Receiver
	reported state.State
	me       string // the bot's name; "" until it is known

	session, resumeURL string // "" for none
	handled            int64  // sequence number of the last event that was stored
	caughtUp           bool   // the messages from before the session were fetched
	worked             bool   // the last connection became ready

	rooms        []string        // as of the last connection
	roomsChanged <-chan struct{} // closed when others count
}

// Reasons why a connection ends, other than errors of the network.
var (
	errReconnect = errors.New("the server asks to reconnect")
	errInvalid   = errors.New("the session is invalid")
	errSilent    = errors.New("the server does not acknowledge heartbeats")
	errFrame     = errors.New("unexpected frame")
	errRooms     = errors.New("other rooms count")
)

// storeError is the error of storing a message. The message does not count as received.
type storeError struct{ error }

func (e storeError) Unwrap() error { return e.error }

// Run implements [bridge.Messenger].
func (c *Client) Run(ctx context.Context, to bridge.Receiver) error {
	within, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case err := <-c.lost:
			abort(err)
		case <-done:
		}
	}()
	g := &gateway{Client: c, to: to}
	defer g.saveConversations()
	g.reportState(state.State{Phase: state.Connecting})
	wait := newBackoff()
	for {
		g.updateRooms()
		err := g.connect(within)
		if within.Err() != nil {
			if ctx.Err() != nil {
				return nil
			}
			return haltError(context.Cause(within))
		}
		if g.worked {
			wait.Reset()
		}
		pause, halt := g.handleError(err, wait)
		if halt != nil {
			return halt
		}
		sleep(within, pause)
	}
}

// updateRooms reads which rooms count. A session with other intents cannot be resumed.
func (g *gateway) updateRooms() {
	ids, changed := g.to.Rooms()
	if intentsFor(ids) != intentsFor(g.rooms) {
		g.forgetSession()
	}
	if !slices.Equal(ids, g.rooms) {
		g.caughtUp = false
	}
	g.rooms, g.roomsChanged = ids, changed
	g.conversations.keepRooms(ids)
}

// saveConversations saves what was not worth saving alone.
func (g *gateway) saveConversations() {
	if err := g.conversations.save(); err != nil {
		g.options.Log.Warn().Err(err).Msg("cannot save the conversations")
	}
}

func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = minDelay, maxBackoff/3*2, 2, 0.5
	return b
}

// handleError reports the state after a connection has ended. It returns the delay before the next one, or the error that
// ends Run.
func (g *gateway) handleError(err error, wait *backoff.ExponentialBackOff) (time.Duration, error) {
	if halt := haltError(err); halt != nil {
		return 0, halt
	}
	g.options.Log.Debug().Str("error", account.Shorten(g.redact(err).Error())).Msg("connection ended")
	code := websocket.CloseStatus(err)
	switch {
	case errors.Is(err, errReconnect), errors.Is(err, errRooms):
		return 0, nil
	case errors.Is(err, errInvalid): // section "Resuming": wait for 1 to 5 seconds
		return time.Second + rand.N(4*time.Second), nil
	case code == closeNotAuthenticated, code == closeAlreadyIdentified, code == closeSequence, code == closeTimeout:
		g.forgetSession()
		return minDelay, nil
	}
	pause := wait.NextBackOff()
	var busy *bridge.Busy
	var kept storeError
	switch {
	case errors.As(err, &busy):
		g.reportState(state.State{Phase: state.Limited, Until: time.Now().Add(busy.After)})
		return busy.After, nil
	case code == closeRateLimited:
		g.reportState(state.State{Phase: state.Limited, Until: time.Now().Add(maxBackoff)})
		return maxBackoff, nil
	case errors.As(err, &kept):
		g.options.Log.Warn().Err(g.redact(err)).Msg("cannot store messages")
	default:
		g.reportState(state.State{Phase: state.Offline, Detail: account.Shorten(g.redact(err).Error())})
	}
	return pause, nil
}

// haltError returns a [bridge.Halt] if the person must act, or nil.
func haltError(err error) error {
	var api *apiError
	phase := state.Phase("")
	switch code := websocket.CloseStatus(err); {
	case code == closeAuthentication, Unknown(err):
		phase = state.LoggedOut
	case code == closeShard, code == closeSharding, code == closeVersion, code == closeInvalidIntents, code == closeDisallowedIntents:
		phase = state.Outdated
	case errors.As(err, &api) && api.Status == http.StatusForbidden && api.Code != 0:
		phase = state.Banned
	default:
		return nil
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: account.Shorten(err.Error())}}
}

func (g *gateway) forgetSession() { g.session, g.resumeURL, g.handled = "", "", 0 }

// reportState reports the messenger's state if it has changed.
func (g *gateway) reportState(s state.State) {
	s.Account = g.me
	if s.Phase == g.reported.Phase && s.Until.Equal(g.reported.Until) && s.Account == g.reported.Account {
		return
	}
	g.reported = s
	g.to.UpdateState(s)
}

// connect connects to the gateway and handles events until the connection ends. It returns why it ended.
func (g *gateway) connect(ctx context.Context) error {
	g.worked = false
	conn, interval, err := g.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // the connection is over
	if err := g.start(ctx, conn); err != nil {
		return err
	}
	within, end := context.WithCancelCause(ctx)
	k := &link{gateway: g, conn: conn, end: end, queue: make(chan event, maxQueued), beatNow: make(chan struct{}, 1)}
	k.seen.Store(g.handled)
	k.acknowledged.Store(true)
	var all sync.WaitGroup
	all.Go(func() { k.sendHeartbeats(within, interval) })
	all.Go(func() { k.handleEvents(within) })
	all.Go(func() { k.watchRooms(within) })
	end(k.readFrames(within)) // the first reason counts
	_ = conn.CloseNow()
	all.Wait()
	k.responses.Wait()
	if errors.Is(context.Cause(within), errInvalid) && !k.resumable {
		g.forgetSession()
	}
	return context.Cause(within)
}

// dial opens a connection, and reads the interval of its heartbeats.
func (g *gateway) dial(ctx context.Context) (*websocket.Conn, time.Duration, error) {
	address := g.resumeURL
	if address == "" {
		var err error
		if address, err = g.gatewayURL(ctx); err != nil {
			return nil, 0, err
		}
	}
	opening, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot connect to the gateway: %w", err)
	}
	conn, _, err := websocket.Dial(opening, u.JoinPath("/").String()+"?v=10&encoding=json", &websocket.DialOptions{
		HTTPClient: g.http, HTTPHeader: http.Header{"User-Agent": {g.userAgent()}},
	})
	if err != nil {
		g.resumeURL = "" // the next attempt asks for an address
		return nil, 0, fmt.Errorf("cannot connect to the gateway: %w", err)
	}
	conn.SetReadLimit(maxFrame)
	hello, err := readFrame(opening, conn, helloTime)
	var d struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if err == nil && (hello.Op != opHello || json.Unmarshal(hello.Data, &d) != nil) {
		err = errFrame
	}
	if err != nil {
		_ = conn.CloseNow()
		return nil, 0, fmt.Errorf("cannot connect to the gateway: %w", err)
	}
	return conn, max(time.Duration(d.Interval)*time.Millisecond, minBeat), nil
}

// gatewayURL requests the address of the gateway (section "Get Gateway Bot").
func (g *gateway) gatewayURL(ctx context.Context) (string, error) {
	var d struct {
		URL   string `json:"url"`
		Start struct {
			Total     int   `json:"total"`
			Remaining int   `json:"remaining"`
			After     int64 `json:"reset_after"` // milliseconds
		} `json:"session_start_limit"`
	}
	if err := g.call(ctx, request{method: "GET", path: "gateway/bot", route: "gateway/bot"}, &d); err != nil {
		return "", err
	}
	if d.Start.Total > 0 && d.Start.Remaining <= 0 && g.session == "" {
		return "", &bridge.Busy{After: account.Delay(time.Duration(d.Start.After) * time.Millisecond)}
	}
	if !isGatewayURL(d.URL) {
		return "", errors.New("the server returned no valid address of its gateway")
	}
	return d.URL, nil
}

// isGatewayURL reports whether an address can be given the token: it must use TLS or be this computer.
func isGatewayURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" &&
		(u.Scheme == "wss" || u.Scheme == "ws" && account.IsLoopback(u.Hostname()))
}

// start starts a session, or resumes the last one (sections "Identify", "Resume").
func (g *gateway) start(ctx context.Context, conn *websocket.Conn) error {
	if g.session != "" {
		return writeFrame(ctx, conn, opResume, map[string]any{"token": g.options.Token, "session_id": g.session, "seq": g.handled})
	}
	return writeFrame(ctx, conn, opIdentify, map[string]any{
		"token": g.options.Token, "intents": intentsFor(g.rooms), "properties": map[string]string{"os": "linux", "browser": "blunux-ai", "device": "blunux-ai"},
	})
}

func readFrame(ctx context.Context, conn *websocket.Conn, timeout time.Duration) (frame, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var f frame
	_, data, err := conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	return f, err
}

func writeFrame(ctx context.Context, conn *websocket.Conn, op int, data any) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	text, err := json.Marshal(map[string]any{"op": op, "d": data})
	if err == nil {
		err = conn.Write(ctx, websocket.MessageText, text)
	}
	if err != nil {
		return fmt.Errorf("cannot write to the gateway: %w", err)
	}
	return nil
}
