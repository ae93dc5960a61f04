package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

var question = providers.Request{Messages: []providers.Message{providers.UserText("?")}}

func one(int, providertest.Request) providertest.Reply {
	return providertest.Reply{Text: []string{"ok"}}
}

func TestTheEnvironmentDecidesNothing(t *testing.T) {
	wrong := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the wrong server was asked") }))
	defer wrong.Close()
	home := t.TempDir()
	profile := filepath.Join(home, "anthropic")
	require.NoError(t, os.MkdirAll(profile, 0o700))
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ambient", "ANTHROPIC_AUTH_TOKEN": "ambient-token", "ANTHROPIC_BASE_URL": wrong.URL,
		"ANTHROPIC_CUSTOM_HEADERS": "X-Ambient: yes", "ANTHROPIC_PROFILE": "ambient", "ANTHROPIC_CONFIG_DIR": profile, "XDG_CONFIG_HOME": home,
		"ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "all",
	} {
		t.Setenv(name, value)
	}
	for _, style := range []string{"x-api-key", "bearer", "none"} {
		m, server := start(t, one, anthropic.Options{AuthStyle: transport.AuthStyle(style)})
		_, err := m.Complete(context.Background(), question, nil)
		require.NoError(t, err)
		seen := server.Requests()[0]
		require.NotContains(t, fmt.Sprint(seen.Header), "mbient")
		require.Equal(t, style == "x-api-key", seen.Header["X-Api-Key"] == providertest.Key)
		require.Equal(t, style == "bearer", seen.Header["Authorization"] == "Bearer "+providertest.Key)
		require.Equal(t, "2023-06-01", seen.Header["Anthropic-Version"])
	}
}

func TestBaseURLs(t *testing.T) {
	server := providertest.Anthropic(t, one)
	for _, suffix := range []string{"", "/", "/v1", "/v1/", "/v1/messages"} {
		m, _ := start(t, one, anthropic.Options{BaseURL: server.URL + suffix})
		_, err := m.Complete(context.Background(), question, nil)
		require.NoError(t, err, suffix)
	}
	var asked string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.RequestURI() }))
	defer other.Close()
	for suffix, want := range map[string]string{
		"/api/anthropic": "/api/anthropic/v1/messages", "/api/anthropic/": "/api/anthropic/v1/messages", "/v1?region=eu&x=1": "/v1/messages?region=eu&x=1",
		"/v1/messages?region=eu": "/v1/messages?region=eu",
	} {
		m, _ := start(t, one, anthropic.Options{BaseURL: other.URL + suffix})
		_, err := m.Complete(context.Background(), question, nil)
		require.Error(t, err)
		require.Equal(t, want, asked)
	}
	_, err := anthropic.New(anthropic.Options{Model: "m", BaseURL: other.URL + "?api_key=sk-hidden"})
	require.ErrorContains(t, err, "it contains a key")
	require.NotContains(t, err.Error(), "hidden")
	_, err = anthropic.New(anthropic.Options{})
	require.ErrorContains(t, err, "no model id")
	_, err = anthropic.New(anthropic.Options{Model: "m", BaseURL: "claude.ai"})
	require.ErrorContains(t, err, "base_url")
}

// rawServer answers with these events and records the last request.
func rawServer(t *testing.T, contentType string, bodies ...string) (*anthropic.Model, *string) {
	t.Helper()
	last, n := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // the test's assertions detect a short body
		last = string(b)
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, bodies[min(n, len(bodies)-1)])
		n++
	}))
	t.Cleanup(server.Close)
	m, _ := start(t, one, anthropic.Options{BaseURL: server.URL})
	return m, &last
}

func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		var head struct{ Type string }
		_ = json.Unmarshal([]byte(e), &head) // invalid JSON has no type
		fmt.Fprintf(&b, "event: %s\r\ndata: %s\r\n\r\n", head.Type, e)
	}
	return b.String()
}

func block(index int, start string, deltas ...string) string {
	list := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start)}
	for _, d := range deltas {
		list = append(list, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
	}
	return events(append(list, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

func message(stop string, blocks ...string) string {
	return events(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":1000,"output_tokens":1}}}`) +
		strings.Join(blocks, "") +
		events(`{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`)
}

func TestUnknownBlocksGoBackUnchanged(t *testing.T) {
	const redacted = `{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4a<&>"}`
	const novel = `{"type":"dream","z":[1,2.50,{"b":null}],"a":"<é>"}`
	m, sent := rawServer(t, "text/event-stream", message("tool_use",
		block(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"a<"}`, `{"type":"thinking_delta","thinking":"b"}`, `{"type":"signature_delta","signature":"s+/="}`),
		block(1, redacted), block(2, novel),
		block(3, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"query\":"}`, `{"type":"input_json_delta","partial_json":"\"x\"}"}`),
		block(4, `{"type":"vision","note":"1"}`, `{"type":"vision_delta","note":"2"}`),
		block(5, `{"type":"text","text":"be"}`, `{"type":"text_delta","text":"hold"}`, `{"type":"hum_delta","hum":"x"}`),
		block(6, `{"type":"tool_use","id":"t1","name":"check_disk","input":{}}`),
	))
	done, err := m.Complete(context.Background(), question, nil)
	require.NoError(t, err)
	require.Equal(t, "behold", done.Text())
	require.JSONEq(t, `{}`, string(done.ToolUses()[0].Input))
	require.Equal(t, providers.Usage{InputTokens: 1110, OutputTokens: 7, CachedTokens: 100}, done.Usage)
	require.Len(t, done.Content, 7)
	require.JSONEq(t, `{"type":"thinking","thinking":"a<b","signature":"s+/="}`, string(done.Content[0].Raw))
	require.Equal(t, redacted, string(done.Content[1].Raw))
	require.Equal(t, novel, string(done.Content[2].Raw))
	require.JSONEq(t, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}}`, string(done.Content[3].Raw))
	require.JSONEq(t, `{"type":"vision","note":"12"}`, string(done.Content[4].Raw))

	next := providers.Request{Messages: []providers.Message{providers.UserText("?"), {Role: providers.RoleAssistant, Content: done.Content}}}
	_, err = m.Complete(context.Background(), next, nil)
	require.NoError(t, err)
	var body struct {
		Messages []struct {
			Content []json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	require.NoError(t, json.Unmarshal([]byte(*sent), &body))
	for i := range 5 {
		require.Equal(t, string(done.Content[i].Raw), string(body.Messages[1].Content[i]), "block %d, byte for byte", i)
	}
}

func TestErrorsInsideAStream(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"overloaded":   {events(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "claude: api (HTTP 529): Overloaded"},
		"rate limit":   {events(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`), "claude: rate limit (HTTP 429): slow"},
		"key":          {events(`{"type":"error","error":{"type":"authentication_error","message":"bad"}}`), "claude: auth (HTTP 401): bad"},
		"unknown":      {events(`{"type":"error","error":{"type":"new_error","message":"hm"}}`), "claude: api (HTTP 500): hm"},
		"not JSON":     {"event: error\ndata: boom\n\n", "claude: api (HTTP 500): boom"},
		"wrong index":  {message("end_turn", block(3, `{"type":"text","text":""}`)), "claude: parse: not the expected format: content block 3 instead of 0"},
		"stray delta":  {message("end_turn", events(`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"x"}}`)), "claude: parse: not the expected format: delta for content block 2 of 0"},
		"no block":     {message("end_turn", block(0, `null`)), "claude: parse"},
		"only thought": {message("max_tokens", block(0, `{"type":"thinking","thinking":"x","signature":"y"}`)), "claude: empty: the model used up max_tokens before it answered"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := rawServer(t, "text/event-stream", c.body)
			_, err := m.Complete(context.Background(), question, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
	m, _ := rawServer(t, "text/html", "<html>")
	_, err := m.Complete(context.Background(), question, nil)
	require.EqualError(t, err, `claude: parse: not the expected format: an answer of type "text/html"; check base_url`)
	m, _ = rawServer(t, "text/event-stream", "event: message_start\ndata: "+strings.Repeat("x", 33<<20))
	_, err = m.Complete(context.Background(), question, nil)
	require.EqualError(t, err, "claude: parse: answer too long")
}

func TestStopReasons(t *testing.T) {
	for word, want := range map[string]providers.StopReason{
		"end_turn": providers.StopEndTurn, "stop_sequence": providers.StopEndTurn, "pause_turn": providers.StopEndTurn,
		"max_tokens": providers.StopMaxTokens, "model_context_window_exceeded": providers.StopMaxTokens, "refusal": providers.StopRefusal,
	} {
		m, _ := rawServer(t, "text/event-stream", message(word, block(0, `{"type":"text","text":"x"}`)))
		done, err := m.Complete(context.Background(), question, nil)
		require.NoError(t, err)
		require.Equal(t, want, done.Stop, word)
	}
	m, _ := rawServer(t, "text/event-stream", message("refusal"))
	done, err := m.Complete(context.Background(), question, nil)
	require.NoError(t, err)
	require.Empty(t, done.Content)
}

func TestABrokenRawBlockIsNotSent(t *testing.T) {
	m, server := start(t, one, anthropic.Options{})
	req := providers.Request{Messages: []providers.Message{{Role: providers.RoleAssistant, Content: []providers.Block{
		{Type: providers.BlockOpaque, Provider: anthropic.Package, Raw: json.RawMessage(`{"type":`)},
	}}}}
	_, err := m.Complete(context.Background(), req, nil)
	require.ErrorContains(t, err, "claude: api: cannot build the request")
	require.Empty(t, server.Requests())
}

func TestRequestDefaults(t *testing.T) {
	zero := 0.0
	m, server := start(t, one, anthropic.Options{Temperature: &zero})
	req := question
	req.Tools = []providers.ToolDefinition{{Name: "check_boot"}}
	req.Messages = append([]providers.Message{providers.UserText("  ")}, req.Messages...)
	_, err := m.Complete(context.Background(), req, nil)
	require.NoError(t, err)
	seen := server.Requests()[0]
	require.Equal(t, anthropic.DefaultMaxTokens, seen.MaxTokens)
	require.Len(t, seen.Entries, 1)
	require.Contains(t, seen.Body, `"temperature":0`)
	require.NotContains(t, seen.Body, `"system"`)
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(seen.Tools[0].InputSchema))
}

// BenchmarkComplete measures one short answer (50 pieces) over a kept-alive loopback connection, including the
// time of the fake server.
func BenchmarkComplete(b *testing.B) {
	pieces := strings.Split(strings.Repeat("조금 ", 50), " ")
	server := providertest.Anthropic(b, func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: pieces[:50]}
	})
	m, err := anthropic.New(anthropic.Options{Model: "m", BaseURL: server.URL})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.Complete(context.Background(), question, nil)
		require.NoError(b, err)
	}
}
