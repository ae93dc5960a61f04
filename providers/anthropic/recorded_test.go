package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestRecordedAnswers(t *testing.T) {
	recorded := func(file string) providers.Completion {
		return providertest.RunRecording(t, "testdata/"+file, func(url string) providertest.Model {
			m, _ := start(t, one, anthropic.Options{BaseURL: url})
			return m
		})
	}
	done := recorded("thinking.txt")
	require.Equal(t, "볼게요.", done.Text())
	require.Equal(t, "toolu_01", done.ToolUses()[0].ID)
	require.Equal(t, providers.Usage{InputTokens: 1709, OutputTokens: 57, CachedTokens: 1500}, done.Usage)
	require.JSONEq(t, `{"type":"thinking","thinking":"The disk first.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk"}`, string(done.Content[0].Raw))

	done = recorded("tool_use.txt")
	require.Equal(t, "I'd be happy to check the weather in San Francisco for you. Let me get that information for you right away.", done.Text())
	require.Equal(t, "toolu_017QoD96fYwGzCWvLfaPADWg", done.ToolUses()[0].ID)
	require.JSONEq(t, `{"city":"San Francisco"}`, string(done.ToolUses()[0].Input))
	require.Equal(t, providers.StopToolUse, done.Stop)
	require.Equal(t, providers.Usage{InputTokens: 394, OutputTokens: 79}, done.Usage)

	done = recorded("refusal.txt")
	require.Equal(t, "Hi", done.Text())
	require.Equal(t, providers.StopRefusal, done.Stop)
}
