package gemini

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// FuzzStream sends any bytes as an answer. The result is a well-formed message or an error, the streamed pieces
// are its text, and it can be sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\",\"thought\":true},{\"text\":\"b\",\"thoughtSignature\":\"S\"},{\"functionCall\":{\"name\":\"n\",\"args\":{\"a\":1}},\"thoughtSignature\":\"T\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n"), true)
	f.Add([]byte("data: {\"candidates\":[{\"content\":{\"parts\":[{\"executableCode\":{}},{},{\"text\":\"\",\"thoughtSignature\":\"S\"},{\"text\":\"x\"}]},\"finishReason\":\"MAX_TOKENS\"}]}\n\n"), true)
	f.Add([]byte(`[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":"{"}}]}}],"usageMetadata":{"promptTokenCount":1}},{"promptFeedback":{"blockReason":"OTHER"}}]`), false)
	client, err := transport.New(transport.Options{Provider: "p"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		call := client.Call(t.Context())
		defer call.End(false)
		var pieces strings.Builder
		a := &assembly{vendor: "v", count: call.Count, onText: func(s string) { pieces.WriteString(s) }}
		take := func() error { return a.Whole(body) }
		if stream {
			take = func() error { return a.Stream(bytes.NewReader(body), 1<<20) }
		}
		if take() != nil {
			return
		}
		done, err := a.Completion(call)
		if err != nil {
			return
		}
		text := ""
		for _, b := range done.Content {
			switch b.Type {
			case providers.BlockText:
				text += b.Text
			case providers.BlockToolUse:
				var object map[string]any
				require.NoError(t, json.Unmarshal(b.Input, &object))
				require.NotEmpty(t, b.Name)
				require.NotEmpty(t, b.ID)
			case providers.BlockOpaque:
				require.True(t, json.Valid(b.Raw))
			}
		}
		require.Equal(t, text, pieces.String())
		m := &Model{name: "v"}
		sent, err := m.encode(providers.Request{Messages: []providers.Message{{Role: providers.RoleAssistant, Content: done.Content}}})
		require.NoError(t, err)
		require.True(t, json.Valid(sent))
	})
}
