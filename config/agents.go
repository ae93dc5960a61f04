package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// NamedAgent is an [agents.NAME] table: an assistant with its own conversations. A later layer's table replaces an
// earlier one of the same name as a whole, so that one file's tools are never combined with another file's prompt.
type NamedAgent struct {
	Prompt string `toml:"prompt"` // added to the system prompt
	Model  string `toml:"model"`  // PROVIDER, PROVIDER/MODEL, or a model of ai_agent.provider
	// Tools are the only tools that it may call. nil means all.
	Tools []string `toml:"tools"`
}

// Bounds of agents.
const (
	maxAgents      = 32
	maxAgentPrompt = 4000 // characters
)

var (
	agentName = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)
	toolName  = lazyregexp.New(`^[a-z][a-zA-Z0-9_-]{0,127}$`)
)

// SplitModel returns the provider and the model of an agent. known reports whether a name is that of a provider. Either
// is "" if the agent does not say it.
func (a NamedAgent) SplitModel(known func(string) bool) (provider, model string) {
	first, rest, _ := strings.Cut(a.Model, "/")
	if known(first) {
		return first, rest
	}
	return "", a.Model
}

// mergeAgents overrides the agents of base by those of top.
func mergeAgents(base, top map[string]NamedAgent) map[string]NamedAgent {
	if base == nil {
		return top
	}
	maps.Copy(base, top)
	return base
}

// badAgent returns the first invalid value of the [agents] tables.
func (c *Config) badAgent() problem {
	for i, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a, key := c.Agents[name], "agents."+name
		switch {
		case !agentName.MatchString(name):
			return problem{key, i18n.SettingAgentName(key)}
		case i >= maxAgents:
			return problem{key, i18n.SettingTooMany("agents", maxAgents)}
		case utf8.RuneCountInString(a.Prompt) > maxAgentPrompt:
			return problem{key + ".prompt", i18n.SettingLong(key+".prompt", maxAgentPrompt)}
		}
		for j, tool := range a.Tools {
			if !toolName.MatchString(tool) {
				return problem{fmt.Sprintf("%s.tools[%d]", key, j), i18n.SettingTool(key+".tools", tool)}
			}
		}
	}
	return problem{}
}

// checkAgentTools returns an error for the first tool of an agent that does not exist. Tools of a configured server
// are called SERVER_TOOL, and are known only when it runs.
func (c *Config) checkAgentTools(exists func(string) bool) error {
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		for j, tool := range c.Agents[name].Tools {
			server, _, _ := strings.Cut(tool, "_")
			if _, foreign := c.MCP[server]; foreign || exists == nil || exists(tool) {
				continue
			}
			key := "agents." + name + ".tools"
			for _, l := range slices.Backward(c.layers) {
				if _, here := l.place("agents." + name); here {
					return l.newError(problem{fmt.Sprintf("%s[%d]", key, j), i18n.SettingUnknownTool(key, tool)})
				}
			}
		}
	}
	return nil
}
