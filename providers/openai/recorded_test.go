package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestRecordedAnswers(t *testing.T) {
	recorded := func(file string) providers.Completion {
		return providertest.RunRecording(t, "testdata/"+file, func(url string) providertest.Model { return model(t, url, openai.Options{Quirks: vendor}) })
	}
	done := recorded("deepseek.txt")
	require.Equal(t, providers.Usage{InputTokens: 1220, OutputTokens: 41, CachedTokens: 1152}, done.Usage)
	require.Contains(t, string(done.Content[0].Raw), `"reasoning_content":"The user wants the disk."`)
	require.Equal(t, "call_00_pQ3H", done.ToolUses()[0].ID)

	done = recorded("ollama.txt")
	require.Len(t, done.ToolUses(), 2)
	require.Equal(t, "check_memory", done.ToolUses()[1].Name)
	require.Zero(t, done.Usage)
	require.Contains(t, string(done.Content[0].Raw), `"reasoning":"Two calls."`)
}

func TestUsageFieldsOfOtherServers(t *testing.T) {
	for fields, want := range map[string]providers.Usage{
		`"prompt_tokens":9,"completion_tokens":1,"prompt_cache_hit_tokens":4`:                  {InputTokens: 9, OutputTokens: 1, CachedTokens: 4},
		`"prompt_tokens":9,"completion_tokens":1,"cached_tokens":3`:                            {InputTokens: 9, OutputTokens: 1, CachedTokens: 3},
		`"prompt_tokens":9,"completion_tokens":1,"cost":0.0012,"prompt_tokens_details":null`:   {InputTokens: 9, OutputTokens: 1, CostUSD: 0.0012},
		`"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":99}`: {InputTokens: 9, OutputTokens: 1, CachedTokens: 9},
	} {
		done, err := askRaw(t, stream, data(delta(`"content":"x"`), finish("stop"), `{"choices":[],"usage":{`+fields+`}}`, "[DONE]"), openai.Quirks{})
		require.NoError(t, err)
		require.Equal(t, want, done.Usage)
	}
}
