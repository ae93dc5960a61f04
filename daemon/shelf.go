package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/usage"
)

// Shelf is what a runtime knows of models that could be chosen.
type Shelf struct {
	// Explicit reports that somebody chose the provider that answers.
	Explicit bool
	// Problem is why that provider cannot answer; nil when it can.
	Problem error
	Key     func(catalog.KeyNames) (string, error) // nil for no keys
	// Spec is how a provider is configured.
	Spec func(provider string) catalog.Spec
}

// shelf is what there is to choose from.
func (w Wiring) shelf(cfg config.Config, model agent.Model) Shelf {
	explicit := w.explicit(cfg)
	s := Shelf{
		Explicit: explicit != "" && !strings.EqualFold(explicit, "auto"), Key: w.key,
		Spec: func(provider string) catalog.Spec {
			p := cfg.Providers[provider]
			return catalog.Spec{Provider: provider, BaseURL: p.BaseURL, AuthStyle: p.AuthStyle, Key: w.key, HTTPClient: w.HTTPClient, Observer: w.Observer}
		},
	}
	var none unconfigured
	if u, ok := model.(unconfigured); ok {
		none = u
	}
	s.Problem = none.err
	return s
}

// explicit is the provider that a flag or the configuration names, "" for none.
func (w Wiring) explicit(cfg config.Config) string {
	if w.Provider != "" {
		return w.Provider
	}
	return cfg.Agent.Provider
}

// key finds a provider's key, "" where there is none.
func (w Wiring) key(k catalog.KeyNames) (string, error) {
	key, err := w.credentials().Key(k.Credential, k.Env...)
	if errors.Is(err, config.ErrNoCredential) {
		return "", nil
	}
	return key, err
}

// tariffOf is what requests cost by the configuration.
func tariffOf(cfg config.Config) catalog.Tariff {
	t := catalog.Tariff{Own: map[string]map[string]catalog.Price{}, BaseURLs: map[string]string{}}
	for name, p := range cfg.Providers {
		t.BaseURLs[name] = p.BaseURL
		for model, price := range p.Prices {
			if t.Own[name] == nil {
				t.Own[name] = map[string]catalog.Price{}
			}
			t.Own[name][model] = catalog.Price{Input: price.Input, Cached: price.CachedOrInput(), Output: price.Output}
		}
	}
	return t
}

// budget is what holds requests to the configured limits; nil where there is no
// ledger. Who chose a model that costs nothing is never stopped.
func (w Wiring) budget(cfg config.Config, free bool) *usage.Budget {
	if w.Ledger == nil {
		return nil
	}
	b := cfg.Budget
	return usage.NewBudget(w.Ledger, usage.Limits{
		DailyUSD: usage.USD(b.DailyUSD), DailyTokens: b.DailyTokens, PerAutomationUSD: usage.USD(b.PerAutomationUSD),
		WarnAt: *b.WarnAt, Stop: b.WhenReached == "stop" && !free,
	})
}

// guarded holds a model to the budget; nil stays nil.
func guarded(m agent.Model, b *usage.Budget, t catalog.Tariff) agent.Model {
	if m == nil || b == nil {
		return m
	}
	return usage.Guard{Model: m, Budget: b, Free: t.Free(m.Name())}
}

// askLimits bound how long a provider's server is waited for when it is asked
// which models it has.
var askLimits = transport.Limits{Overall: 4 * time.Second, Idle: 2 * time.Second, MaxAnswer: 1 << 20}

// queryModels lists what can be chosen; of one provider also what its server
// has.
func (c *peerConn) queryModels(q ipc.Query) (any, error) {
	rt, err := c.current()
	if err != nil {
		return nil, err
	}
	entries := catalog.All()
	if q.Provider != "" {
		e, ok := catalog.Lookup(q.Provider)
		if !ok {
			return nil, badQuery{i18n.ErrUnknownModels, []any{q.Provider, joined(catalog.Names())}, i18n.ErrUnknownModHint}
		}
		entries = []catalog.Entry{e}
	}
	all := []ipc.ProviderModels{}
	for _, e := range entries {
		p := rt.offered(e)
		if q.Provider != "" && e.BaseURL+rt.Tariff.BaseURL(e.Name) != "" {
			rt.askServer(c.living, &p)
		}
		all = append(all, p)
	}
	return all, nil
}

// offered is what is known of a provider without asking anybody.
func (rt *Runtime) offered(e catalog.Entry) ipc.ProviderModels {
	p := ipc.ProviderModels{
		Provider: e.Name, Label: e.Label, Default: e.DefaultModel, Models: []string{}, Known: []ipc.ModelInfo{}, BaseURL: rt.Tariff.BaseURL(e.Name),
		Key: rt.keyState(e), KeyNames: e.Keys.Env, Free: rt.Tariff.Free(e.Name),
	}
	for _, m := range e.Models {
		p.Models = append(p.Models, m.ID)
		p.Known = append(p.Known, rt.modelInfo(e, m))
	}
	if model := rt.Agent.Model(); model.Name() == e.Name {
		p.Answers, p.Why = model.ModelID(), rt.why(e)
		if rt.Shelf.Problem != nil {
			p.Problem = rt.redact(rt.Shelf.Problem.Error())
		}
		if _, listed := e.Find(p.Answers); p.Answers != "" && !listed {
			p.Known = append(p.Known, rt.modelInfo(e, catalog.ModelInfo{ID: p.Answers, Context: e.Context}))
		}
	}
	return p
}

func (rt *Runtime) modelInfo(e catalog.Entry, m catalog.ModelInfo) ipc.ModelInfo {
	info := ipc.ModelInfo{ID: m.ID, Context: m.Context, Images: m.Images}
	if price, known := rt.Tariff.Price(e.Name, m.ID); known {
		_, own := rt.Tariff.Own[e.Name][m.ID]
		info.Price = &ipc.ModelPrice{Input: price.Input, Cached: price.Cached, Output: price.Output, Noted: price.Noted, Own: own}
	}
	return info
}

// keyState tells whether a provider's key is there, and never the key.
func (rt *Runtime) keyState(e catalog.Entry) string {
	if e.Keys.None() {
		return ipc.KeyNone
	}
	key := ""
	if rt.Shelf.Key != nil {
		var err error
		if key, err = rt.Shelf.Key(e.Keys); err != nil {
			return ipc.KeyBad
		}
	}
	switch {
	case strings.TrimSpace(key) != "":
		return ipc.KeyPresent
	case e.Keys.Optional || transport.Loopback(rt.Tariff.BaseURL(e.Name)):
		return ipc.KeyOptional
	}
	return ipc.KeyMissing
}

// why is for what reason a provider answers that does.
func (rt *Runtime) why(e catalog.Entry) string {
	switch {
	case rt.Shelf.Explicit:
		return ipc.WhyExplicit
	case e.Dialect == catalog.DialectOffline:
		return ipc.WhyNothing
	case e.Keys.None():
		return ipc.WhyLogin
	case e.Keys.Optional:
		return ipc.WhyLocal
	}
	return ipc.WhyKey
}

// askServer adds what a provider's server says it has.
func (rt *Runtime) askServer(ctx context.Context, p *ipc.ProviderModels) {
	if rt.Shelf.Spec == nil {
		return
	}
	spec := rt.Shelf.Spec(p.Provider)
	spec.Limits = askLimits
	ids, err := catalog.Live(ctx, spec)
	if err != nil {
		p.Problem = rt.redact(err.Error())
		return
	}
	e, _ := catalog.Lookup(p.Provider)
	known := map[string]int{}
	for i, m := range p.Known {
		known[m.ID] = i
	}
	for _, id := range ids {
		i, ok := known[id]
		if !ok {
			p.Models = append(p.Models, id)
			i = len(p.Known)
			p.Known = append(p.Known, rt.modelInfo(e, catalog.ModelInfo{ID: id}))
		}
		p.Known[i].Live = true
	}
}
