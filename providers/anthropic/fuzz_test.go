package anthropic

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// FuzzStream sends any bytes as an answer. The result is a well-formed message or an error, the streamed pieces
// are its text, and it can be sent back.
func FuzzStream(f *testing.F) {
	recorded, err := os.ReadFile("testdata/thinking.txt")
	require.NoError(f, err)
	f.Add(recorded, true)
	f.Add([]byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":null}}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n"), true)
	f.Add([]byte("data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"x\",\"input\":1,\"citations\":2}}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"y\",\"partial_json\":\"{\",\"citation\":{},\"z\":\"a\",\"n\":1}}\n\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\ndata: {\"type\":\"message_stop\"}"), true)
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"","name":"n","input":[1]},{"type":"redacted_thinking","data": "<"}],"stop_reason":"pause_turn","usage":{"input_tokens":1}}`), false)
	client, err := transport.New(transport.Options{Provider: "p"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		call := client.Call(t.Context())
		defer call.End(false)
		var pieces strings.Builder
		a := &assembly{count: call.Count, onText: func(s string) { pieces.WriteString(s) }}
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
		text, ids := "", map[string]bool{}
		for _, b := range done.Content {
			switch b.Type {
			case providers.BlockText:
				text += b.Text
			case providers.BlockToolUse:
				var object map[string]any
				require.NoError(t, json.Unmarshal(b.Input, &object))
				require.NotEmpty(t, b.ID)
				require.False(t, ids[b.ID])
				ids[b.ID] = true
			case providers.BlockOpaque:
				require.True(t, json.Valid(b.Raw))
			}
		}
		require.Equal(t, text, pieces.String())
		sent, err := (&Model{}).encode(providers.Request{Messages: []providers.Message{{Role: providers.RoleAssistant, Content: done.Content}}})
		require.NoError(t, err)
		require.True(t, json.Valid(sent))
	})
}
