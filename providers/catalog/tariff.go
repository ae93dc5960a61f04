package catalog

import (
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Tariff is what requests cost the person: the catalog's prices, and what the
// configuration says otherwise.
type Tariff struct {
	// Own are the person's prices, by provider and model id.
	Own map[string]map[string]Price
	// BaseURLs are the configured servers, by provider.
	BaseURLs map[string]string
}

// Known reports whether a price was noted: one of nothing may be right.
func (p Price) Known() bool { return p != Price{} }

// Price returns what a model costs a million tokens, and whether that is known.
func (t Tariff) Price(provider, model string) (Price, bool) {
	if p, own := t.Own[provider][model]; own {
		return p, true
	}
	if t.Free(provider) {
		return Price{}, true
	}
	e, _ := Lookup(provider)
	m, _ := e.Find(model)
	return m.Price, m.Price.Known()
}

// Free reports whether nothing a provider does costs money: the engine without
// a model, a server for any model on this computer, and what a plan pays.
func (t Tariff) Free(provider string) bool {
	e, ok := Lookup(provider)
	if !ok {
		return false
	}
	return e.Dialect == DialectOffline || e.Plan || e.Keys.Optional && transport.Loopback(t.BaseURL(e.Name))
}

// BaseURL returns a provider's server, as configured or as it is known; "" for
// none.
func (t Tariff) BaseURL(provider string) string {
	e, _ := Lookup(provider)
	return strings.TrimSpace(first(t.BaseURLs[provider], e.BaseURL))
}

// Cost returns what a request cost, in US dollars, and whether that is known:
// by the person's own price, by what the provider said, by the catalog.
func (t Tariff) Cost(provider, model string, u providers.Usage) (usd float64, known bool) {
	if p, own := t.Own[provider][model]; own {
		return p.Of(u), true
	}
	if t.Free(provider) {
		return 0, true
	}
	if e, _ := Lookup(provider); u.CostUSD > 0 || e.Dialect == DialectScripted {
		return u.CostUSD, true
	}
	p, known := t.Price(provider, model)
	return p.Of(u), known
}
