package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

// withFiles returns layers with these files below home.
func withFiles(t *testing.T, files map[string]string) *layers {
	l := newLayers(t)
	for name, text := range files {
		l.write("home/"+name, text)
	}
	return l
}

func TestABudgetIsReadAndHasDefaults(t *testing.T) {
	c := withFiles(t, map[string]string{"config.toml": "[budget]\ndaily_usd = 1\n", "config.d/50.toml": "[budget]\nwhen_reached = \"stop\"\nwarn_at = 0.0\n"}).mustLoad()
	zero := 0.0
	require.Equal(t, config.Budget{DailyUSD: 1, WarnAt: &zero, WhenReached: "stop"}, c.Budget)
	c = newLayers(t).mustLoad()
	require.InDelta(t, 0.8, *c.Budget.WarnAt, 0)
	require.Equal(t, "local", c.Budget.WhenReached)
}

func TestPricesOfLayersAreAddedModelByModel(t *testing.T) {
	c := withFiles(t, map[string]string{
		"config.toml":      "[providers.custom.prices.a]\ninput = 1\noutput = 2\n[providers.custom.prices.b]\ninput = 3\ncached = 0.3\n",
		"config.d/50.toml": "[providers.custom.prices.\"a\"]\ninput = 5\n[providers.glm.prices.\"glm-4.7\"]\noutput = 1\n",
	}).mustLoad()
	cached := 0.3
	require.Equal(t, map[string]config.Price{"a": {Input: 5}, "b": {Input: 3, Cached: &cached}}, c.Providers["custom"].Prices)
	require.Equal(t, map[string]config.Price{"glm-4.7": {Output: 1}}, c.Providers["glm"].Prices)
	require.InDelta(t, 5, c.Providers["custom"].Prices["a"].CachedOrInput(), 0)
}

func TestABudgetThatCannotBeUsedIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[budget]\ndaily_usd = -1\n":                           "config.toml:2:13: budget.daily_usd = -1: must be from 0 (no limit) to 1000000 dollars",
		"[budget]\ndaily_usd = nan\n":                          "config.toml:2:13: budget.daily_usd = NaN: must be",
		"[budget]\nper_automation_usd = 1e9\n":                 "config.toml:2:22: budget.per_automation_usd = 1e+09: must be",
		"[budget]\ndaily_tokens = -5\n":                        "config.toml:2:16: budget.daily_tokens = -5: must be",
		"[budget]\nwarn_at = 80\n":                             "config.toml:2:11: budget.warn_at = 80: must be from 0 (never) to 1",
		"[budget]\nwhen_reached = \"ask\"\n":                   `config.toml:2:16: budget.when_reached = "ask": must be one of local, stop`,
		"[budget]\ndaily = 3\n":                                "config.toml:2:1: unknown key budget.daily",
		"[budget]\ndaily_usd = \"1\"\n":                        "config.toml:2:13: budget.daily_usd: expected float, found string",
		"[providers.glm.prices.\"glm-4.7\"]\ninput = -1\n":     "config.toml:2:9: providers.glm.prices.glm-4.7.input = -1: must be dollars per million tokens",
		"[providers.glm.prices.x]\ninput = 1\ncached = -1\n":   "config.toml:3:10: providers.glm.prices.x.cached = -1: must be",
		"[providers.glm]\nprices = { x = { output = inf } }\n": "config.toml:2:27: providers.glm.prices.x.output = +Inf: must be",
		"[providers.glm.prices.x]\ninput = 1\noutputs = 2\n":   "config.toml:3:1: unknown key providers.glm.prices.x.outputs",
		"[providers.glm]\nprices = 3\n":                        "providers.glm.prices",
	} {
		require.ErrorContains(t, withFiles(t, map[string]string{"config.toml": text}).refused(), want, text)
	}
}
