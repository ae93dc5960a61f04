package config

import (
	"fmt"
	"maps"
	"slices"
)

// Budget is the [budget] table: what a person wants to spend in one of their
// days; 0 for any amount.
type Budget struct {
	DailyUSD         float64 `toml:"daily_usd"`
	DailyTokens      int64   `toml:"daily_tokens"` // in and out, of models that cost money
	PerAutomationUSD float64 `toml:"per_automation_usd"`
	// WarnAt is the share of a limit that is told, default 0.8; 0 for none.
	WarnAt      *float64 `toml:"warn_at"`
	WhenReached string   `toml:"when_reached"` // local | stop
}

// Price is a [providers.NAME.prices."MODEL"] table: what a million tokens cost,
// in US dollars. Cached is what those read from the provider's cache cost,
// by default the same as others.
type Price struct {
	Input  float64  `toml:"input"`
	Cached *float64 `toml:"cached"`
	Output float64  `toml:"output"`
}

// The bounds of amounts, in dollars and tokens.
const (
	maxUSD    = 1e6
	maxTokens = 1e12
)

// bad finds what cannot be used of the [budget] table.
func (b *Budget) bad() problem {
	for _, v := range []struct {
		key string
		n   float64
	}{{"budget.daily_usd", b.DailyUSD}, {"budget.per_automation_usd", b.PerAutomationUSD}} {
		if !(v.n >= 0 && v.n <= maxUSD) {
			return problem{v.key, fmt.Sprintf("%s = %v: must be from 0 (no limit) to %d dollars", v.key, v.n, int(maxUSD))}
		}
	}
	switch {
	case b.DailyTokens < 0 || b.DailyTokens > maxTokens:
		return problem{"budget.daily_tokens", fmt.Sprintf("budget.daily_tokens = %d: must be from 0 (no limit) to %d", b.DailyTokens, int64(maxTokens))}
	case b.WarnAt != nil && !(*b.WarnAt >= 0 && *b.WarnAt <= 1):
		return problem{"budget.warn_at", fmt.Sprintf("budget.warn_at = %v: must be from 0 (never) to 1, a share of the limit", *b.WarnAt)}
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

// badPrice finds a price that cannot be used.
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
					return problem{key + "." + v.name, fmt.Sprintf("%s.%s = %v: must be dollars for a million tokens, from 0 to %d", key, v.name, v.n, int(maxUSD))}
				}
			}
		}
	}
	return problem{}
}

// CachedOrInput is what cached tokens cost.
func (p Price) CachedOrInput() float64 {
	if p.Cached != nil {
		return *p.Cached
	}
	return p.Input
}

// mergePrices lays the prices of top over base, model by model.
func mergePrices(base, top map[string]Price) map[string]Price {
	if len(base) == 0 {
		return top
	}
	all := maps.Clone(base)
	maps.Copy(all, top)
	return all
}
