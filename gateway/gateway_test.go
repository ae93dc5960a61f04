package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a running gateway with a token of each scope.
type desk struct {
	t       *testing.T
	dir     string
	address string
	link    *fakeLink
	gateway *Gateway
	tokens  map[Scope]string
	ended   chan error
	cancel  context.CancelFunc
}

func newDesk(t *testing.T, change func(*Options, *fakeLink)) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), tokens: map[Scope]string{}}
	for _, scope := range Scopes() {
		token, err := AddToken(d.dir, string(scope), scope, time.Now())
		require.NoError(t, err)
		d.tokens[scope] = token
	}
	d.start(change)
	return d
}

func (d *desk) start(change func(*Options, *fakeLink)) {
	d.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(d.t, err)
	d.link = newFakeLink()
	o := Options{Dir: d.dir, Link: d.link, Listener: l, Lang: i18n.English, Version: "test", Log: zerolog.Nop()}
	if change != nil {
		change(&o, d.link)
	}
	d.gateway, err = New(o)
	require.NoError(d.t, err)
	d.address = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel, d.ended = cancel, make(chan error, 1)
	go func() { d.ended <- d.gateway.Run(ctx) }()
	d.t.Cleanup(d.stop)
}

func (d *desk) stop() {
	if d.cancel == nil {
		return
	}
	d.cancel()
	d.cancel = nil
	require.NoError(d.t, <-d.ended)
}

// dial connects with a header Authorization, none if the token is "".
func (d *desk) dial(token string) *websocket.Conn {
	d.t.Helper()
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	ws, _, err := websocket.Dial(d.t.Context(), "ws://"+d.address, &websocket.DialOptions{HTTPHeader: header})
	require.NoError(d.t, err)
	d.t.Cleanup(func() { ws.CloseNow() })
	ws.SetReadLimit(-1)
	return ws
}

func (d *desk) write(ws *websocket.Conn, text string) {
	d.t.Helper()
	require.NoError(d.t, ws.Write(d.t.Context(), websocket.MessageText, []byte(text)))
}

// read returns the next message.
func (d *desk) read(ws *websocket.Conn) wire {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	_, text, err := ws.Read(ctx)
	require.NoError(d.t, err)
	var m wire
	require.NoError(d.t, json.Unmarshal(text, &m), "%s", text)
	return m
}

// awaitClose reads until the connection is closed, and returns its status.
func (d *desk) awaitClose(ws *websocket.Conn) websocket.StatusCode {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	for {
		if _, _, err := ws.Read(ctx); err != nil {
			require.NoError(d.t, ctx.Err())
			return websocket.CloseStatus(err)
		}
	}
}

type wire struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int
		Data struct{ Code string }
	} `json:"error"`
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"gateway.info"}`

// handshake sends a request for a WebSocket as a browser could, and returns the status.
func (d *desk) handshake(path, host string, header http.Header) int {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, "http://"+d.address+path, nil)
	require.NoError(d.t, err)
	if host != "" {
		r.Host = host
	}
	for name, values := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
		r.Header.Set(name, values)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(r)
	require.NoError(d.t, err)
	answer.Body.Close()
	return answer.StatusCode
}

func TestThreat32AWebPageCannotReachTheGateway(t *testing.T) {
	d := newDesk(t, nil)
	good := http.Header{"Authorization": {"Bearer " + d.tokens[Approve]}}
	with := func(name, value string) http.Header {
		h := good.Clone()
		h[name] = append(h[name], value)
		return h
	}
	_, port, _ := net.SplitHostPort(d.address)
	for name, c := range map[string]struct {
		path, host string
		header     http.Header
		want       int
	}{
		"a program":                {"/", "", good, 101},
		"by name":                  {"/", "localhost:" + port, good, 101},
		"through a tunnel":         {"/", "127.0.0.1:9999", good, 101},
		"IPv6":                     {"/", "[::1]:" + port, good, 101},
		"a page elsewhere":         {"/", "", with("Origin", "https://example.com"), 403},
		"a sandboxed page":         {"/", "", with("Origin", "null"), 403},
		"a page on this machine":   {"/", "", with("Origin", "http://localhost:3000"), 403},
		"a page of another scheme": {"/", "", with("Origin", "https://"+d.address), 403},
		"two origins":              {"/", "", http.Header{"Authorization": good["Authorization"], "Origin": {"http://" + d.address, "https://example.com"}}, 403},
		"a name that leads here":   {"/", "evil.example:" + port, good, 403},
		"its subdomain":            {"/", "localhost.evil.example", good, 403},
		"an address of the LAN":    {"/", "192.168.0.2:" + port, good, 403},
		"a token in the address":   {"/?token=" + d.tokens[Approve], "", nil, 400},
		"an empty query":           {"/?", "", good, 101},
		"another path":             {"/ws", "", good, 404},
		"a wrong token":            {"/", "", http.Header{"Authorization": {"Bearer blunux_gw_00"}}, 401},
		"a hash":                   {"/", "", http.Header{"Authorization": {"Bearer " + hashOf(d.tokens[Approve])}}, 401},
		"a password":               {"/", "", http.Header{"Authorization": {"Basic eDp5"}}, 401},
	} {
		require.Equal(t, c.want, d.handshake(c.path, c.host, c.header), name)
	}
	require.Equal(t, 426, func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+d.address+"/", nil)
		require.NoError(t, err)
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		require.NoError(t, err)
		answer.Body.Close()
		return answer.StatusCode
	}())
}

func TestTheFirstMessageCanShowTheToken(t *testing.T) {
	d := newDesk(t, nil)
	ws := d.dial("")
	require.Zero(t, d.link.starts()) // a stranger starts no daemon
	d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":"auth","params":{"token":%q}}`, d.tokens[Write]))
	m := d.read(ws)
	require.Equal(t, "a", m.ID)
	require.JSONEq(t, `{"token":"write","scope":"write"}`, string(m.Result))
	require.Equal(t, 1, d.link.starts())
	d.write(ws, ping)
	require.Contains(t, string(d.read(ws).Result), `"chat.send"`)
	d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"auth","params":{"token":%q}}`, d.tokens[Approve]))
	require.Equal(t, codeRequest, d.read(ws).Error.Code) // a token is not exchanged for another

	for _, first := range []string{ping, `{"jsonrpc":"2.0","id":1,"method":"auth","params":{"token":"no"}}`, `{"jsonrpc":"2.0","id":1,"method":"auth"}`} {
		ws := d.dial("")
		d.write(ws, first)
		require.Equal(t, "auth", d.read(ws).Error.Data.Code)
		require.Equal(t, websocket.StatusPolicyViolation, d.awaitClose(ws))
	}
}

func TestAStrangerMustShowATokenInTime(t *testing.T) {
	d := newDesk(t, func(o *Options, _ *fakeLink) { o.AuthTime = 50 * time.Millisecond })
	require.Equal(t, websocket.StatusPolicyViolation, d.awaitClose(d.dial("")))
	raw, err := net.Dial("tcp", d.address) // without any request
	require.NoError(t, err)
	defer raw.Close()
	_, err = raw.Read(make([]byte, 1))
	require.Error(t, err)
}

func TestMessagesThatAreNoRequestsAreRefused(t *testing.T) {
	d := newDesk(t, nil)
	ws := d.dial(d.tokens[Approve])
	for text, code := range map[string]int{
		``: codeParse, `[]`: codeParse, `[` + ping + `]`: codeParse, `{`: codeParse, "{\"a\":\"\xff\"}": codeParse, `3`: codeParse,
		strings.Repeat(`{"a":`, 100_000): codeParse, `{"jsonrpc":"2.0","id":1,"method":"x","params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`: codeParse,
		`{}`: codeRequest, `{"jsonrpc":"1.0","id":1,"method":"health"}`: codeRequest, `{"jsonrpc":"2.0","id":{},"method":"health"}`: codeRequest,
		`{"jsonrpc":"2.0","id":1,"method":"nope"}`:                                                   codeMethod,
		`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":[1]}`:                                 codeParams,
		`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":3}}`:                          codeParams,
		`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":" "}}`:                        codeParams,
		`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":"a","id":"\u0007"}}`:          codeParams,
		`{"jsonrpc":"2.0","id":1,"method":"approval.grant","params":{"taskId":"t","approved":true}}`: codeParams,
	} {
		if !json.Valid([]byte(text)) && strings.Contains(text, "\xff") {
			// A WebSocket text must be UTF-8; the client's library does not check.
			require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(text)))
		} else {
			d.write(ws, text)
		}
		m := d.read(ws)
		require.NotNil(t, m.Error, text[:min(len(text), 80)])
		require.Equal(t, code, m.Error.Code, text[:min(len(text), 80)])
	}
	d.write(ws, `{"jsonrpc":"2.0","method":"gateway.info"}`) // a notification has no answer
	d.write(ws, ping)
	require.InDelta(t, 1.0, d.read(ws).ID, 0)
	require.NoError(t, ws.Write(t.Context(), websocket.MessageBinary, []byte(ping)))
	require.Equal(t, websocket.StatusUnsupportedData, d.awaitClose(ws))
}

func TestThreat25FramesThatAreTooLargeEndTheConnection(t *testing.T) {
	d := newDesk(t, nil)
	for _, c := range []struct {
		token string
		size  int
	}{{"", strangerFrame + 1}, {d.tokens[Write], maxFrame + 1}, {d.tokens[Write], 100 << 20}} {
		ws := d.dial(c.token)
		closed := make(chan websocket.StatusCode, 1)
		go func() { closed <- d.awaitClose(ws) }()
		_ = ws.Write(t.Context(), websocket.MessageText, make([]byte, c.size)) // fails while it is written
		code := <-closed
		require.Contains(t, []websocket.StatusCode{websocket.StatusMessageTooBig, -1}, code) // -1: reset before it was read
	}
	ws := d.dial(d.tokens[Write])
	d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":%q}}`, strings.Repeat("a", maxFrame-200)))
	require.Nil(t, d.read(ws).Error)
}

func TestThreat25StrangersKeepNobodyOut(t *testing.T) {
	d := newDesk(t, nil)
	var all []net.Conn
	for range 10_000 {
		c, err := net.Dial("tcp", d.address)
		require.NoError(t, err)
		all = append(all, c)
		if len(all) > 500 { // files of this process
			all[0].Close()
			all = all[1:]
		}
	}
	ws := d.dial(d.tokens[Read])
	d.write(ws, ping)
	require.Nil(t, d.read(ws).Error)
	d.gateway.admit.mu.Lock()
	require.LessOrEqual(t, len(d.gateway.admit.strangers), maxStrangers)
	d.gateway.admit.mu.Unlock()
	for _, c := range all {
		c.Close()
	}
	members := []*websocket.Conn{ws}
	for len(members) < maxConnections {
		members = append(members, d.dial(d.tokens[Read]))
	}
	require.Eventually(t, func() bool { return len(d.gateway.members()) == maxConnections }, time.Minute, time.Millisecond)
	require.Equal(t, websocket.StatusTryAgainLater, d.awaitClose(d.dial(d.tokens[Read])))
	members[1].CloseNow()
	require.Eventually(t, func() bool { return len(d.gateway.members()) < maxConnections }, time.Minute, time.Millisecond)
	d.write(d.dial(d.tokens[Read]), ping)
}

func TestAClientThatDoesNotReadIsDisconnected(t *testing.T) {
	d := newDesk(t, nil)
	slow := d.dial(d.tokens[Read])
	require.Eventually(t, func() bool { return len(d.gateway.members()) == 1 }, time.Minute, time.Millisecond)
	text := strings.Repeat("a", 512<<10)
	for range 100 { // more than the system's buffers and ours
		d.gateway.deliver(entry{Token: "read", ID: "x", Status: statusSuccess, Text: text})
		if len(d.gateway.members()) == 0 {
			break
		}
	}
	require.Eventually(t, func() bool { return len(d.gateway.members()) == 0 }, time.Minute, time.Millisecond)
	slow.CloseNow()
	ws := d.dial(d.tokens[Read])
	d.write(ws, ping)
	for d.read(ws).ID == nil { // answers that nobody got
	}
}

func TestATokenMakesSixtyRequestsAMinute(t *testing.T) {
	var mu sync.Mutex
	now := time.Now()
	d := newDesk(t, func(o *Options, _ *fakeLink) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
	})
	one, two, other := d.dial(d.tokens[Read]), d.dial(d.tokens[Read]), d.dial(d.tokens[Write])
	for i := range perMinute {
		ws := []*websocket.Conn{one, two}[i%2]
		d.write(ws, ping)
		require.Nil(t, d.read(ws).Error)
	}
	d.write(two, ping)
	require.Equal(t, "rate_limit", d.read(two).Error.Data.Code)
	d.write(other, ping)
	require.Nil(t, d.read(other).Error)
	mu.Lock()
	now = now.Add(time.Minute)
	mu.Unlock()
	d.write(two, ping)
	require.Nil(t, d.read(two).Error)
}

func TestMessagesOfAConnectionKeepTheirOrder(t *testing.T) {
	d := newDesk(t, nil)
	ws := d.dial(d.tokens[Write])
	for i := range 30 {
		d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"chat.send","params":{"id":"m%d","text":"word %d"}}`, i, i, i))
	}
	for range 60 {
		d.read(ws)
	}
	sent := d.link.messages(ipc.TypeMessage)
	require.Len(t, sent, 30)
	for i, m := range sent {
		require.Equal(t, fmt.Sprintf("word %d", i), m.Body)
	}
}

func TestAnAnswerIsGivenOnceAndKeptForTheSameID(t *testing.T) {
	d := newDesk(t, nil)
	send := func(ws *websocket.Conn, id, text string) wire {
		d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":%q,"text":%q,"channelId":"c"}}`, id, text))
		return d.read(ws)
	}
	ws := d.dial(d.tokens[Write])
	require.Contains(t, string(send(ws, "a", "one").Result), `"pending"`)
	require.Contains(t, string(d.read(ws).Params), "heard: one")
	require.Contains(t, string(send(ws, "a", "one").Result), "heard: one")
	require.Equal(t, codeParams, send(ws, "a", "two").Error.Code)
	// Another token's id is another message.
	require.Contains(t, string(send(d.dial(d.tokens[Approve]), "a", "two").Result), `"pending"`)
	d.read(ws)
	d.stop()

	d.start(nil) // what one gateway stored, the next one knows
	ws = d.dial(d.tokens[Write])
	require.Contains(t, string(send(ws, "a", "one").Result), "heard: one")
	require.Empty(t, d.link.messages(ipc.TypeMessage))
}

func TestAnAnswerWaitsForAClientOfItsToken(t *testing.T) {
	d := newDesk(t, func(_ *Options, l *fakeLink) { l.hold = true })
	ws := d.dial(d.tokens[Write])
	d.write(ws, `{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":"a","text":"one"}}`)
	d.read(ws)
	ws.Close(websocket.StatusNormalClosure, "")
	request := d.link.messages(ipc.TypeMessage)[0].ID
	require.Eventually(t, func() bool { return len(d.gateway.members()) == 0 }, time.Minute, time.Millisecond)
	d.link.emit(ipc.Message{Type: ipc.TypeResponse, Re: request, Done: true, Body: "late"}.WithData(ipc.Outcome{Task: "ta", Stop: "end_turn"}))
	require.Eventually(t, func() bool { return len(d.gateway.ledger.pending()) == 0 }, time.Minute, time.Millisecond)
	d.stop()

	d.start(nil)
	other := d.dial(d.tokens[Read])
	d.write(other, ping)
	require.Empty(t, d.read(other).Method) // it is not for this token
	ws = d.dial(d.tokens[Write])
	m := d.read(ws)
	require.Equal(t, "chat.response", m.Method)
	require.Contains(t, string(m.Params), "late")
	again := d.dial(d.tokens[Write])
	d.write(again, ping)
	require.Empty(t, d.read(again).Method) // and comes once
}

func TestALostDaemonEndsWhatItHadNotAccepted(t *testing.T) {
	d := newDesk(t, func(o *Options, l *fakeLink) { l.silent = true })
	ws := d.dial(d.tokens[Write])
	d.write(ws, `{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":"a","text":"one"}}`)
	require.Eventually(t, func() bool { return len(d.link.messages(ipc.TypeMessage)) == 1 }, time.Minute, time.Millisecond)
	d.link.events <- ipc.LinkEvent{Disconnected: ipc.ErrLost}
	require.Equal(t, "network", d.read(ws).Error.Data.Code)
	d.link.mu.Lock()
	d.link.silent = false
	d.link.mu.Unlock()
	d.link.events <- ipc.LinkEvent{Connected: &ipc.Hello{}}
	d.write(ws, `{"jsonrpc":"2.0","id":2,"method":"chat.send","params":{"id":"a","text":"one"}}`)
	require.Contains(t, string(d.read(ws).Result), `"pending"`)
	require.Contains(t, string(d.read(ws).Params), "heard: one")
}

func TestARequestThatTheDaemonDoesNotAnswerEnds(t *testing.T) {
	d := newDesk(t, func(o *Options, l *fakeLink) { o.CallTime, l.silent = 20*time.Millisecond, true })
	ws := d.dial(d.tokens[Approve])
	for method, want := range map[string]string{"channel.list": "timeout", "approval.list": "timeout", "chat.send": "timeout", "tool.run": ""} {
		d.write(ws, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"text":"a","toolId":"x"}}`, method))
		m := d.read(ws)
		if want == "" {
			require.Contains(t, string(m.Result), `"pending"`)
		} else {
			require.Equal(t, want, m.Error.Data.Code, method)
		}
	}
}

func TestThreat38ARemovedTokenIsDisconnectedAndItsTurnCancelled(t *testing.T) {
	d := newDesk(t, func(_ *Options, l *fakeLink) { l.hold = true })
	ws, other := d.dial(d.tokens[Write]), d.dial(d.tokens[Read])
	d.write(ws, `{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":"a","text":"one"}}`)
	d.read(ws)
	require.NoError(t, RemoveToken(d.dir, "write"))
	require.Equal(t, websocket.StatusPolicyViolation, d.awaitClose(ws))
	require.Eventually(t, func() bool { return len(d.link.messages(ipc.TypeCancel)) == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, d.link.messages(ipc.TypeMessage)[0].ID, d.link.messages(ipc.TypeCancel)[0].Re)
	d.write(other, ping)
	require.Nil(t, d.read(other).Error)
	require.Equal(t, 401, d.handshake("/", "", http.Header{"Authorization": {"Bearer " + d.tokens[Write]}}))
	require.NoError(t, os.Chmod(TokensPath(d.dir), 0o644)) // others can read it now
	require.Equal(t, websocket.StatusPolicyViolation, d.awaitClose(other))
}

func TestAnUnusedGatewayEnds(t *testing.T) {
	d := newDesk(t, func(o *Options, l *fakeLink) { o.IdleExit, l.hold = 20*time.Millisecond, true })
	ws := d.dial(d.tokens[Write])
	d.write(ws, `{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":"a","text":"one"}}`)
	d.read(ws)
	ws.Close(websocket.StatusNormalClosure, "")
	require.Eventually(t, func() bool { return len(d.gateway.members()) == 0 }, time.Minute, time.Millisecond)
	select {
	case <-d.ended:
		require.Fail(t, "it ended with an open message")
	case <-time.After(100 * time.Millisecond): // several of its limits
	}
	d.link.emit(ipc.Message{Type: ipc.TypeResponse, Re: d.link.messages(ipc.TypeMessage)[0].ID, Done: true})
	require.NoError(t, <-d.ended)
	d.ended <- nil
}

func TestOneGatewayUsesADirectory(t *testing.T) {
	d := newDesk(t, nil)
	require.True(t, IsRunning(d.dir))
	_, err := New(Options{Dir: d.dir, Link: newFakeLink(), Listener: d.gateway.Listener})
	require.ErrorIs(t, err, ErrRunning)
	d.stop()
	require.False(t, IsRunning(d.dir))
}

// FuzzRequests: no message of a client stops the gateway, and each gets at most one answer.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(ping))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","method":"chat.send","params":{"text":"a","id":"b"}}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e999,"method":"health","params":{"a":"\\"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRequest(text)
		if err != nil {
			e := encodeError(err, i18n.Korean)
			require.Contains(t, []int{codeParse, codeRequest}, e.Code)
			require.True(t, json.Valid(encode(e)))
			return
		}
		require.True(t, json.Valid(text))
		require.NotEmpty(t, r.Method)
		require.True(t, json.Valid(encode(response{Version: "2.0", ID: r.ID, Result: 1})))
		var m chatMessage
		if decodeParams(r.Params, &m) == nil && m.check() == nil {
			of := conversation{"token", m.AgentID, m.ChannelID, m.UserID}
			require.Equal(t, of, parseSession(of.session()))
			require.Equal(t, of, parseSession("agent:main:session:gateway/"+of.session()))
		}
	})
}

func TestErrorsSayWhatHelps(t *testing.T) {
	e := encodeError(&ipc.Error{Code: ipc.CodeBusy, Message: "m", Hint: "h", RetryAfter: 3}, i18n.English)
	require.Equal(t, &rpcError{codeServer, "m", &errorData{ipc.CodeBusy, "h", 3}}, e)
	require.Equal(t, ipc.CodeNetwork, encodeError(errors.New("x"), i18n.English).Data.Code)
}
