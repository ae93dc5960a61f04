package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// FuzzStream sends any bytes as an answer. The result is a well-formed message or an error, and the streamed
// pieces are its text.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"<think>a</think>b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), true)
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"function\":{\"name\":\"a\",\"arguments\":\"{\"}}]}}]}\n\ndata: [DONE]\n\n"), true)
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"index\":9,\"text\":\"a\"},{\"text\":3},4],\"reasoning_content\":\"x\",\"extra_content\":{\"a\":[1, 2]}},\"finish_reason\":\"length\"}]}"), true)
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a"}],"tool_calls":[{"id":"1","function":{"name":"n","arguments":{"a":1}}}]}}],"usage":{"prompt_tokens":1}}`), false)
	client, err := transport.New(transport.Options{Provider: "p"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		call := client.Call(t.Context())
		defer call.End(false)
		var pieces strings.Builder
		a := &assembly{vendor: "v", thinkTags: true, count: call.Count, onText: func(s string) { pieces.WriteString(s) }}
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
	})
}
