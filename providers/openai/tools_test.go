package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// encodePlainly encodes a request without the cache of earlier ones.
func encodePlainly(m *Model, req providers.Request) ([]byte, error) {
	body := map[string]any{
		"model": m.model, "messages": m.messages(req), "stream": true, "temperature": *m.temperature,
		"stream_options": map[string]bool{"include_usage": true},
	}
	if len(req.Tools) > 0 {
		body["tools"] = toolParams(req.Tools)
	}
	if req.MaxTokens > 0 {
		body["max_tokens"] = req.MaxTokens
	}
	return transport.EncodeJSON(body)
}

// usualTools are as many tools as a turn has, and as large.
func usualTools() (list []providers.ToolDefinition) {
	for i := range 27 {
		schema := fmt.Sprintf(`{"type": "object", "properties": {"path%d": {"type": "string", "description": %q}}}`, i, strings.Repeat("a <path> & more ", 10))
		list = append(list, providers.ToolDefinition{Name: fmt.Sprint("tool_", i), Description: strings.Repeat("Does what it says. ", 8), InputSchema: json.RawMessage(schema)})
	}
	return list
}

func newModel(t testing.TB) *Model {
	temperature := 0.5
	m, err := New(Options{Name: "p", Model: "m", Key: "key", Temperature: &temperature})
	require.NoError(t, err)
	return m
}

func TestARequestIsEncodedAsIfItsToolsWereNot(t *testing.T) {
	m := newModel(t)
	schemas := rapid.SampledFrom([]string{"", "{}", "{ \"a\" : \"<&>\\u003c\u2028\" }", `{"type":"object","required":["x"]}`, "null"})
	rapid.Check(t, func(t *rapid.T) {
		req := providers.Request{
			System: rapid.SampledFrom([]string{"", "You run <this> computer."}).Draw(t, "system"), MaxTokens: rapid.IntRange(0, 1).Draw(t, "tokens") * 100,
			Messages: []providers.Message{providers.UserText(rapid.String().Draw(t, "text"))},
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
			req.Tools = append(req.Tools, providers.ToolDefinition{
				Name: fmt.Sprint("tool", i), Description: rapid.SampledFrom([]string{"", "a < b & c > d", "\u2028\xff 한국어"}).Draw(t, "description"),
				InputSchema: json.RawMessage(schemas.Draw(t, "schema")),
			})
		}
		want, err := encodePlainly(m, req)
		require.NoError(t, err)
		got, err := m.encode(req)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

func TestAToolThatIsNotJSONIsAnError(t *testing.T) {
	_, err := newModel(t).encode(providers.Request{Tools: []providers.ToolDefinition{{Name: "x", InputSchema: json.RawMessage("{")}}})
	require.Error(t, err)
}

func TestToolsAreEncodedOnce(t *testing.T) {
	m, req := newModel(t), providers.Request{System: "s", Messages: []providers.Message{providers.UserText("?")}}
	bare := testing.AllocsPerRun(20, func() { _, _ = m.encode(req) })
	req.Tools = usualTools()
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _, _ = m.encode(req) }), bare+40, "27 tools; the race detector makes pools forget")
	_, err := m.tools.Encode(usualTools(), func([]providers.ToolDefinition) ([]byte, error) { return nil, errors.New("encoded again") })
	require.NoError(t, err)
}

// BenchmarkEncode encodes a request with the usual tools, and each time by a model that has not encoded them yet.
func BenchmarkEncode(b *testing.B) {
	req := providers.Request{System: strings.Repeat("You run this computer. ", 100), Messages: []providers.Message{providers.UserText("disk full?")}, Tools: usualTools()}
	for _, name := range []string{"one-model", "plainly"} {
		b.Run(name, func(b *testing.B) {
			m := newModel(b)
			b.ReportAllocs()
			for b.Loop() {
				if name == "plainly" {
					_, _ = encodePlainly(m, req)
				} else {
					_, _ = m.encode(req)
				}
			}
		})
	}
}
