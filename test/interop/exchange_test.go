package interop_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// asker is one of our dialects.
type asker interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
}

const signature = "EqQBCkYIBxgCKkBc+/A=" // base64, like Google's

// conversation contains everything a request can have: parallel calls, an error, an image, and characters that
// JSON encoders often escape.
func conversation(opaque ...providers.Block) providers.Request {
	calls := []providers.Block{
		providers.Text("둘 다 볼게요 <b>&</b>."),
		{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk", Input: json.RawMessage(`{"path":"/집","depth":2}`)},
		{Type: providers.BlockToolUse, ID: "t2", Name: "run_command", Input: json.RawMessage(`{"command":"ls *.txt && echo \"<ok>\""}`)},
	}
	return providers.Request{
		System: "You run this computer.", MaxTokens: 512,
		Tools: []providers.ToolDefinition{
			{Name: "check_disk", Description: "Shows <free> space & use.", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"depth":{"type":"integer"}},"required":["path"]}`)},
			{Name: "run_command", Description: "Runs a command.", InputSchema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`)},
		},
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: []providers.Block{
				providers.Text("뭐가 보여?"), {Type: providers.BlockImage, MediaType: "image/png", Data: []byte("\x89PNG\x00\xff")},
			}},
			{Role: providers.RoleAssistant, Content: append(opaque, calls...)},
			{Role: providers.RoleUser, Content: []providers.Block{
				{Type: providers.BlockToolResult, ToolUseID: "t1", Content: "62%\n둘째 줄"},
				{Type: providers.BlockToolResult, ToolUseID: "t2", Content: "no such file", IsError: true},
				providers.Text("서둘러 줘"),
			}},
		},
	}
}

// exchange sends a request to a server with this answer. It returns the body that the server received, the
// completion and the streamed text.
func exchange(t *testing.T, connect func(url string) asker, req providers.Request, contentType, answer string) ([]byte, providers.Completion, string) {
	t.Helper()
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body) // the assertions detect a short body
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	shown := ""
	done, err := connect(server.URL).Complete(context.Background(), req, func(s string) { shown += s })
	require.NoError(t, err)
	return sent, done, shown
}

// without returns a JSON object without some of its fields.
func without(t *testing.T, raw []byte, fields ...string) string {
	t.Helper()
	var object map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &object))
	for _, f := range fields {
		require.Contains(t, object, f)
		delete(object, f)
	}
	return encode(t, object)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// stream writes values as server-sent events.
func stream(t *testing.T, values ...any) string {
	t.Helper()
	out := ""
	for _, v := range values {
		out += "data: " + encode(t, v) + "\r\n\r\n"
	}
	return out
}
