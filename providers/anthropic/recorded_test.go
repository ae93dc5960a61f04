package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestRecordedAnswers(t *testing.T) {
	done := providertest.RunRecording(t, "testdata/thinking.txt", func(url string) providertest.Model {
		m, _ := start(t, one, anthropic.Options{BaseURL: url})
		return m
	})
	require.Equal(t, "볼게요.", done.Text())
	require.Equal(t, "toolu_01", done.ToolUses()[0].ID)
	require.Equal(t, providers.Usage{InputTokens: 1709, OutputTokens: 57, CachedTokens: 1500}, done.Usage)
	require.JSONEq(t, `{"type":"thinking","thinking":"The disk first.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk"}`, string(done.Content[0].Raw))
}
