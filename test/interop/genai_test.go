package interop_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/gemini"
)

func google(t *testing.T) func(url string) asker {
	return func(url string) asker {
		m, err := gemini.New(gemini.Options{Model: "gemini-3-pro", BaseURL: url, Images: true})
		require.NoError(t, err)
		return m
	}
}

// asked is the request in the SDK's types. The SDK has no type for the whole request.
type asked struct {
	Contents         []*genai.Content        `json:"contents"`
	System           *genai.Content          `json:"system_instruction"`
	Tools            []*genai.Tool           `json:"tools"`
	GenerationConfig *genai.GenerationConfig `json:"generationConfig"`
}

func part(parts ...*genai.Part) *genai.GenerateContentResponse {
	return &genai.GenerateContentResponse{Candidates: []*genai.Candidate{{Content: &genai.Content{Role: "model", Parts: parts}}}}
}

func finished(reason genai.FinishReason) *genai.GenerateContentResponse {
	return &genai.GenerateContentResponse{
		Candidates: []*genai.Candidate{{FinishReason: reason}},
		UsageMetadata: &genai.GenerateContentResponseUsageMetadata{
			PromptTokenCount: 100, CachedContentTokenCount: 64, CandidatesTokenCount: 7, ThoughtsTokenCount: 5, TotalTokenCount: 112,
		},
	}
}

func TestGoogleReadsOurRequests(t *testing.T) {
	signed := providers.Block{Type: providers.BlockOpaque, Provider: gemini.Package, Raw: json.RawMessage(`{"vendor":"gemini","tool_call_id":"t1","thoughtSignature":"` + signature + `"}`)}
	sent, _, _ := exchange(t, google(t), conversation(signed), "text/event-stream", stream(t, part(genai.NewPartFromText("네")), finished(genai.FinishReasonStop)))
	var req asked
	dec := json.NewDecoder(bytes.NewReader(sent))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&req))
	require.JSONEq(t, string(sent), encode(t, req), "nothing is lost")

	require.Equal(t, "You run this computer.", req.System.Parts[0].Text)
	require.Equal(t, int32(512), req.GenerationConfig.MaxOutputTokens)
	require.Len(t, req.Contents, 4)
	require.Equal(t, &genai.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\x00\xff")}, req.Contents[0].Parts[1].InlineData)
	calls := req.Contents[1].Parts
	require.Equal(t, genai.RoleModel, req.Contents[1].Role)
	require.Equal(t, &genai.FunctionCall{ID: "t1", Name: "check_disk", Args: map[string]any{"path": "/집", "depth": 2.0}}, calls[1].FunctionCall)
	want, err := base64.StdEncoding.DecodeString(signature)
	require.NoError(t, err)
	require.Equal(t, want, calls[1].ThoughtSignature)
	require.Empty(t, calls[2].ThoughtSignature)
	require.Equal(t, &genai.FunctionResponse{ID: "t1", Name: "check_disk", Response: map[string]any{"output": "62%\n둘째 줄"}}, req.Contents[2].Parts[0].FunctionResponse)
	require.Equal(t, map[string]any{"error": "no such file"}, req.Contents[2].Parts[1].FunctionResponse.Response)
	require.Equal(t, "서둘러 줘", req.Contents[3].Parts[0].Text)
	require.Equal(t, "check_disk", req.Tools[0].FunctionDeclarations[0].Name)
	require.Contains(t, req.Tools[0].FunctionDeclarations[1].ParametersJsonSchema, "additionalProperties")
}

// The signature in our next request, read with the SDK's types, is the one that was received.
func TestWeReadGooglesReplies(t *testing.T) {
	call := genai.NewPartFromFunctionCall("check_disk", map[string]any{"path": "/집"})
	call.FunctionCall.ID = "t1"
	call.ThoughtSignature = []byte("opaque\x00\xff<&>")
	second := genai.NewPartFromFunctionCall("run_command", map[string]any{"command": "df -h"})
	thought := &genai.Part{Text: "hm", Thought: true}
	answer := stream(t, part(thought), part(genai.NewPartFromText("둘 다 ")), part(genai.NewPartFromText("볼게요 <&>")), part(call, second), finished(genai.FinishReasonStop))
	_, done, shown := exchange(t, google(t), conversation(), "text/event-stream", answer)
	require.Equal(t, "둘 다 볼게요 <&>", shown)
	require.Equal(t, providers.StopToolUse, done.Stop)
	require.Equal(t, providers.Usage{InputTokens: 100, OutputTokens: 12, CachedTokens: 64}, done.Usage)
	uses := done.ToolUses()
	require.Len(t, uses, 2)
	require.Equal(t, "t1", uses[0].ID)
	require.JSONEq(t, `{"command":"df -h"}`, string(uses[1].Input))

	next := providers.Request{Messages: []providers.Message{providers.UserText("?"), {Role: providers.RoleAssistant, Content: done.Content}, {
		Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "t1", Content: "a"}, {Type: providers.BlockToolResult, ToolUseID: uses[1].ID, Content: "b"}},
	}}}
	sent, _, _ := exchange(t, google(t), next, "application/json", encode(t, []any{part(genai.NewPartFromText("네")), finished(genai.FinishReasonMaxTokens)}))
	var req asked
	require.NoError(t, json.Unmarshal(sent, &req))
	parts := req.Contents[1].Parts
	require.True(t, parts[0].Thought)
	require.Equal(t, call, parts[2])
	require.Equal(t, uses[1].ID, parts[3].FunctionCall.ID)
	require.Equal(t, uses[1].ID, req.Contents[2].Parts[1].FunctionResponse.ID)
}

func TestWeReadGooglesRefusals(t *testing.T) {
	_, done, _ := exchange(t, google(t), conversation(), "text/event-stream", stream(t, &genai.GenerateContentResponse{
		PromptFeedback: &genai.GenerateContentResponsePromptFeedback{BlockReason: genai.BlockedReasonProhibitedContent},
	}))
	require.Equal(t, providers.StopRefusal, done.Stop)
}
