package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vendor has all quirks that send data back.
var vendor = openai.Quirks{Reasoning: openai.ReasoningToolTurns, ExtraContent: true}

func model(t *testing.T, url string, o openai.Options) *openai.Model {
	t.Helper()
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	if o.Name == "" {
		o.Name = "deepseek"
	}
	o.Model, o.BaseURL, o.Key, o.HTTPClient = "deepseek-chat", url, providertest.Key, client
	m, err := openai.New(o)
	require.NoError(t, err)
	return m
}

func TestConformance(t *testing.T) {
	providertest.Run(t, providertest.Subject{Wire: true, New: func(t *testing.T, replies []providertest.Reply, s providertest.Settings) providertest.Fixture {
		server := providertest.ChatCompletions(t, providertest.Replies(replies...))
		return providertest.Fixture{Model: model(t, server.URL, openai.Options{Limits: s.Limits, Quirks: vendor, Images: s.Images}), Server: server}
	}})
}

// raw starts a server that answers every request with these bytes.
func raw(t *testing.T, contentType, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const stream = "text/event-stream"

// data returns a stream of events.
func data(events ...string) string {
	out := ""
	for _, e := range events {
		out += "data: " + e + "\n\n"
	}
	return out
}

func delta(fields string) string {
	return `{"choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

func finish(reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

func askRaw(t *testing.T, contentType, body string, q openai.Quirks) (providers.Completion, error) {
	t.Helper()
	m := model(t, raw(t, contentType, body), openai.Options{Quirks: q})
	return m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("?")}}, nil)
}

func TestServersDeviateInStreams(t *testing.T) {
	hi := delta(`"content":"hi"`)
	for name, body := range map[string]string{
		"as the format says":        data(hi, finish("stop"), "[DONE]"),
		"without [DONE]":            data(hi, finish("stop")),
		"without finish_reason":     data(hi, "[DONE]"),
		"without the last line end": "data: " + hi + "\n\ndata: " + finish("stop"),
		"CRLF":                      "data: " + hi + "\r\n\r\ndata: " + finish("stop") + "\r\n\r\ndata: [DONE]\r\n\r\n",
		"comments, names and ids":   ": OPENROUTER PROCESSING\n\nevent: x\nid: 7\nretry: 3\ndata:" + hi + "\n\n:\n" + data(finish("stop"), "[DONE]"),
		"data over several lines":   "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"hi\"}}]}\n\n" + data(finish("stop"), "[DONE]"),
		"a byte order mark":         "\ufeff" + data(hi, finish("stop"), "[DONE]"),
		"usage in its own chunk":    data(hi, finish("stop"), `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, "[DONE]"),
		"null choices and error":    data(`{"choices":null,"error":null}`, hi, finish("stop"), "[DONE]"),
		"another choice beside":     data(`{"choices":[{"index":1,"delta":{"content":"no"}}]}`, hi, finish("stop"), "[DONE]"),
		"content as a list":         data(delta(`"content":[{"type":"text","text":"hi"}]`), finish("stop"), "[DONE]"),
		"bytes after [DONE]":        data(hi, finish("stop"), "[DONE]", "garbage"),
		"a whole message at once":   data(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, "[DONE]"),
		"an unfinished last event":  data(hi, finish("stop")) + "data: {\"cho",
	} {
		t.Run(name, func(t *testing.T) {
			done, err := askRaw(t, stream, body, openai.Quirks{})
			require.NoError(t, err)
			require.Equal(t, []providers.Block{providers.Text("hi")}, done.Content)
			require.Equal(t, providers.StopEndTurn, done.Stop)
		})
	}
}

func TestServersDeviateInToolCalls(t *testing.T) {
	call := func(fields string) string { return delta(`"tool_calls":[` + fields + `]`) }
	two := []string{`a{"x":1}`, `b{"y":2}`}
	for name, c := range map[string]struct {
		events []string
		want   []string
	}{
		"as the format says": {[]string{
			call(`{"index":0,"id":"1","type":"function","function":{"name":"a","arguments":""}}`), call(`{"index":0,"function":{"arguments":"{\"x\""}}`),
			call(`{"index":1,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}`), call(`{"index":0,"function":{"arguments":":1}"}}`),
		}, two},
		"one index, two ids": {[]string{
			call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}}`), call(`{"index":0,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}`),
		}, two},
		"no index, ids": {[]string{
			call(`{"id":"1","function":{"name":"a","arguments":"{\"x\":"}}`), call(`{"id":"1","function":{"arguments":"1}"}}`),
			call(`{"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}`),
		}, two},
		"no index, no ids": {[]string{
			call(`{"function":{"name":"a","arguments":"{\"x\":"}}`), call(`{"function":{"arguments":"1}"}}`),
			call(`{"function":{"name":"b","arguments":"{\"y\""}}`), call(`{"function":{"arguments":":2}"}}`),
		}, two},
		"no index, whole calls in one list": {[]string{
			call(`{"function":{"name":"a","arguments":"{\"x\":1}"}},{"function":{"name":"b","arguments":"{\"y\":2}"}}`),
		}, two},
		"the name in every fragment": {[]string{
			call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}`), call(`{"index":0,"id":"1","function":{"name":"a","arguments":":1}"}}`),
		}, two[:1]},
		"a new id in every fragment": {[]string{
			call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}`), call(`{"index":0,"id":"9","function":{"name":"","arguments":":1}"}}`),
		}, two[:1]},
		"a name in pieces":         {[]string{call(`{"index":0,"id":"1","function":{"name":"check_"}}`), call(`{"index":0,"function":{"name":"disk","arguments":"{}"}}`)}, []string{`check_disk{}`}},
		"a name growing":           {[]string{call(`{"index":0,"id":"1","function":{"name":"check"}}`), call(`{"index":0,"function":{"name":"check_disk"}}`)}, []string{`check_disk{}`}},
		"arguments as an object":   {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":{"x":1}}}`)}, two[:1]},
		"null and no arguments":    {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":null}},{"index":1,"id":"2","function":{"name":"b"}}`)}, []string{`a{}`, `b{}`}},
		"indexes that begin at 1":  {[]string{call(`{"index":1,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}}`), call(`{"index":2,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}`)}, two},
		"one id for both":          {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}}`), call(`{"index":1,"id":"1","function":{"name":"b","arguments":"{\"y\":2}"}}`)}, two},
		"a call without a name":    {[]string{call(`{"index":0,"id":"1","function":{"arguments":"{}"}}`), call(`{"index":1,"id":"2","function":{"name":"a","arguments":"{\"x\":1}"}}`)}, two[:1]},
		"arguments not an object":  {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":"[1]"}}`)}, []string{`a{"_malformed":"[1]"}`}},
		"arguments broken off":     {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x"}}`)}, []string{`a{"_malformed":"{\"x"}`}},
		"arguments with raw bytes": {[]string{call(`{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":\"\ud55c\"}"}}`)}, []string{`a{"x":"한"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			done, err := askRaw(t, stream, data(append(c.events, finish("stop"), "[DONE]")...), openai.Quirks{})
			require.NoError(t, err)
			var got []string
			ids := map[string]bool{}
			for _, use := range done.ToolUses() {
				got = append(got, use.Name+string(use.Input))
				require.NotEmpty(t, use.ID)
				require.False(t, ids[use.ID])
				ids[use.ID] = true
			}
			require.Equal(t, c.want, got)
			require.Equal(t, providers.StopToolUse, done.Stop, "whatever finish_reason says")
		})
	}
}

func TestFinishReasons(t *testing.T) {
	for word, want := range map[string]providers.StopReason{
		"stop": providers.StopEndTurn, "length": providers.StopMaxTokens, "content_filter": providers.StopRefusal,
		"sensitive": providers.StopRefusal, "tool_calls": providers.StopEndTurn, "eos": providers.StopEndTurn,
	} {
		done, err := askRaw(t, stream, data(delta(`"content":"x"`), finish(word)), openai.Quirks{})
		require.NoError(t, err)
		require.Equal(t, want, done.Stop, word)
	}
	done, err := askRaw(t, stream, data(delta(`"refusal":"I can't"`), finish("stop")), openai.Quirks{})
	require.NoError(t, err)
	require.Equal(t, providers.StopRefusal, done.Stop)
	require.Equal(t, "I can't", done.Text())
	done, err = askRaw(t, stream, data(finish("content_filter")), openai.Quirks{})
	require.NoError(t, err)
	require.Empty(t, done.Content)
}

func TestErrorsInsideAnAnswer(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body, want string }{
		"in a stream":            {stream, data(delta(`"content":"x"`), `{"error":{"message":"overloaded","code":529}}`), "deepseek: api (HTTP 529): overloaded"},
		"in a document":          {"application/json", `{"error":{"message":"no credits","code":"402"}}`, "deepseek: api (HTTP 402): no credits"},
		"rate limit in a stream": {stream, data(`{"error":{"message":"slow","code":429}}`), "deepseek: rate limit (HTTP 429): slow"},
		"an error text":          {stream, data(`{"error":"model crashed"}`), "deepseek: api (HTTP 500): model crashed"},
		"MiniMax's key":          {"application/json", `{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`, "deepseek: auth (HTTP 401): login fail"},
		"MiniMax is fine":        {"application/json", `{"choices":[],"base_resp":{"status_code":0,"status_msg":""}}`, "deepseek: parse: not the expected format: no choices in the answer"},
		"given up":               {stream, data(delta(`"content":"x"`), finish("insufficient_system_resource")), "deepseek: api (HTTP 503): the server interrupted the answer: insufficient_system_resource"},
		"a web page":             {"text/html; charset=utf-8", "<html>", `deepseek: parse: not the expected format: an answer of type "text/html"; check base_url`},
		"a broken document":      {"application/json", `{"choices":[`, "deepseek: parse: unexpected end of JSON input"},
		"cut in an event":        {stream, data(delta(`"content":"x"`)) + `data: {"choices":[{"del`, "deepseek: network: the answer was cut off"},
		"wrong types":            {stream, data(`{"choices":"x"}`), "deepseek: parse: json: cannot unmarshal string"},
		"only thinking":          {stream, data(delta(`"reasoning_content":"hm"`), finish("length")), "deepseek: empty: the model used up max_tokens before it answered"},
		"nothing at all":         {stream, "", "deepseek: network: the answer was cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := askRaw(t, c.contentType, c.body, openai.Quirks{})
			require.ErrorContains(t, err, c.want)
			require.NotEmpty(t, providers.KindOf(err))
		})
	}
}

func TestBaseURLs(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.RequestURI() }))
	defer server.Close()
	for suffix, want := range map[string]string{
		"": "/v1/chat/completions", "/": "/v1/chat/completions", "/v1": "/v1/chat/completions", "/v1/": "/v1/chat/completions",
		"/v1/chat/completions": "/v1/chat/completions", "/api/paas/v4/": "/api/paas/v4/chat/completions",
		"/v1beta/openai": "/v1beta/openai/chat/completions", "/v1?api-version=1": "/v1/chat/completions?api-version=1",
		"/v1/chat/completions?api-version=1": "/v1/chat/completions?api-version=1", "/openai/deployments/x/chat/completions/": "/openai/deployments/x/chat/completions",
	} {
		m := model(t, server.URL+suffix, openai.Options{})
		_, err := m.Complete(context.Background(), providers.Request{}, nil)
		require.Error(t, err)
		require.Equal(t, want, asked, suffix)
	}
	_, err := openai.New(openai.Options{Name: "x"})
	require.Error(t, err)
}

func TestLocalServersNeedNoKey(t *testing.T) {
	server := providertest.ChatCompletions(t, providertest.Replies(providertest.Reply{Text: []string{"ok"}}))
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	m, err := openai.New(openai.Options{Name: "ollama", Model: "qwen3", BaseURL: server.URL, HTTPClient: client})
	require.NoError(t, err)
	_, err = m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("?")}}, nil)
	require.NoError(t, err)
	require.NotContains(t, server.Requests()[0].Header, "Authorization")
}

func decode(t *testing.T, raw string) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(raw), &m))
	return m
}

// BenchmarkComplete measures one short answer (50 pieces) over a kept-alive loopback connection, including the
// time of the fake server.
func BenchmarkComplete(b *testing.B) {
	pieces := strings.Split(strings.Repeat("조금 ", 50), " ")
	server := providertest.ChatCompletions(b, func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: pieces, Usage: providers.Usage{InputTokens: 1, OutputTokens: 1}}
	})
	m, err := openai.New(openai.Options{Name: "p", Model: "m", BaseURL: server.URL})
	require.NoError(b, err)
	req := providers.Request{Messages: []providers.Message{providers.UserText("?")}}
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.Complete(context.Background(), req, nil)
		require.NoError(b, err)
	}
}
