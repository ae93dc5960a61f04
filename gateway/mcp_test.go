package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connectMCP connects a client of the protocol's own library.
func (d *desk) connectMCP(token string) *mcp.ClientSession {
	d.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(d.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + d.address + mcpPath, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
	}, nil)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { s.Close() })
	return s
}

// post sends one message to the MCP server and returns the status and the answer.
func (d *desk) post(token, text string, header http.Header) (int, wire) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, "http://"+d.address+mcpPath, strings.NewReader(text))
	require.NoError(d.t, err)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	require.NoError(d.t, err)
	defer answer.Body.Close()
	var m wire
	_ = json.NewDecoder(answer.Body).Decode(&m) // not each answer is JSON
	return answer.StatusCode, m
}

func TestAnMCPClientListsAndCallsTools(t *testing.T) {
	d := newDesk(t, func(_ *Options, l *fakeLink) {
		l.results = map[string]func() any{"tools": func() any {
			return []ipc.ToolInfo{
				{Name: "system_info", Description: "Shows it.", InputSchema: json.RawMessage(`{"type":"object"}`), OnlyReads: true},
				{Name: "run_command", Description: "Runs it.", InputSchema: json.RawMessage(`{"type":"object"}`)},
			}
		}}
	})
	s := d.connectMCP(d.tokens[Write])
	require.Equal(t, "2025-11-25", s.InitializeResult().ProtocolVersion)
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 2)
	require.True(t, list.Tools[0].Annotations.ReadOnlyHint)
	require.True(t, *list.Tools[1].Annotations.DestructiveHint)
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_command", Arguments: map[string]any{"command": "true"}})
	require.NoError(t, err)
	require.False(t, r.IsError)
	require.Equal(t, "called", r.Content[0].(*mcp.TextContent).Text)
	sent := d.link.messages(ipc.TypeCall)
	require.Len(t, sent, 1)
	require.Contains(t, string(sent[0].Data), `{"command":"true"}`)
	require.NoError(t, s.Ping(t.Context(), nil))
}

func TestAnMCPCallNeedsATokenThatMayWrite(t *testing.T) {
	d := newDesk(t, nil)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"true"}}}`
	status, _ := d.post("", call, nil)
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = d.post("blunux_gw_other", call, nil)
	require.Equal(t, http.StatusUnauthorized, status)
	status, m := d.post(d.tokens[Read], call, nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "denied", m.Error.Data.Code)
	status, _ = d.post(d.tokens[Write], call, http.Header{"Origin": {"https://example.org"}})
	require.Equal(t, http.StatusForbidden, status)
	require.Empty(t, d.link.messages(ipc.TypeCall))
}

func TestAnMCPRequestThatIsWrongIsNamed(t *testing.T) {
	d := newDesk(t, nil)
	token := d.tokens[Approve]
	for name, c := range map[string]struct {
		text   string
		header http.Header
		status int
		code   int
	}{
		"not JSON":           {"{", nil, http.StatusBadRequest, codeParse},
		"a batch":            {"[" + ping + "]", nil, http.StatusBadRequest, codeParse},
		"deep":               {strings.Repeat(`{"a":`, 100), nil, http.StatusBadRequest, codeParse},
		"no version":         {`{"id":1,"method":"ping"}`, nil, http.StatusBadRequest, codeRequest},
		"another method":     {`{"jsonrpc":"2.0","id":1,"method":"chat.send"}`, nil, http.StatusOK, codeMethod},
		"an old version":     {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.Header{mcpVersionHeader: {"2024-11-05"}}, http.StatusBadRequest, codeRequest},
		"input is a list":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}`, nil, http.StatusOK, codeParams},
		"no tool":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, http.StatusOK, codeParams},
		"another media type": {ping, http.Header{"Content-Type": {"text/plain"}}, http.StatusUnsupportedMediaType, 0},
		"too large":          {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxFrame) + `"}`, nil, http.StatusRequestEntityTooLarge, 0},
		"an answer":          {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, http.StatusAccepted, 0},
		"a notification":     {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, http.StatusAccepted, 0},
	} {
		t.Run(name, func(t *testing.T) {
			status, m := d.post(token, c.text, c.header)
			require.Equal(t, c.status, status)
			if c.code != 0 {
				require.Equal(t, c.code, m.Error.Code)
			} else {
				require.Nil(t, m.Error)
			}
		})
	}
	require.Equal(t, http.StatusMethodNotAllowed, d.handshake(mcpPath, "", http.Header{"Authorization": {"Bearer " + token}}))
	require.Empty(t, d.link.messages(ipc.TypeCall))
}

// TestAnMCPCallEndsWithItsClient: it cancels or disconnects. Another client's cancellation changes nothing.
func TestAnMCPCallEndsWithItsClient(t *testing.T) {
	for name, cancels := range map[string]bool{"cancels": true, "disconnects": false} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(_ *Options, l *fakeLink) { l.hold = true })
			session := http.Header{mcpSessionHeader: {"mcp-one"}}
			ctx, disconnect := context.WithCancel(t.Context())
			defer disconnect()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if answer, err := http.DefaultClient.Do(d.callRequest(ctx, session)); err == nil {
					answer.Body.Close()
				}
			}()
			require.Eventually(t, func() bool { return len(d.link.messages(ipc.TypeCall)) > 0 }, time.Minute, time.Millisecond)
			const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
			d.post(d.tokens[Write], cancelled, http.Header{mcpSessionHeader: {"mcp-other"}})
			d.post(d.tokens[Approve], cancelled, session)
			require.Empty(t, d.link.messages(ipc.TypeCancel))
			if cancels {
				d.post(d.tokens[Write], cancelled, session)
			}
			disconnect()
			<-ended
			require.Eventually(t, func() bool { return len(d.link.messages(ipc.TypeCancel)) > 0 }, time.Minute, time.Millisecond)
			d.stop()
			require.Len(t, d.link.messages(ipc.TypeCancel), 1)
		})
	}
}

// callRequest returns the request for a call of a tool.
func (d *desk) callRequest(ctx context.Context, header http.Header) *http.Request {
	d.t.Helper()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_command"}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.address+mcpPath, strings.NewReader(call))
	require.NoError(d.t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+d.tokens[Write])
	return r
}

func TestAnMCPTokenHasSoManyCallsAtATime(t *testing.T) {
	d := newDesk(t, func(_ *Options, l *fakeLink) { l.hold = true })
	ctx, disconnect := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer disconnect()
	for range maxCalls {
		r := d.callRequest(ctx, nil)
		work.Go(func() {
			if answer, err := http.DefaultClient.Do(r); err == nil {
				answer.Body.Close()
			}
		})
	}
	require.Eventually(t, func() bool { return len(d.link.messages(ipc.TypeCall)) == maxCalls }, time.Minute, time.Millisecond)
	answer, err := http.DefaultClient.Do(d.callRequest(ctx, nil))
	require.NoError(t, err)
	defer answer.Body.Close()
	var m wire
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&m))
	require.Equal(t, "busy", m.Error.Data.Code)
}
