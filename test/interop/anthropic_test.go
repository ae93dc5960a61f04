package interop_test

import (
	"encoding/json"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
)

// The dialect uses this SDK to encode requests but completes the body itself. The result must still be valid
// for the SDK.
func TestAnthropicReadsOurRequests(t *testing.T) {
	thinking := providers.Block{Type: providers.BlockOpaque, Provider: anthropic.Package, Raw: json.RawMessage(`{"type":"thinking","thinking":"<hm> & 그래","signature":"S+/="}`)}
	answer := `{"content":[{"type":"text","text":"네"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`
	sent, _, _ := exchange(t, func(url string) asker {
		m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-6", BaseURL: url, Images: true})
		require.NoError(t, err)
		return m
	}, conversation(thinking), "application/json", answer)
	var params sdk.MessageNewParams
	require.NoError(t, json.Unmarshal(sent, &params))
	require.JSONEq(t, without(t, sent, "stream"), encode(t, params), "nothing is lost; the SDK says stream itself")

	require.Equal(t, "You run this computer.", params.System[0].Text)
	require.Equal(t, "iVBORwD/", params.Messages[0].Content[1].OfImage.Source.OfBase64.Data)
	require.Equal(t, "<hm> & 그래", params.Messages[1].Content[0].OfThinking.Thinking)
	require.Equal(t, "t2", params.Messages[1].Content[3].OfToolUse.ID)
	require.True(t, params.Messages[2].Content[1].OfToolResult.IsError.Value)
	require.Equal(t, "check_disk", params.Tools[0].OfTool.Name)
}
