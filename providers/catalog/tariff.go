package catalog

import (
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

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
	return strings.TrimSpace(firstNonEmpty(t.BaseURLs[provider], e.BaseURL))
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
