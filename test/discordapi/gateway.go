package discordapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"
)

// Opcodes of the gateway (section "Gateway Opcodes").
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// privileged are the intents that have to be turned on for a bot: members, presences, message content.
const privileged = 1<<1 | 1<<8 | 1<<15

// guildMessages is the intent for messages of servers.
const guildMessages = 1 << 9

// session is a session of the gateway. Its events are kept, so that it can be resumed.
type session struct {
	id     string
	events []event
	over   bool // it cannot be resumed
	conn   *websocket.Conn
	frames chan []byte // other frames to send
}

// event is a dispatched event. Its sequence number is its index in the session plus one.
type event struct {
	kind string
	data json.RawMessage
}

// frame is what a client sends.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
}

// serveGateway serves one connection to the gateway (section "Gateway").
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("v") != "10" || r.URL.Query().Get("encoding") != "json" {
		s.report("gateway: wrong version or encoding: %s", r.URL.RawQuery)
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	c.SetReadLimit(4096) // section "Sending Events"
	s.mu.Lock()
	if s.down {
		s.mu.Unlock()
		_ = c.CloseNow()
		return
	}
	s.sockets[c] = struct{}{}
	beat := s.beat
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer func() {
		cancel()
		s.mu.Lock()
		delete(s.sockets, c)
		s.mu.Unlock()
		_ = c.CloseNow()
	}()
	if send(ctx, c, map[string]any{"op": opHello, "d": map[string]any{"heartbeat_interval": beat.Milliseconds()}}) != nil {
		return
	}
	s.readFrames(ctx, c)
}

func send(ctx context.Context, c *websocket.Conn, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Write(ctx, websocket.MessageText, data)
}

// readFrames handles what a client sends until the connection ends.
func (s *Server) readFrames(ctx context.Context, c *websocket.Conn) {
	frames := make(chan []byte, 16)
	for {
		_, data, err := c.Read(ctx)
		if err != nil {
			return
		}
		var f frame
		if json.Unmarshal(data, &f) != nil {
			_ = c.Close(4002, "Decode error.")
			return
		}
		switch f.Op {
		case opHeartbeat:
			s.mu.Lock()
			deaf := s.deaf
			s.calls["heartbeat"]++
			s.mu.Unlock()
			if !deaf {
				frames <- []byte(`{"op":11}`)
				s.flush()
			}
		case opIdentify:
			if !s.identify(ctx, c, f.Data, frames) {
				return
			}
		case opResume:
			if !s.resume(ctx, c, f.Data, frames) {
				return
			}
		default:
			_ = c.Close(4001, "Unknown opcode.")
			return
		}
	}
}

// identify starts a session (section "Identify").
func (s *Server) identify(ctx context.Context, c *websocket.Conn, data json.RawMessage, frames chan []byte) bool {
	var d struct {
		Token   string `json:"token"`
		Intents *int   `json:"intents"`
	}
	if json.Unmarshal(data, &d) != nil || d.Intents == nil {
		_ = c.Close(4002, "Decode error.")
		return false
	}
	s.mu.Lock()
	refusal := s.refusal
	token := s.token
	s.mu.Unlock()
	switch {
	case d.Token != token:
		_ = c.Close(4004, "Authentication failed.")
		return false
	case *d.Intents&privileged != 0:
		refusal = 4014
	}
	if refusal != 0 {
		_ = c.Close(websocket.StatusCode(refusal), "Disallowed intent(s).")
		return false
	}
	s.mu.Lock()
	s.calls["identify"]++
	s.intents = *d.Intents
	n := &session{id: "s" + s.snowflake(), conn: c, frames: frames}
	ready, _ := json.Marshal(map[string]any{
		"v": 10, "user": botUser(), "guilds": []any{}, "private_channels": []any{}, "session_id": n.id,
		"resume_gateway_url": "ws://" + s.listener.Addr().String() + "/gateway", "application": map[string]any{"id": BotID, "flags": 0},
	})
	n.events = []event{{"READY", ready}}
	s.sessions[n.id] = n
	s.mu.Unlock()
	go s.writeEvents(ctx, n, c, 0)
	return true
}

// resume continues a session (section "Resuming").
func (s *Server) resume(ctx context.Context, c *websocket.Conn, data json.RawMessage, frames chan []byte) bool {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	if json.Unmarshal(data, &d) != nil {
		_ = c.Close(4002, "Decode error.")
		return false
	}
	s.mu.Lock()
	n := s.sessions[d.Session]
	if d.Token != s.token {
		s.mu.Unlock()
		_ = c.Close(4004, "Authentication failed.")
		return false
	}
	if n == nil || n.over || d.Seq > len(n.events) {
		s.mu.Unlock()
		_ = send(ctx, c, map[string]any{"op": opInvalid, "d": false})
		return true
	}
	s.calls["resume"]++
	n.conn, n.frames = c, frames
	n.events = append(n.events, event{"RESUMED", json.RawMessage("{}")})
	s.mu.Unlock()
	go s.writeEvents(ctx, n, c, d.Seq)
	return true
}

// writeEvents sends a session's events after seq, and other frames, until the connection ends.
func (s *Server) writeEvents(ctx context.Context, n *session, c *websocket.Conn, seq int) {
	for {
		s.mu.Lock()
		events, more := n.events[seq:], s.events
		mine, frames := n.conn == c, n.frames
		s.mu.Unlock()
		if !mine {
			return
		}
		for _, e := range events {
			seq++
			if send(ctx, c, map[string]any{"op": opDispatch, "s": seq, "t": e.kind, "d": e.data}) != nil {
				return
			}
		}
		select {
		case f := <-frames:
			if c.Write(ctx, websocket.MessageText, f) != nil {
				return
			}
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// flush wakes the writers.
func (s *Server) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.events)
	s.events = make(chan struct{})
}

// dispatch queues an event for every session. The caller holds the lock.
func (s *Server) dispatch(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // cannot fail for these types
	}
	for _, n := range s.sessions {
		if !n.over {
			n.events = append(n.events, event{kind, raw})
		}
	}
	close(s.events)
	s.events = make(chan struct{})
}

// Dispatch sends an event with arbitrary data.
func (s *Server) Dispatch(kind string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch(kind, data)
}

// sendFrame sends a frame to each connected session.
func (s *Server) sendFrame(text string) {
	s.mu.Lock()
	var all []chan []byte
	for _, n := range s.sessions {
		if _, open := s.sockets[n.conn]; open {
			all = append(all, n.frames)
		}
	}
	s.mu.Unlock()
	for _, frames := range all {
		frames <- []byte(text)
	}
	s.flush()
}

// Reconnect asks clients to reconnect (op 7).
func (s *Server) Reconnect() { s.sendFrame(`{"op":7,"d":null}`) }

// AskHeartbeat asks clients for a heartbeat at once (op 1).
func (s *Server) AskHeartbeat() { s.sendFrame(`{"op":1,"d":null}`) }

// Invalidate informs clients that their session is invalid (op 9), and ends all sessions unless they can be resumed.
func (s *Server) Invalidate(resumable bool) {
	s.sendFrame(`{"op":9,"d":` + strconv.FormatBool(resumable) + `}`)
	if resumable {
		return
	}
	s.ForgetSessions()
}

// ForgetSessions makes all sessions impossible to resume.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.sessions {
		n.over = true
	}
}

// CloseGateway closes the connections to the gateway with a code.
func (s *Server) CloseGateway(code int) {
	s.mu.Lock()
	var open []*websocket.Conn
	for c := range s.sockets {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close(websocket.StatusCode(code), "")
	}
}

// Refuse closes each connection that identifies with a code; 0 accepts them again.
func (s *Server) Refuse(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = code
}

// SetHeartbeat sets the interval of heartbeats, and whether they are acknowledged.
func (s *Server) SetHeartbeat(interval time.Duration, acknowledged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat, s.deaf = interval, !acknowledged
}
