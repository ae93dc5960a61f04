package config

import (
	"maps"
	"slices"

	"github.com/nidoit/blunux-ai/i18n"
)

// Budget is the [budget] table: limits on the cost of models for each of the person's days. 0 means no limit.
type Budget struct {
	DailyUSD         float64 `toml:"daily_usd"`
	DailyTokens      int64   `toml:"daily_tokens"` // input and output, of models that cost money
	PerAutomationUSD float64 `toml:"per_automation_usd"`
	// WarnAt is the share of a limit at which to warn, by default 0.8. 0 means never.
	WarnAt      *float64 `toml:"warn_at"`
	WhenReached string   `toml:"when_reached"` // local | stop
}

// Price is a [providers.NAME.prices."MODEL"] table: the cost of a million tokens in US dollars. Cached is the
// price of tokens from the provider's cache, by default that of other input tokens.
type Price struct {
	Input  float64  `toml:"input"`
	Cached *float64 `toml:"cached"`
	Output float64  `toml:"output"`
}

// Bounds of amounts, in dollars and tokens.
const (
	maxUSD    = 1e6
	maxTokens = 1e12
)

// bad returns the first invalid value of the [budget] table.
func (b *Budget) bad() problem {
	for _, v := range []struct {
		key string
		n   float64
	}{{"budget.daily_usd", b.DailyUSD}, {"budget.per_automation_usd", b.PerAutomationUSD}} {
		if !(v.n >= 0 && v.n <= maxUSD) {
			return problem{v.key, i18n.SettingDollars(v.key, v.n, int(maxUSD))}
		}
	}
	switch {
	case b.DailyTokens < 0 || b.DailyTokens > maxTokens:
		return problem{"budget.daily_tokens", i18n.SettingTokens("budget.daily_tokens", b.DailyTokens, int64(maxTokens))}
	case b.WarnAt != nil && !(*b.WarnAt >= 0 && *b.WarnAt <= 1):
		return problem{"budget.warn_at", i18n.SettingShare("budget.warn_at", *b.WarnAt)}
	}
	return problem{}
}

func (b *Budget) withDefaults() {
	if b.WarnAt == nil {
		share := 0.8
		b.WarnAt = &share
	}
	if b.WhenReached == "" {
		b.WhenReached = "local"
	}
}

// badPrice returns the first invalid price.
func (c *Config) badPrice() problem {
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		prices := c.Providers[name].Prices
		for _, model := range slices.Sorted(maps.Keys(prices)) {
			key := "providers." + name + ".prices." + model
			for _, v := range []struct {
				name string
				n    float64
			}{{"input", prices[model].Input}, {"cached", prices[model].CachedOrInput()}, {"output", prices[model].Output}} {
				if !(v.n >= 0 && v.n <= maxUSD) {
					return problem{key + "." + v.name, i18n.SettingPrice(key+"."+v.name, v.n, int(maxUSD))}
				}
			}
		}
	}
	return problem{}
}

// CachedOrInput returns the price of cached tokens.
func (p Price) CachedOrInput() float64 {
	if p.Cached != nil {
		return *p.Cached
	}
	return p.Input
}

// mergePrices overrides the prices of base by those of top, model by model.
func mergePrices(base, top map[string]Price) map[string]Price {
	if len(base) == 0 {
		return top
	}
	all := maps.Clone(base)
	maps.Copy(all, top)
	return all
}
