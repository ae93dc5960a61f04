package openai_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func opaqueBlock(raw string) providers.Block {
	return providers.Block{Type: providers.BlockOpaque, Provider: openai.Package, Raw: json.RawMessage(raw)}
}

// history is two turns of one vendor: one without tools, one with.
func history(vendor string) []providers.Message {
	use := providers.Block{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk", Input: json.RawMessage(`{}`)}
	return []providers.Message{
		providers.UserText("hi"),
		{Role: providers.RoleAssistant, Content: []providers.Block{opaqueBlock(`{"vendor":"` + vendor + `","reasoning_content":"R1"}`), providers.Text("hello")}},
		providers.UserText("disk?"),
		{Role: providers.RoleAssistant, Content: []providers.Block{opaqueBlock(`{"vendor":"` + vendor + `","reasoning_content":"R2"}`), use}},
		{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "t1", Content: "62%"}}},
		{Role: providers.RoleAssistant, Content: []providers.Block{opaqueBlock(`{"vendor":"` + vendor + `","reasoning_content":"R3"}`), providers.Text("62%")}},
		providers.UserText("thanks"),
	}
}

// sentMessages returns the messages of the request made for a history.
func sentMessages(t *testing.T, q openai.Quirks, messages []providers.Message) []map[string]any {
	t.Helper()
	server := providertest.ChatCompletions(t, providertest.Replies(providertest.Reply{Text: []string{"ok"}}))
	m := model(t, server.URL, openai.Options{Quirks: q})
	_, err := m.Complete(context.Background(), providers.Request{Messages: messages}, nil)
	require.NoError(t, err)
	var list []map[string]any
	for _, msg := range decode(t, server.Requests()[0].Body)["messages"].([]any) {
		list = append(list, msg.(map[string]any))
	}
	return list
}

func TestReasoningGoesBackAsTheVendorWants(t *testing.T) {
	for name, c := range map[string]struct {
		quirks openai.Quirks
		vendor string
		want   []any // reasoning_content of the three assistant messages
	}{
		"never":             {openai.Quirks{}, "deepseek", []any{nil, nil, nil}},
		"in tool turns":     {openai.Quirks{Reasoning: openai.ReasoningToolTurns}, "deepseek", []any{nil, "R2", "R3"}},
		"always":            {openai.Quirks{Reasoning: openai.ReasoningAlways}, "deepseek", []any{"R1", "R2", "R3"}},
		"not another's":     {openai.Quirks{Reasoning: openai.ReasoningAlways}, "glm", []any{nil, nil, nil}},
		"filled with calls": {openai.Quirks{Reasoning: openai.ReasoningToolTurns, FillReasoning: true}, "glm", []any{nil, "", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []any
			for _, msg := range sentMessages(t, c.quirks, history(c.vendor)) {
				if msg["role"] == "assistant" {
					got = append(got, msg["reasoning_content"])
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestMissingSignaturesGetTheStandIn(t *testing.T) {
	messages := sentMessages(t, openai.Quirks{ExtraContent: true, MissingExtraContent: json.RawMessage(`{"g":1}`)}, history("claude"))
	call := messages[3]["tool_calls"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"g": 1.0}, call["extra_content"])
	call = sentMessages(t, openai.Quirks{}, history("claude"))[3]["tool_calls"].([]any)[0].(map[string]any)
	require.NotContains(t, call, "extra_content")
}

// roundTrip asks once, adds the answer to the conversation and asks again. It returns the first answer and the
// assistant message of the second request.
func roundTrip(t *testing.T, q openai.Quirks, contentType, body string) (providers.Completion, map[string]any) {
	t.Helper()
	done, err := askRaw(t, contentType, body, q)
	require.NoError(t, err)
	messages := []providers.Message{providers.UserText("?"), {Role: providers.RoleAssistant, Content: done.Content}}
	var results []providers.Block
	for _, use := range done.ToolUses() {
		results = append(results, providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Content: "ok"})
	}
	if results == nil {
		messages = append(messages, providers.UserText("and?"))
	} else {
		messages = append(messages, providers.Message{Role: providers.RoleUser, Content: results})
	}
	return done, sentMessages(t, q, messages)[1]
}

func TestReasoningDetailsComeTogether(t *testing.T) {
	q := openai.Quirks{Reasoning: openai.ReasoningAlways, ReasoningField: "reasoning_details"}
	for name, pieces := range map[string][2]string{
		"pieces":        {"생각 ", "중"},
		"growing texts": {"생각 ", "생각 중"},
	} {
		t.Run(name, func(t *testing.T) {
			_, back := roundTrip(t, q, stream, data(
				delta(`"reasoning_details":[{"type":"reasoning.text","id":"r1","index":0,"text":"`+pieces[0]+`"}]`),
				delta(`"reasoning_details":[{"type":"reasoning.text","id":"r1","index":0,"text":"`+pieces[1]+`"}]`),
				delta(`"content":"답"`), finish("stop"), "[DONE]"))
			require.Equal(t, []any{map[string]any{"type": "reasoning.text", "id": "r1", "index": 0.0, "text": "생각 중"}}, back["reasoning_details"])
			require.Equal(t, "답", back["content"])
		})
	}
}

func TestReasoningFieldOfLocalServers(t *testing.T) {
	q := openai.Quirks{Reasoning: openai.ReasoningAlways, ReasoningField: "reasoning"}
	_, back := roundTrip(t, q, "application/json", `{"choices":[{"message":{"content":"답","reasoning":"흠"},"finish_reason":"stop"}]}`)
	require.Equal(t, "흠", back["reasoning"])
}

func TestThinkTagsAreNotAnswer(t *testing.T) {
	whole := "\n<think>\n먼저 a<b </thin\n</think>\n\n답은 <think> 42"
	for size := 1; size <= len([]rune(whole)); size++ {
		var events []string
		for r := []rune(whole); len(r) > 0; r = r[min(size, len(r)):] {
			piece, err := json.Marshal(string(r[:min(size, len(r))]))
			require.NoError(t, err)
			events = append(events, delta(`"content":`+string(piece)))
		}
		done, back := roundTrip(t, openai.Quirks{ThinkTags: true, Reasoning: openai.ReasoningAlways}, stream, data(append(events, finish("stop"))...))
		require.Equal(t, "답은 <think> 42", done.Text())
		require.Equal(t, "<think>\n먼저 a<b </thin\n</think>답은 <think> 42", back["content"])
	}
	for text, want := range map[string]string{"<thin air>": "<thin air>", "<th": "<th", "no tags": "no tags", "a <think>b</think>": "a <think>b</think>"} {
		done, err := askRaw(t, stream, data(delta(`"content":"`+text+`"`), finish("stop")), openai.Quirks{ThinkTags: true})
		require.NoError(t, err)
		require.Equal(t, want, done.Text())
	}
	_, err := askRaw(t, stream, data(delta(`"content":"<think>never ends"`), finish("stop")), openai.Quirks{ThinkTags: true})
	require.Equal(t, providers.KindEmpty, providers.KindOf(err))
	done, err := askRaw(t, stream, data(delta(`"content":"<think>x</think>"`), finish("stop")), openai.Quirks{})
	require.NoError(t, err)
	require.Equal(t, "<think>x</think>", done.Text(), "only where the quirk says so")
}

func TestRequestFieldsFollowTheQuirks(t *testing.T) {
	server := providertest.ChatCompletions(t, func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"ok"}}
	})
	req := providers.Request{Messages: []providers.Message{providers.UserText("?")}}
	body := func(o openai.Options) map[string]any {
		_, err := model(t, server.URL, o).Complete(context.Background(), req, nil)
		require.NoError(t, err)
		seen := server.Requests()
		return decode(t, seen[len(seen)-1].Body)
	}
	plain := body(openai.Options{})
	require.Equal(t, map[string]any{"include_usage": true}, plain["stream_options"])
	for _, absent := range []string{"max_tokens", "max_completion_tokens", "temperature", "tools", "reasoning_split"} {
		require.NotContains(t, plain, absent)
	}
	zero := 0.0
	quirky := body(openai.Options{MaxTokens: 7, Temperature: &zero, Quirks: openai.Quirks{
		MaxTokensField: "max_completion_tokens", NoStreamUsage: true,
		Body: map[string]json.RawMessage{"reasoning_split": json.RawMessage("true")},
	}})
	require.Equal(t, 7.0, quirky["max_completion_tokens"])
	require.Equal(t, 0.0, quirky["temperature"])
	require.Equal(t, true, quirky["reasoning_split"])
	require.NotContains(t, quirky, "stream_options")
	req.MaxTokens = 3
	require.Equal(t, 3.0, body(openai.Options{MaxTokens: 7})["max_tokens"], "the request's bound wins")
}

func TestEmptyMessagesAreLeftOut(t *testing.T) {
	messages := sentMessages(t, openai.Quirks{}, []providers.Message{
		providers.UserText("  "), providers.AssistantText(""), {Role: providers.RoleAssistant, Content: []providers.Block{opaqueBlock(`{}`)}}, providers.UserText("?"),
	})
	require.Len(t, messages, 1)
	require.True(t, strings.HasPrefix(messages[0]["content"].(string), "?"))
}
