package main

import (
	"os"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name + ".golden"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func someUsage() ipc.UsageReport {
	return ipc.UsageReport{
		By: "channel",
		Rows: []ipc.UsageRow{
			{Name: "왓츠앱\x1b[2J", UsageSum: ipc.UsageSum{Requests: 1200, In: 1234567, Out: 89012, Cached: 1000, CostUSD: 1234.5}},
			{Name: "cli", UsageSum: ipc.UsageSum{Requests: 3, In: 300, Out: 9, CostUSD: 0.0123, Unpriced: 1}},
			{UsageSum: ipc.UsageSum{Requests: 1, Unpriced: 1}},
		},
		Total:  ipc.UsageSum{Requests: 1204, In: 1234867, Out: 89021, Cached: 1000, CostUSD: 1234.5123, Unpriced: 2},
		Budget: &ipc.DayBudget{Limit: "daily_tokens", Tokens: 9300, DailyTokens: 10_000, Share: 0.93, Warn: true},
	}
}

func TestUsageIsATableInEachLanguage(t *testing.T) {
	for _, lang := range languages {
		var b strings.Builder
		printUsage(&b, someUsage(), lang)
		golden(t, "usage."+string(lang), b.String())
	}
}

func TestTheColumnsOfATableEndTogether(t *testing.T) {
	for _, lang := range languages {
		var b strings.Builder
		printUsage(&b, someUsage(), lang)
		lines := strings.Split(b.String(), "\n")[:5]
		for _, line := range lines {
			require.Equal(t, displaywidth.String(lines[0]), displaywidth.String(line), "%s: %q", lang, line)
		}
	}
}

func TestProvidersAreShownWithTheirModels(t *testing.T) {
	p := ipc.ProviderModels{
		Provider: "claude", Label: "Claude (Anthropic)", Default: "claude-sonnet-4-6", Key: ipc.KeyPresent, BaseURL: "https://api.anthropic.com",
		Answers: "claude-sonnet-4-6", Why: ipc.WhyKey,
		Known: []ipc.ModelInfo{
			{ID: "claude-sonnet-4-6", Context: 200_000, Price: &ipc.ModelPrice{Input: 3, Cached: 0.3, Output: 15, Noted: "2026-11-20"}},
			{ID: "mine", Price: &ipc.ModelPrice{Input: 0.125, Output: 1, Own: true}},
			{ID: "new\x1b", Live: true},
		},
	}
	for _, lang := range languages {
		var b strings.Builder
		printProvider(&b, p, lang)
		golden(t, "models."+string(lang), b.String())
	}
	var b strings.Builder
	printProvider(&b, ipc.ProviderModels{Provider: "glm", Label: "GLM", Key: ipc.KeyMissing, KeyNames: []string{"ZAI_API_KEY", "GLM_API_KEY"}, Problem: "cannot\nbe reached"}, i18n.English)
	require.Equal(t, "○ glm  GLM · no key: ZAI_API_KEY, GLM_API_KEY\n  ! cannot⟨\\n⟩be reached\n", b.String())
}
