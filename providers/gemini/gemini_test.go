package gemini_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/gemini"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var question = providers.Request{Messages: []providers.Message{providers.UserText("?")}}

func model(t *testing.T, url string, o gemini.Options) *gemini.Model {
	t.Helper()
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	if o.Model == "" {
		o.Model = "gemini-2.5-flash"
	}
	o.BaseURL, o.Key, o.HTTPClient = url, providertest.Key, client
	m, err := gemini.New(o)
	require.NoError(t, err)
	return m
}

func TestConformance(t *testing.T) {
	providertest.Run(t, providertest.Subject{Wire: true, New: func(t *testing.T, replies []providertest.Reply, s providertest.Settings) providertest.Fixture {
		server := providertest.Gemini(t, providertest.Replies(replies...))
		return providertest.Fixture{Model: model(t, server.URL, gemini.Options{Limits: s.Limits, Images: s.Images}), Server: server}
	}})
}

// raw starts a server that answers with these bytes and records the last request's body.
func raw(t *testing.T, contentType, body string) (*gemini.Model, *string) {
	t.Helper()
	last := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // the test's assertions detect a short body
		last = string(b)
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return model(t, server.URL, gemini.Options{}), &last
}

const stream = "text/event-stream"

func data(events ...string) string {
	out := ""
	for _, e := range events {
		out += "data: " + e + "\r\n\r\n"
	}
	return out
}

func parts(list ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(list, ",") + `]},"index":0}]}`
}

func finish(reason string) string {
	return `{"candidates":[{"finishReason":"` + reason + `","index":0}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"toolUsePromptTokenCount":1}}`
}

func TestUsageCountsThoughtsAndTheCache(t *testing.T) {
	m, _ := raw(t, stream, data(parts(`{"text":"x"}`), finish("STOP")))
	done, err := m.Complete(context.Background(), question, nil)
	require.NoError(t, err)
	require.Equal(t, providers.Usage{InputTokens: 11, OutputTokens: 8, CachedTokens: 4}, done.Usage)
}

// The example of the API documentation, "Thought signatures": the first of two parallel calls has a signature,
// and text that ends a turn can have one.
func TestSignaturesGoBackAtTheirParts(t *testing.T) {
	m, sent := raw(t, stream, data(
		parts(`{"text":"**Think**","thought":true}`, `{"text":"Let me ","thoughtSignature":"S0"}`), parts(`{"text":"look."}`),
		parts(`{"functionCall":{"name":"check_disk","args":{"path":"/"}},"thoughtSignature":"S1+/="}`, `{"functionCall":{"name":"check_disk","args":{"path":"/home"}}}`),
		parts(`{"executableCode":{"language":"PYTHON","code":"a<b"}}`), parts(`{"text":"","thoughtSignature":"S2"}`), finish("STOP")))
	var shown strings.Builder
	done, err := m.Complete(context.Background(), question, func(s string) { shown.WriteString(s) })
	require.NoError(t, err)
	require.Equal(t, "Let me look.", shown.String())
	require.Equal(t, providers.StopToolUse, done.Stop)
	uses := done.ToolUses()
	require.Len(t, uses, 2)
	require.NotEqual(t, uses[0].ID, uses[1].ID)

	next := providers.Request{Messages: []providers.Message{
		providers.UserText("?"),
		{Role: providers.RoleAssistant, Content: done.Content},
		{Role: providers.RoleUser, Content: []providers.Block{
			{Type: providers.BlockToolResult, ToolUseID: uses[0].ID, Content: "62%"},
			{Type: providers.BlockToolResult, ToolUseID: uses[1].ID, Content: "no", IsError: true},
			providers.Text("hurry"),
		}},
	}}
	_, err = m.Complete(context.Background(), next, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"contents":[
		{"role":"user","parts":[{"text":"?"}]},
		{"role":"model","parts":[
			{"text":"**Think**","thought":true},
			{"text":"Let me ","thoughtSignature":"S0"},{"text":"look."},
			{"functionCall":{"id":"`+uses[0].ID+`","name":"check_disk","args":{"path":"/"}},"thoughtSignature":"S1+/="},
			{"functionCall":{"id":"`+uses[1].ID+`","name":"check_disk","args":{"path":"/home"}}},
			{"executableCode":{"language":"PYTHON","code":"a<b"}},
			{"text":"","thoughtSignature":"S2"}]},
		{"role":"user","parts":[
			{"functionResponse":{"id":"`+uses[0].ID+`","name":"check_disk","response":{"output":"62%"}}},
			{"functionResponse":{"id":"`+uses[1].ID+`","name":"check_disk","response":{"error":"no"}}}]},
		{"role":"user","parts":[{"text":"hurry"}]}]}`, *sent)
}

// Gemini 3 answers HTTP 400 to a call without a signature, even if another model made the call.
func TestAnotherModelsCallsGetTheStandIn(t *testing.T) {
	m, sent := raw(t, stream, data(parts(`{"text":"ok"}`), finish("STOP")))
	_, err := m.Complete(context.Background(), providers.Request{Messages: []providers.Message{
		{Role: providers.RoleAssistant, Content: []providers.Block{
			{Type: providers.BlockOpaque, Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking"}`)},
			{Type: providers.BlockOpaque, Provider: gemini.Package, Raw: json.RawMessage(`{"vendor":"other","thoughtSignature":"X","tool_call_id":"t1"}`)},
			{Type: providers.BlockToolUse, ID: "t1", Name: "a"},
			{Type: providers.BlockToolUse, ID: "t2", Name: "b", Input: json.RawMessage(`{"x":1}`)},
		}},
		{Role: providers.RoleUser, Content: []providers.Block{
			{Type: providers.BlockToolResult, ToolUseID: "t1", Content: ""}, {Type: providers.BlockToolResult, ToolUseID: "cut", Content: "c"},
		}},
	}}, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"contents":[{"role":"model","parts":[
		{"functionCall":{"id":"t1","name":"a","args":{}},"thoughtSignature":"skip_thought_signature_validator"},
		{"functionCall":{"id":"t2","name":"b","args":{"x":1}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"a","response":{"output":""}}},
			{"functionResponse":{"id":"cut","name":"unknown","response":{"output":"c"}}}]}]}`, *sent)
}

func TestFinishReasons(t *testing.T) {
	for word, want := range map[string]providers.StopReason{
		"STOP": providers.StopEndTurn, "OTHER": providers.StopEndTurn, "MAX_TOKENS": providers.StopMaxTokens,
		"SAFETY": providers.StopRefusal, "RECITATION": providers.StopRefusal, "PROHIBITED_CONTENT": providers.StopRefusal, "SPII": providers.StopRefusal, "BLOCKLIST": providers.StopRefusal,
	} {
		m, _ := raw(t, stream, data(parts(`{"text":"x"}`), finish(word)))
		done, err := m.Complete(context.Background(), question, nil)
		require.NoError(t, err)
		require.Equal(t, want, done.Stop, word)
	}
	for name, body := range map[string]string{
		"an answer stopped before it began": data(finish("SAFETY")),
		"a prompt that is refused":          data(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}`),
	} {
		m, _ := raw(t, stream, body)
		done, err := m.Complete(context.Background(), question, nil)
		require.NoError(t, err, name)
		require.Equal(t, providers.StopRefusal, done.Stop, name)
		require.Empty(t, done.Content, name)
	}
}

func TestErrorsInsideAnAnswer(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body, want string }{
		"in a stream":          {stream, data(parts(`{"text":"x"}`), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), "gemini: api (HTTP 503): The model is overloaded."},
		"rate limit":           {stream, data(`{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}`), "gemini: rate limit (HTTP 429): slow"},
		"without a status":     {stream, data(`{"error":{"message":"hm"}}`), "gemini: api (HTTP 500): hm"},
		"a call nobody reads":  {stream, data(finish("MALFORMED_FUNCTION_CALL")), "gemini: empty: the model wrote an invalid tool call (MALFORMED_FUNCTION_CALL)"},
		"a call not offered":   {stream, data(finish("UNEXPECTED_TOOL_CALL")), "gemini: empty"},
		"a missing signature":  {stream, data(finish("MISSING_THOUGHT_SIGNATURE")), "gemini: api (HTTP 400): a thought signature is missing"},
		"only thinking":        {stream, data(parts(`{"text":"hm","thought":true}`), finish("MAX_TOKENS")), "gemini: empty: the model used up max_tokens before it answered"},
		"nothing at all":       {stream, "", "gemini: network: the answer was cut off"},
		"cut in an event":      {stream, data(parts(`{"text":"x"}`)) + `data: {"candi`, "gemini: network: the answer was cut off"},
		"wrong types":          {stream, data(`{"candidates":"x"}`), "gemini: parse: json: cannot unmarshal string"},
		"a web page":           {"text/html; charset=utf-8", "<html>", `gemini: parse: not the expected format: an answer of type "text/html"; check base_url`},
		"a document of others": {"application/json", `{}`, "gemini: parse: not the expected format: no candidates in the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := raw(t, c.contentType, c.body)
			_, err := m.Complete(context.Background(), question, nil)
			require.ErrorContains(t, err, c.want)
			require.NotEmpty(t, providers.KindOf(err))
		})
	}
}

func TestServersDeviate(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body string }{
		"a list without alt=sse":     {"application/json", "[" + parts(`{"text":"h"}`) + ",\n" + parts(`{"text":"i"}`) + "," + finish("STOP") + "]"},
		"one answer":                 {"application/json", parts(`{"text":"hi"}`)},
		"without a last line end":    {stream, data(parts(`{"text":"hi"}`)) + "data: " + finish("STOP")},
		"an unfinished last event":   {stream, data(parts(`{"text":"hi"}`), `{"candidates":[{"finishReason":"STOP"}]}`) + `data: {"usageMeta`},
		"another candidate":          {stream, data(`{"candidates":[{"index":1,"content":{"parts":[{"text":"no"}]}}]}`, parts(`{"text":"hi"}`), finish("STOP"))},
		"a call without a name":      {stream, data(parts(`{"text":"hi"}`, `{"functionCall":{"args":{}}}`), finish("STOP"))},
		"parts of nothing":           {stream, data(parts(`{"text":""}`), parts(`{"text":"hi"}`), parts(), finish("STOP"))},
		"finished without a reason":  {stream, data(`{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"FINISH_REASON_UNSPECIFIED"}]}`, finish("STOP"))},
		"a content type of no kind":  {"text/plain", data(parts(`{"text":"hi"}`), finish("STOP"))},
		"fields nobody has heard of": {stream, data(`{"candidates":[{"content":{"parts":[{"text":"hi","new":1}]},"x":{}}],"y":[]}`, finish("STOP"))},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := raw(t, c.contentType, c.body)
			done, err := m.Complete(context.Background(), question, nil)
			require.NoError(t, err)
			require.Equal(t, []providers.Block{providers.Text("hi")}, done.Content)
			require.Equal(t, providers.StopEndTurn, done.Stop)
		})
	}
}

func TestBaseURLs(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.RequestURI() }))
	defer server.Close()
	const flash = "/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
	for suffix, want := range map[string]string{
		"": "/v1beta" + flash, "/": "/v1beta" + flash, "/v1beta": "/v1beta" + flash, "/v1/": "/v1" + flash, "/proxy/google/v1beta/models/": "/proxy/google/v1beta" + flash,
		"/v1beta/models/gemini-1.5-pro:streamGenerateContent": "/v1beta" + flash, "/v1beta/models/gemini-1.5-pro:streamGenerateContent?alt=sse": "/v1beta" + flash,
		"/v1beta?region=eu": "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&region=eu",
	} {
		_, err := model(t, server.URL+suffix, gemini.Options{}).Complete(context.Background(), question, nil)
		require.Error(t, err)
		require.Equal(t, want, asked, suffix)
	}
	for id, want := range map[string]string{"models/gemini-3-pro": "/v1beta/models/gemini-3-pro:", "tunedModels/mine": "/v1beta/tunedModels/mine:"} {
		_, err := model(t, server.URL, gemini.Options{Model: id}).Complete(context.Background(), question, nil)
		require.Error(t, err)
		require.Contains(t, asked, want)
	}
	for base, want := range map[string]string{"generativelanguage.googleapis.com": "base_url", server.URL + "/v1beta?key=AIzaSecret": "it contains a key"} {
		_, err := gemini.New(gemini.Options{Model: "m", BaseURL: base})
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "AIza")
	}
	_, err := gemini.New(gemini.Options{})
	require.ErrorContains(t, err, "no model id")
}

// The body of Google's 429 answers says how long to wait.
func TestTheWaitStandsInTheBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}]`)
	}))
	defer server.Close()
	_, err := model(t, server.URL, gemini.Options{}).Complete(context.Background(), question, nil)
	var e *providers.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, providers.KindRateLimit, e.Kind)
	require.InDelta(t, 34.07, e.RetryAfter.Seconds(), 0.01)
	require.Equal(t, "You exceeded your current quota", e.Message)
}
