package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// registry returns the models that can be chosen.
func (m *models) registry() settings.ModelRegistry {
	return settings.ModelRegistry{
		Why: m.choice.Reason, Problem: m.problem, Key: m.key,
		Spec: func(provider string) catalog.Spec {
			p, _ := m.provider(provider)
			return catalog.Spec{Provider: provider, BaseURL: p.BaseURL, AuthStyle: p.AuthStyle, Key: m.key, HTTPClient: m.HTTPClient, Observer: m.Observer}
		},
	}
}

// prices returns the prices of requests under the configuration, for the configured servers or those in the
// environment.
func (m *models) prices() catalog.Tariff {
	t := catalog.Tariff{Own: map[string]map[string]catalog.Price{}, BaseURLs: map[string]string{}}
	for _, e := range catalog.All() {
		if p, _ := m.provider(e.Name); p.BaseURL != "" {
			t.BaseURLs[e.Name] = p.BaseURL
		}
	}
	for name, p := range m.cfg.Providers {
		if p.BaseURL != "" {
			t.BaseURLs[name] = p.BaseURL
		}
		for model, price := range p.Prices {
			if t.Own[name] == nil {
				t.Own[name] = map[string]catalog.Price{}
			}
			t.Own[name][model] = catalog.Price{Input: price.Input, Cached: price.CachedOrInput(), Output: price.Output}
		}
	}
	return t
}

// newBudget returns the configured budget, or nil if there is no ledger. If the chosen model is free, the budget
// never stops requests.
func (w Wiring) newBudget(cfg config.Config, free bool) *usage.Budget {
	if w.Ledger == nil {
		return nil
	}
	b := cfg.Budget
	return usage.NewBudget(w.Ledger, usage.Limits{
		DailyUSD: usage.USD(b.DailyUSD), DailyTokens: b.DailyTokens, PerAutomationUSD: usage.USD(b.PerAutomationUSD),
		WarnAt: *b.WarnAt, Stop: b.WhenReached == "stop" && !free,
	})
}

// askLimits bounds a request for a server's list of models.
var askLimits = transport.Limits{Overall: 4 * time.Second, Idle: 2 * time.Second, MaxAnswer: 1 << 20}

// queryModels lists the models that can be chosen, for a single provider also those of its server.
func (c *peerConn) queryModels(_ context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	entries := catalog.All()
	if q.Provider != "" {
		e, ok := catalog.Lookup(q.Provider)
		if !ok {
			return nil, settings.BadQuery{Text: i18n.ErrUnknownModels(q.Provider, joined(catalog.Names())), Hint: i18n.ErrUnknownModHint}
		}
		entries = []catalog.Entry{e}
	}
	all := []ipc.ProviderModels{}
	for _, e := range entries {
		p := providerInfo(rt, e)
		if q.Provider != "" && e.BaseURL+rt.Tariff.BaseURL(e.Name) != "" {
			askServer(c.s.life.RunCtx, rt, &p)
		}
		all = append(all, p)
	}
	return all, nil
}

// providerInfo describes a provider without contacting it.
func providerInfo(rt *settings.Runtime, e catalog.Entry) ipc.ProviderModels {
	p := ipc.ProviderModels{
		Provider: e.Name, Label: e.Label, Default: e.DefaultModel, Models: []string{}, Known: []ipc.ModelInfo{}, BaseURL: rt.Tariff.BaseURL(e.Name),
		Key: keyState(rt, e), KeyNames: e.Keys.Env, Free: rt.Tariff.IsFree(e.Name), Plan: e.Subscription,
	}
	for _, m := range e.Models {
		p.Models = append(p.Models, m.ID)
		p.Known = append(p.Known, modelInfo(rt, e, m))
	}
	if model := rt.Agent.Model(); model.Name() == e.Name {
		p.Answers, p.Why = model.ModelID(), string(rt.Models.Why)
		if rt.Models.Problem != nil {
			p.Problem = rt.Redact(rt.Models.Problem.Error())
		}
		if _, listed := e.Find(p.Answers); p.Answers != "" && !listed {
			p.Known = append(p.Known, modelInfo(rt, e, catalog.ModelInfo{ID: p.Answers, Context: e.Context}))
		}
	}
	return p
}

func modelInfo(rt *settings.Runtime, e catalog.Entry, m catalog.ModelInfo) ipc.ModelInfo {
	info := ipc.ModelInfo{ID: m.ID, Context: m.Context, Images: m.Images}
	if price, known := rt.Tariff.Price(e.Name, m.ID); known {
		_, own := rt.Tariff.Own[e.Name][m.ID]
		info.Price = &ipc.ModelPrice{Input: price.Input, Cached: price.Cached, Output: price.Output, Noted: price.AsOf, Own: own}
	}
	return info
}

// keyState reports whether a provider's key exists, never the key itself.
func keyState(rt *settings.Runtime, e catalog.Entry) string {
	if e.Keys.IsEmpty() {
		return ipc.KeyNone
	}
	key := ""
	if rt.Models.Key != nil {
		var err error
		if key, err = rt.Models.Key(e.Keys); err != nil {
			return ipc.KeyBad
		}
	}
	switch {
	case strings.TrimSpace(key) != "":
		return ipc.KeyPresent
	case e.Keys.Optional || transport.IsLoopback(rt.Tariff.BaseURL(e.Name)):
		return ipc.KeyOptional
	}
	return ipc.KeyMissing
}

// askServer adds the models that a provider's server lists.
func askServer(ctx context.Context, rt *settings.Runtime, p *ipc.ProviderModels) {
	if rt.Models.Spec == nil {
		return
	}
	spec := rt.Models.Spec(p.Provider)
	spec.Limits = askLimits
	ids, err := catalog.ListModels(ctx, spec)
	if err != nil {
		p.Problem = rt.Redact(err.Error())
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
			p.Known = append(p.Known, modelInfo(rt, e, catalog.ModelInfo{ID: id}))
		}
		p.Known[i].Live = true
	}
}
