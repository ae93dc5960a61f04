package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/gemini"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestRecordedAnswers(t *testing.T) {
	recorded := func(file string) providers.Completion {
		return providertest.RunRecording(t, "testdata/"+file, func(url string) providertest.Model { return model(t, url, gemini.Options{}) })
	}
	done := recorded("parallel.txt")
	require.Empty(t, done.Text())
	require.Len(t, done.ToolUses(), 2)
	require.JSONEq(t, `{"path":"/home"}`, string(done.ToolUses()[1].Input))
	require.Equal(t, providers.Usage{InputTokens: 412, OutputTokens: 85, CachedTokens: 256}, done.Usage)
	require.Contains(t, string(done.Content[1].Raw), "EjQKMgEMOdbHUf3kVdbqTGk0mzFL7A==")

	done = recorded("answer.txt")
	require.Equal(t, "디스크는 62% 찼어요.", done.Text())
	require.Equal(t, providers.StopEndTurn, done.Stop)
	require.Equal(t, providers.BlockOpaque, done.Content[1].Type)
}
