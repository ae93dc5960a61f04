package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

func TestWhatARequestCosts(t *testing.T) {
	u := providers.Usage{InputTokens: 2_000_000, CachedTokens: 1_000_000, OutputTokens: 1_000_000}
	said := u
	said.CostUSD = 0.5
	own := catalog.Tariff{
		Own:      map[string]map[string]catalog.Price{"claude": {"opus-of-mine": {Input: 1, Cached: 0.1, Output: 2}, "nothing": {}}},
		BaseURLs: map[string]string{"ollama": "http://10.0.0.2:11434/v1", "custom": "http://127.0.0.1:8080"},
	}
	for name, c := range map[string]struct {
		tariff          catalog.Tariff
		provider, model string
		usage           providers.Usage
		usd             float64
		known           bool
	}{
		"the person's own price":               {own, "claude", "opus-of-mine", u, 3.1, true},
		"it comes before what a provider says": {own, "claude", "nothing", said, 0, true},
		"what the provider says":               {own, "claude", "another", said, 0.5, true},
		"a model nobody knows the price of":    {own, "claude", "another", u, 0, false},
		"a server of another computer":         {own, "ollama", "qwen3", u, 0, false},
		"a server of this one":                 {catalog.Tariff{}, "ollama", "qwen3", u, 0, true},
		"another server of this one":           {own, "custom", "m", u, 0, true},
		"a server that is not configured":      {catalog.Tariff{}, "custom", "m", u, 0, false},
		"no model at all":                      {own, "offline", "builtin", u, 0, true},
		"a script that says nothing":           {own, "scripted", "tour.toml", u, 0, true},
		"a script that does":                   {own, "scripted", "tour.toml", said, 0.5, true},
		"a provider nobody knows":              {own, "hal", "9000", u, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			usd, known := c.tariff.Cost(c.provider, c.model, c.usage)
			require.InDelta(t, c.usd, usd, 1e-9)
			require.Equal(t, c.known, known)
		})
	}
}

func TestOnlyWhatNeverCostsAnythingIsFree(t *testing.T) {
	t1 := catalog.Tariff{BaseURLs: map[string]string{"claude": "http://127.0.0.1:1", "custom": "https://models.example"}}
	for provider, want := range map[string]bool{"offline": true, "ollama": true, "custom": false, "claude": false, "scripted": false, "hal": false} {
		require.Equal(t, want, t1.IsFree(provider), provider)
	}
}
