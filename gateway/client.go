package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// strangerFrame bounds a message of a client without a token, maxFrame one of a client with a token, in bytes.
	strangerFrame = 64 << 10
	maxFrame      = 1 << 20
	// maxUnread bounds the messages, maxUnreadBytes their bytes, that wait for a client that does not read.
	maxUnread      = 256
	maxUnreadBytes = 4 << 20
	// writeTime bounds the write of one message.
	writeTime = 10 * time.Second
	// maxCalls bounds the requests of a client that are answered at the same time.
	maxCalls = 32
	// pingEvery is how often a client must show that it is there, within pingTime.
	pingEvery = time.Minute
	pingTime  = 20 * time.Second
)

// client is a connected client.
type client struct {
	g      *Gateway
	ws     *websocket.Conn
	raw    *counted
	ctx    context.Context
	cancel context.CancelFunc
	out    chan []byte
	unread atomic.Int64 // bytes in out
	calls  chan struct{}
	lang   i18n.Lang // of texts for its person
	ending sync.Once
	ended  sync.WaitGroup // the goroutine of end

	mu     sync.Mutex
	token  Token
	member bool
}

// serveClient serves a client until it disconnects or is disconnected.
func (g *Gateway) serveClient(ws *websocket.Conn, raw *counted, token Token, lang i18n.Lang) {
	c := &client{g: g, ws: ws, raw: raw, out: make(chan []byte, maxUnread), calls: make(chan struct{}, maxCalls), lang: lang}
	c.ctx, c.cancel = context.WithCancel(g.ctx)
	defer c.cancel()
	if !g.add(c) {
		ws.CloseNow()
		return
	}
	defer g.work.Done()
	defer g.remove(c)
	var work sync.WaitGroup
	defer func() {
		c.ending.Do(func() {}) // nothing ends it from here on
		c.ended.Wait()
	}()
	defer work.Wait()
	defer c.cancel()
	work.Go(c.writeAll)
	late := time.AfterFunc(g.AuthTime, func() {
		if _, ok := c.identity(); !ok {
			c.end(websocket.StatusPolicyViolation, "no token")
		}
	})
	defer late.Stop()
	ws.SetReadLimit(strangerFrame)
	if token.Name != "" {
		if err := c.admit(token); err != nil {
			c.end(websocket.StatusTryAgainLater, "too many clients")
		} else {
			c.sendMissed(token)
		}
	}
	work.Go(c.ping)
	c.readAll()
}

func (g *Gateway) add(c *client) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return false
	}
	g.work.Add(1)
	g.clients[c] = struct{}{}
	return true
}

func (g *Gateway) remove(c *client) {
	g.mu.Lock()
	delete(g.clients, c)
	g.mu.Unlock()
	c.ws.CloseNow()
	c.raw.Close()
	g.resetIdle()
}

// identity returns the client's token. ok is false before it has shown one.
func (c *client) identity() (token Token, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token, c.member
}

// admit makes the client one with a token, connects to the daemon, and sends the answers that the token's clients
// missed.
func (c *client) admit(token Token) error {
	if !c.g.admit.promote(c.raw) {
		return newError(codeServer, ipc.CodeBusy, i18n.ErrBusy)
	}
	c.ws.SetReadLimit(maxFrame)
	c.mu.Lock()
	c.token, c.member = token, true
	c.mu.Unlock()
	c.g.daemon.start(c.g.ctx)
	c.g.Log.Info().Str("token", token.Name).Str("scope", string(token.Scope)).Msg("client connected")
	return nil
}

// readAll serves the client's messages in their order.
func (c *client) readAll() {
	for {
		kind, text, err := c.ws.Read(c.ctx)
		if err != nil {
			return // disconnected, or a message that is too large
		}
		if kind != websocket.MessageText {
			c.end(websocket.StatusUnsupportedData, "text only")
			continue // until it is closed
		}
		c.serve(text)
	}
}

// serve serves one message. Requests that wait for the daemon are answered later.
func (c *client) serve(text []byte) {
	r, err := parseRequest(text)
	if err != nil {
		c.reply(r.ID, nil, err)
		return
	}
	if r.Method == "auth" {
		c.authenticate(r)
		return
	}
	token, ok := c.identity()
	m, known := methods()[r.Method]
	switch {
	case !ok:
		c.reply(r.ID, nil, newError(codeServer, ipc.CodeAuth, i18n.GatewayNoToken))
		c.end(websocket.StatusPolicyViolation, "no token")
		return
	case !c.g.tokens.holds(token):
		c.end(websocket.StatusPolicyViolation, "the token was removed")
		return
	case !known:
		c.reply(r.ID, nil, newError(codeMethod, ipc.CodeUnknownType, i18n.GatewayNoMethod(r.Method)))
		return
	case !token.Scope.Permits(m.scope):
		c.reply(r.ID, nil, newError(codeServer, ipc.CodeDenied, i18n.GatewayScope(string(m.scope), string(token.Scope))))
		return
	}
	if wait, ok := c.g.rates.take(token.Name, c.g.Now()); !ok {
		err := newError(codeServer, ipc.CodeRateLimit, i18n.GatewayRate(perMinute))
		err.wait = int(wait.Seconds()) + 1
		c.reply(r.ID, nil, err)
		return
	}
	select {
	case c.calls <- struct{}{}:
	default:
		c.reply(r.ID, nil, newError(codeServer, ipc.CodeBusy, i18n.ErrBusy))
		return
	}
	done := sync.OnceFunc(func() { <-c.calls })
	m.serve(&call{client: c, token: token, params: r.Params, answer: func(result any, err error) {
		c.reply(r.ID, result, err)
		done()
	}})
}

// authenticate serves the method auth: the first message of a client that sent no token in its header.
func (c *client) authenticate(r request) {
	var params struct {
		Token string `json:"token"`
	}
	if _, ok := c.identity(); ok {
		c.reply(r.ID, nil, newError(codeRequest, ipc.CodeBadRequest, i18n.GatewayAgain))
		return
	}
	if err := decodeParams(r.Params, &params); err != nil {
		c.reply(r.ID, nil, err)
		c.end(websocket.StatusPolicyViolation, "no token")
		return
	}
	token, ok := c.g.tokens.find(params.Token)
	if !ok {
		c.reply(r.ID, nil, newError(codeServer, ipc.CodeAuth, i18n.GatewayBadToken))
		c.end(websocket.StatusPolicyViolation, "unknown token")
		return
	}
	if err := c.admit(token); err != nil {
		c.reply(r.ID, nil, err)
		c.end(websocket.StatusTryAgainLater, "too many clients")
		return
	}
	c.reply(r.ID, map[string]any{"token": token.Name, "scope": token.Scope}, nil)
	c.sendMissed(token)
}

// sendMissed sends the answers that no client of the token got.
func (c *client) sendMissed(token Token) {
	c.g.delivery.Lock()
	defer c.g.delivery.Unlock()
	for _, e := range c.g.ledger.undelivered(token.owner()) {
		if c.write(encode(notification{"2.0", "chat.response", e.response()})) {
			c.g.noteDelivered(e)
		}
	}
}

// reply answers a request. A notification gets no answer, and an unreadable request one with the id null.
func (c *client) reply(id []byte, result any, err error) {
	switch {
	case err != nil && id == nil && isParseError(err):
		id = []byte("null")
	case id == nil:
		return
	}
	r := response{Version: "2.0", ID: id, Result: result}
	if err != nil {
		r.Result, r.Error = nil, encodeError(err, c.lang)
	}
	c.write(encode(r))
}

func isParseError(err error) bool {
	e := encodeError(err, i18n.English)
	return e.Code == codeParse || e.Code == codeRequest
}

// write queues a message, and reports whether there was room. A client that does not read is disconnected.
func (c *client) write(text []byte) bool {
	if c.unread.Add(int64(len(text))) <= maxUnreadBytes {
		select {
		case c.out <- text:
			return true
		default:
		}
	}
	c.end(websocket.StatusPolicyViolation, "the client does not read")
	return false
}

// writeAll writes the queued messages until the client is disconnected.
func (c *client) writeAll() {
	for {
		select {
		case text := <-c.out:
			ctx, cancel := context.WithTimeout(c.ctx, writeTime)
			err := c.ws.Write(ctx, websocket.MessageText, text)
			cancel()
			c.unread.Add(-int64(len(text))) // only now: flush waits until it is written
			if err != nil {
				c.cancel()
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// ping ends the connection of a client that is no longer there.
func (c *client) ping() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(c.ctx, pingTime)
			err := c.ws.Ping(ctx)
			cancel()
			if err != nil {
				c.cancel()
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// end disconnects the client and says why, after the messages that it can still read. It does not block.
func (c *client) end(code websocket.StatusCode, why string) {
	c.ending.Do(func() {
		c.ended.Go(func() {
			c.flush()
			c.ws.Close(code, why)
			c.cancel()
		})
	})
}

// flushTime bounds the wait for the last messages of a client.
const flushTime = time.Second

// flush waits until the queued messages are written, but not long.
func (c *client) flush() {
	end := time.NewTimer(flushTime)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for c.unread.Load() > 0 && c.unread.Load() <= maxUnreadBytes {
		select {
		case <-tick.C:
		case <-end.C:
			return
		case <-c.ctx.Done():
			return
		}
	}
}
