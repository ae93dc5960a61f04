package catalog

import (
	"cmp"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// The models to offer, with prices in US dollars per million tokens on the noted day. If a vendor charges more for long
// prompts or at busy hours, the price is that of an ordinary prompt at the busy hour. Temporary discounts are included.
// Unknown prices are omitted. Sources: platform.claude.com/docs/en/about-claude/pricing,
// api-docs.deepseek.com/quick_start/pricing, developers.openai.com/api/docs/pricing, docs.z.ai/guides/overview/pricing,
// platform.minimax.io/docs/guides/pricing-paygo, ai.google.dev/gemini-api/docs/pricing, as read on the noted day, some
// of them through charmbracelet/catwalk and anomalyco/models.dev, which track them.

func claudeModels() []ModelInfo {
	const noted = "2026-10-24"
	return []ModelInfo{
		{ID: "claude-sonnet-4-6", Context: 200_000, Images: true, Price: Price{3, 0.30, 15, noted}},
		{ID: "claude-opus-4-6", Context: 200_000, Images: true, Price: Price{5, 0.50, 25, noted}},
		{ID: "claude-sonnet-5-5", Context: 200_000, Images: true, Price: Price{2, 0.10, 10, noted}},
		{ID: "claude-opus-5-5", Context: 200_000, Images: true, Price: Price{4, 0.20, 20, noted}},
		{ID: "claude-haiku-5-5", Context: 100_000, Images: true, Price: Price{0.10, 0.01, 0.50, noted}}, // higher price above 100,000
		{ID: "claude-haiku-4-5", Context: 200_000, Images: true, Price: Price{1, 0.10, 5, noted}},
	}
}

// deepseekModels starts with the names in the seeds. DeepSeek now serves other models under these names.
func deepseekModels() []ModelInfo {
	const noted, before = "2026-10-27", "2025-12-09"
	return []ModelInfo{
		{ID: "deepseek-chat", Context: 128_000, Price: Price{0.28, 0.028, 0.42, before}},
		{ID: "deepseek-coder", Context: 128_000, Price: Price{0.28, 0.028, 0.42, before}},
		{ID: "deepseek-reasoner", Context: 128_000, Price: Price{0.28, 0.028, 0.42, before}},
		{ID: "deepseek-flash", Context: 1_000_000, Images: true, Price: Price{0.30, 0.006, 1.20, noted}},
		{ID: "deepseek-v4-pro", Context: 1_000_000, Price: Price{1.32, 0.044, 3.96, noted}},
	}
}

func gptModels() []ModelInfo {
	return []ModelInfo{
		{ID: "gpt-4o", Context: 128_000, Images: true, Price: Price{2.50, 1.25, 10, "2026-11-05"}},
		{ID: "gpt-4o-mini", Context: 128_000, Images: true, Price: Price{0.15, 0.075, 0.60, "2026-11-05"}},
		{ID: "gpt-5", Context: 400_000, Images: true, Price: Price{1.25, 0.125, 10, "2026-06-01"}},
		{ID: "gpt-5-mini", Context: 400_000, Images: true, Price: Price{0.25, 0.025, 2, "2026-06-01"}},
		{ID: "gpt-6-sol", Context: 272_000, Images: true, Price: Price{2, 0.20, 10, "2026-09-22"}}, // these three cost more above 272,000
		{ID: "gpt-6-luna", Context: 272_000, Images: true, Price: Price{0.10, 0.01, 0.50, "2026-09-22"}},
		{ID: "gpt-6-astra", Context: 272_000, Images: true, Price: Price{10, 1, 50, "2026-09-03"}},
	}
}

func glmModels() []ModelInfo {
	const noted = "2026-11-22"
	return []ModelInfo{
		{ID: "glm-4.7-flash", Context: 200_000, Price: Price{0.07, 0.01, 0.40, noted}},
		{ID: "glm-4.7", Context: 200_000, Price: Price{0.60, 0.11, 2.20, noted}},
		{ID: "glm-5", Context: 200_000, Price: Price{1, 0.20, 3.20, noted}},
		{ID: "glm-5.3", Context: 1_000_000, Price: Price{1.40, 0.26, 4.40, noted}},
		{ID: "glm-5.3-flash", Context: 1_000_000, Images: true, Price: Price{0.15, 0.03, 0.50, noted}},
		{ID: "glm-4.6v", Context: 131_072, Images: true, Price: Price{Input: 0.30, Cached: 0.30, Output: 0.90, AsOf: noted}},
	}
}

func minimaxModels() []ModelInfo {
	const noted = "2026-11-22"
	return []ModelInfo{
		{ID: "MiniMax-M2", Context: 204_800, Price: Price{0.30, 0.03, 1.20, noted}},
		{ID: "MiniMax-M2.5", Context: 204_800, Price: Price{0.30, 0.03, 1.20, noted}},
		{ID: "MiniMax-M2.7", Context: 204_800, Price: Price{0.30, 0.06, 1.20, noted}},
		{ID: "MiniMax-M3", Context: 524_288, Images: true, Price: Price{0.30, 0.06, 1.20, noted}}, // higher price above that
	}
}

func geminiModels() []ModelInfo {
	const noted = "2026-10-07"
	return []ModelInfo{
		{ID: "gemini-2.5-flash", Context: 1_048_576, Images: true, Price: Price{0.30, 0.03, 2.50, noted}},
		{ID: "gemini-2.5-pro", Context: 1_048_576, Images: true, Price: Price{1.25, 0.125, 10, noted}},
		{ID: "gemini-3-flash-preview", Context: 1_048_576, Images: true, Price: Price{0.50, 0.05, 3, noted}},
		{ID: "gemini-3.1-pro-preview", Context: 1_048_576, Images: true, Price: Price{2, 0.20, 12, noted}},
		{ID: "gemini-3.8-flash", Context: 1_048_576, Images: true, Price: Price{0.75, 0.075, 3.75, noted}}, // until the end of 2026, then double
	}
}

// Tariff computes the cost of requests from the catalog's prices and the configured ones.
type Tariff struct {
	// Own has the configured prices by provider and model id.
	Own map[string]map[string]Price
	// BaseURLs has the configured servers by provider.
	BaseURLs map[string]string
}

// IsKnown reports whether a price is set. The zero price means unknown.
func (p Price) IsKnown() bool { return p != Price{} }

// Price returns the price of a model, and whether it is known.
func (t Tariff) Price(provider, model string) (Price, bool) {
	if p, own := t.Own[provider][model]; own {
		return p, true
	}
	if t.IsFree(provider) {
		return Price{}, true
	}
	e, _ := Lookup(provider)
	m, _ := e.Find(model)
	return m.Price, m.Price.IsKnown()
}

// IsFree reports whether a provider costs nothing per request: the built-in engine, a local server for any model,
// and subscriptions.
func (t Tariff) IsFree(provider string) bool {
	e, ok := Lookup(provider)
	if !ok {
		return false
	}
	return e.Dialect == DialectOffline || e.Subscription || e.Keys.Optional && transport.IsLoopback(t.BaseURL(e.Name))
}

// BaseURL returns a provider's configured or default server, or "".
func (t Tariff) BaseURL(provider string) string {
	e, _ := Lookup(provider)
	return strings.TrimSpace(cmp.Or(t.BaseURLs[provider], e.BaseURL))
}

// Cost returns the cost of a request in US dollars, and whether it is known. A configured price takes
// precedence over the cost that the provider reported, and that over the catalog's price.
func (t Tariff) Cost(provider, model string, u providers.Usage) (usd float64, known bool) {
	if p, own := t.Own[provider][model]; own {
		return p.Cost(u), true
	}
	if t.IsFree(provider) {
		return 0, true
	}
	if e, _ := Lookup(provider); u.CostUSD > 0 || e.Dialect == DialectScripted {
		return u.CostUSD, true
	}
	p, known := t.Price(provider, model)
	return p.Cost(u), known
}
