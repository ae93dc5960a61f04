package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/tools"
)

// agents returns the agents of the settings. Each has what the default one has, except for what its table says.
func (b Builder) agents(of *models, gate *tools.Gate, usual agent.Options) (map[string]*agent.Agent, error) {
	agents := map[string]*agent.Agent{}
	for name, a := range of.cfg.Agents {
		o := usual
		o.Instructions = strings.TrimSpace(a.Prompt)
		if a.Model != "" {
			line, err := b.modelsFor(of, a).failoverLine()
			if err != nil {
				return nil, err
			}
			o.Model, o.Summariser = line, summariser(line)
		}
		if a.Tools != nil {
			subset := gate.Subset(a.Tools)
			o.Tools, o.Allows = subset, subset.Allows
		}
		agents[name] = agent.New(o)
	}
	return agents, nil
}

// modelsFor returns the models of an agent with its own model.
func (b Builder) modelsFor(of *models, a config.NamedAgent) *models {
	cfg := of.cfg
	provider, model := a.SplitModel(func(name string) bool {
		_, listed := catalog.Lookup(name)
		_, configured := cfg.Providers[name]
		return listed || configured
	})
	if provider != "" {
		b.Provider = "" // the flag is for the default agent
		cfg.Agent.Provider = provider
	}
	cfg.Agent.Model = cmp.Or(model, cfg.Agent.Model)
	if provider != "" && model == "" {
		cfg.Agent.Model = ""
	}
	m := b.models(cfg, of.lang, of.home)
	m.rights = of.rights
	return m
}

// hasTool reports whether there is a tool of this name.
func hasTool(name string) bool {
	all, err := tools.All()
	return err != nil || slices.ContainsFunc(all, func(t tools.Tool) bool { return t.Definition.Name == name })
}
