package interop_test

import (
	"encoding/json"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
)

func chat(t *testing.T) func(url string) asker {
	return func(url string) asker {
		m, err := openai.New(openai.Options{Name: "openai", Model: "gpt-4o", BaseURL: url, Images: true, Quirks: openai.Quirks{MaxTokensField: "max_completion_tokens"}})
		require.NoError(t, err)
		return m
	}
}

func said(delta sdk.ChatCompletionChunkChoiceDelta, finish string) sdk.ChatCompletionChunk {
	return sdk.ChatCompletionChunk{ID: "c1", Model: "gpt-4o", Choices: []sdk.ChatCompletionChunkChoice{{Delta: delta, FinishReason: finish}}}
}

func called(index int64, id, name, arguments string) sdk.ChatCompletionChunkChoiceDeltaToolCall {
	return sdk.ChatCompletionChunkChoiceDeltaToolCall{
		Index: index, ID: id, Type: "function",
		Function: sdk.ChatCompletionChunkChoiceDeltaToolCallFunction{Name: name, Arguments: arguments},
	}
}

func TestOpenAIReadsOurRequests(t *testing.T) {
	sent, _, _ := exchange(t, chat(t), conversation(), "text/event-stream", stream(t, said(sdk.ChatCompletionChunkChoiceDelta{Content: "네"}, "stop")))
	var params sdk.ChatCompletionNewParams
	require.NoError(t, json.Unmarshal(sent, &params))
	require.JSONEq(t, without(t, sent, "stream"), encode(t, params), "nothing is lost; the SDK says stream itself")

	require.Equal(t, "gpt-4o", params.Model)
	require.Equal(t, int64(512), params.MaxCompletionTokens.Value)
	require.True(t, params.StreamOptions.IncludeUsage.Value)
	require.Len(t, params.Messages, 6)
	require.Equal(t, "You run this computer.", params.Messages[0].OfSystem.Content.OfString.Value)
	parts := params.Messages[1].OfUser.Content.OfArrayOfContentParts
	require.Equal(t, "뭐가 보여?", parts[0].OfText.Text)
	require.Equal(t, "data:image/png;base64,iVBORwD/", parts[1].OfImageURL.ImageURL.URL)
	calls := params.Messages[2].OfAssistant.ToolCalls
	require.Len(t, calls, 2)
	require.Equal(t, "t1", calls[0].OfFunction.ID)
	require.JSONEq(t, `{"path":"/집","depth":2}`, calls[0].OfFunction.Function.Arguments)
	require.Equal(t, "t2", params.Messages[4].OfTool.ToolCallID)
	require.Equal(t, openai.ErrorPrefix+"no such file", params.Messages[4].OfTool.Content.OfString.Value)
	require.Equal(t, "서둘러 줘", params.Messages[5].OfUser.Content.OfString.Value)
	require.Equal(t, "check_disk", params.Tools[0].OfFunction.Function.Name)
	require.Equal(t, "object", params.Tools[0].OfFunction.Function.Parameters["type"])
}

func TestWeReadOpenAIsReplies(t *testing.T) {
	answer := stream(t,
		said(sdk.ChatCompletionChunkChoiceDelta{Role: "assistant", Content: "둘 다 "}, ""), said(sdk.ChatCompletionChunkChoiceDelta{Content: "볼게요 <&>"}, ""),
		said(sdk.ChatCompletionChunkChoiceDelta{ToolCalls: []sdk.ChatCompletionChunkChoiceDeltaToolCall{called(0, "t1", "check_disk", ""), called(1, "t2", "run_command", "")}}, ""),
		said(sdk.ChatCompletionChunkChoiceDelta{ToolCalls: []sdk.ChatCompletionChunkChoiceDeltaToolCall{called(0, "", "", `{"path":`), called(1, "", "", `{"command":"df`)}}, ""),
		said(sdk.ChatCompletionChunkChoiceDelta{ToolCalls: []sdk.ChatCompletionChunkChoiceDeltaToolCall{called(0, "", "", `"/집"}`), called(1, "", "", ` -h"}`)}}, "tool_calls"),
		sdk.ChatCompletionChunk{Choices: []sdk.ChatCompletionChunkChoice{}, Usage: sdk.CompletionUsage{
			PromptTokens: 100, CompletionTokens: 7, TotalTokens: 107, PromptTokensDetails: sdk.CompletionUsagePromptTokensDetails{CachedTokens: 64},
		}}) + "data: [DONE]\n\n"
	_, done, shown := exchange(t, chat(t), conversation(), "text/event-stream", answer)
	require.Equal(t, "둘 다 볼게요 <&>", shown)
	require.Equal(t, providers.StopToolUse, done.Stop)
	require.Equal(t, providers.Usage{InputTokens: 100, OutputTokens: 7, CachedTokens: 64}, done.Usage)
	require.Equal(t, []providers.Block{
		{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk", Input: json.RawMessage(`{"path":"/집"}`)},
		{Type: providers.BlockToolUse, ID: "t2", Name: "run_command", Input: json.RawMessage(`{"command":"df -h"}`)},
	}, done.ToolUses())
}

func TestWeReadOpenAIsWholeReply(t *testing.T) {
	answer := encode(t, sdk.ChatCompletion{
		ID: "c1", Model: "gpt-4o", Usage: sdk.CompletionUsage{PromptTokens: 3, CompletionTokens: 2},
		Choices: []sdk.ChatCompletionChoice{{FinishReason: "length", Message: sdk.ChatCompletionMessage{Role: "assistant", Content: "여기까"}}},
	})
	_, done, shown := exchange(t, chat(t), conversation(), "application/json", answer)
	require.Equal(t, "여기까", shown)
	require.Equal(t, providers.StopMaxTokens, done.Stop)
	require.Equal(t, providers.Usage{InputTokens: 3, OutputTokens: 2}, done.Usage)
}
