package serve

import (
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

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
			return nil, settings.BadQuery{Text: i18n.ErrUnknownModels(q.Provider, strings.Join(catalog.Names(), ", ")), Hint: i18n.ErrUnknownModHint}
		}
		entries = []catalog.Entry{e}
	}
	all := []ipc.ProviderModels{}
	for _, e := range entries {
		p := providerInfo(rt, e)
		if q.Provider != "" && e.BaseURL+rt.Models.Tariff.BaseURL(e.Name) != "" {
			askServer(c.s.life.RunCtx, rt, &p)
		}
		all = append(all, p)
	}
	return all, nil
}

// providerInfo describes a provider without contacting it.
func providerInfo(rt *settings.Runtime, e catalog.Entry) ipc.ProviderModels {
	p := ipc.ProviderModels{
		Provider: e.Name, Label: e.Label, Default: e.DefaultModel, Models: []string{}, Known: []ipc.ModelInfo{}, BaseURL: rt.Models.Tariff.BaseURL(e.Name),
		Key: keyState(rt, e), KeyNames: e.Keys.Env, Free: rt.Models.Tariff.IsFree(e.Name), Plan: e.Subscription,
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
	if price, known := rt.Models.Tariff.Price(e.Name, m.ID); known {
		_, own := rt.Models.Tariff.Own[e.Name][m.ID]
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
	case e.Keys.Optional || transport.IsLoopback(rt.Models.Tariff.BaseURL(e.Name)):
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
	spec.Limits = ListLimits
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

// ListLimits bounds a request for a server's list of models.
var ListLimits = transport.Limits{Overall: 4 * time.Second, Idle: 2 * time.Second, MaxAnswer: 1 << 20}
