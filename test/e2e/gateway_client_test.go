package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// This file is a client that was written from the text of the Moonbot specification alone (sections 2, 3.1 and 11):
// JSON-RPC over a WebSocket, reconnection with growing pauses up to 10 times, a timeout of 30 s for each request, and
// handlers of notifications. It shares no code and no types with the gateway.

type chatMessage struct {
	AgentID   string         `json:"agentId"`
	Text      string         `json:"text"`
	UserID    string         `json:"userId"`
	ChannelID string         `json:"channelId"`
	Metadata  map[string]any `json:"metadata,omitempty"`
	ID        string         `json:"id,omitempty"` // of this gateway: served once
}

type taskResponse struct {
	TaskID    string         `json:"taskId"`
	ChannelID string         `json:"channelId"`
	Text      string         `json:"text"`
	Status    string         `json:"status"`
	Metadata  map[string]any `json:"metadata"`
}

type approvalRequestEvent struct {
	TaskID    string          `json:"taskId"`
	ChannelID string          `json:"channelId"`
	ToolID    string          `json:"toolId"`
	Input     json.RawMessage `json:"input"`
	RequestID string          `json:"requestId"`
	Digest    string          `json:"digest"` // of this gateway
}

type approvalResolvedEvent struct {
	TaskID    string `json:"taskId"`
	ChannelID string `json:"channelId"`
	Approved  bool   `json:"approved"`
	RequestID string `json:"requestId"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Code string `json:"code"`
		Hint string `json:"hint"`
	} `json:"data"`
}

func (e *wireError) Error() string { return fmt.Sprintf("%d %s (%s)", e.Code, e.Message, e.Data.Code) }

type wireMessage struct {
	Version string          `json:"jsonrpc"`
	ID      *int            `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *wireError      `json:"error"`
}

const (
	maxReconnects = 10
	rpcTimeout    = 30 * time.Second
)

var errDisconnected = errors.New("disconnected")

// channelGatewayClient is the specification's ChannelGatewayClient.
type channelGatewayClient struct {
	url, token string
	handlers   map[string]func(json.RawMessage)
	trace      func(direction string, text []byte) // may be nil

	mu     sync.Mutex
	ws     *websocket.Conn
	next   int
	open   map[int]chan wireMessage
	closed bool
	up     chan struct{} // closed while connected
	lost   int           // connections
	last   error         // why the last one ended
	done   sync.WaitGroup
}

func newChannelGatewayClient(address, token string) *channelGatewayClient {
	return &channelGatewayClient{
		url: "ws://" + address, token: token, handlers: map[string]func(json.RawMessage){}, open: map[int]chan wireMessage{},
		up: make(chan struct{}),
	}
}

func (c *channelGatewayClient) on(event string, handler func(json.RawMessage)) {
	c.handlers[event] = handler
}

// connect connects once, and from then on again whenever the connection is lost.
func (c *channelGatewayClient) connect(ctx context.Context) error {
	if err := c.dial(ctx); err != nil {
		return err
	}
	c.done.Go(func() { c.run(ctx) })
	return nil
}

func (c *channelGatewayClient) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, c.url, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + c.token}}})
	if err != nil {
		return err
	}
	ws.SetReadLimit(1 << 20)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		ws.CloseNow()
		return errDisconnected
	}
	c.ws = ws
	close(c.up)
	return nil
}

func (c *channelGatewayClient) run(ctx context.Context) {
	for {
		c.readAll(ctx)
		pause := 100 * time.Millisecond
		for attempt := 1; ; attempt++ {
			c.mu.Lock()
			closed := c.closed
			c.mu.Unlock()
			if closed || attempt > maxReconnects {
				return
			}
			if c.dial(ctx) == nil {
				break
			}
			time.Sleep(pause)
			pause *= 2
		}
	}
}

func (c *channelGatewayClient) readAll(ctx context.Context) {
	c.mu.Lock()
	ws := c.ws
	c.mu.Unlock()
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			c.fail(err)
			return
		}
		c.record("<", text)
		var m wireMessage
		if json.Unmarshal(text, &m) != nil || m.Version != "2.0" {
			continue
		}
		if m.Method != "" {
			if handle := c.handlers[m.Method]; handle != nil {
				handle(m.Params)
			}
			continue
		}
		if m.ID == nil {
			continue
		}
		c.mu.Lock()
		wait := c.open[*m.ID]
		delete(c.open, *m.ID)
		c.mu.Unlock()
		if wait != nil {
			wait <- m
		}
	}
}

func (c *channelGatewayClient) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost++
	c.last = err
	c.up = make(chan struct{})
	for id, wait := range c.open {
		close(wait)
		delete(c.open, id)
	}
}

func (c *channelGatewayClient) record(direction string, text []byte) {
	if c.trace != nil {
		c.trace(direction, text)
	}
}

// call makes a request and waits for its result.
func (c *channelGatewayClient) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	select {
	case <-up:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	c.next++
	id := c.next
	ws := c.ws
	wait := make(chan wireMessage, 1)
	c.open[id] = wait
	c.mu.Unlock()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	c.record(">", text)
	if err := ws.Write(ctx, websocket.MessageText, text); err != nil {
		return errDisconnected
	}
	select {
	case m, ok := <-wait:
		switch {
		case !ok:
			return errDisconnected
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendToGateway sends a message, again with the same id after a lost connection.
func (c *channelGatewayClient) sendToGateway(ctx context.Context, m chatMessage) (r taskResponse, err error) {
	for attempt := 0; attempt <= maxReconnects; attempt++ {
		if err = c.call(ctx, "chat.send", m, &r); !errors.Is(err, errDisconnected) {
			return r, err
		}
	}
	return r, err
}

func (c *channelGatewayClient) close() {
	c.mu.Lock()
	c.closed = true
	ws := c.ws
	c.mu.Unlock()
	ws.Close(websocket.StatusNormalClosure, "")
	c.done.Wait()
}

// closeReason returns why the last connection ended, "" if none did.
func (c *channelGatewayClient) closeReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var closed websocket.CloseError
	if errors.As(c.last, &closed) {
		return strings.TrimSpace(closed.Reason)
	}
	return ""
}
