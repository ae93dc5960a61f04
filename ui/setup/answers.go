package setup

import (
	"maps"
	"slices"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Answers is what the person wants. Empty and nil fields keep the current values.
type Answers struct {
	Provider string // catalog name; "claude-code" is Claude by subscription
	Model    string // "default" is the provider's default model
	BaseURL  string // of the provider's server
	Key      string // the provider's, to save in a file
	Language string // auto, ko, en or zh

	// Senders lists who may write, by channel; telephone numbers are in the format of [Number].
	Senders map[string][]string

	Automations *bool
}

// Current has the effective settings in the same fields.
type Current struct {
	Provider, Model, Language string
	BaseURLs                  map[string]string   // by provider
	Senders                   map[string][]string // by channel
	Automations               bool
	// Configured reports that a provider was chosen.
	Configured bool
	Config     config.Config
}

// CurrentSettings reads the effective settings. It fails if the settings are invalid.
func (s *Setup) CurrentSettings() (Current, error) {
	c, err := config.Load(s.Source)
	if err != nil {
		return Current{}, err
	}
	now := Current{
		Provider: c.Agent.Provider, Model: c.Agent.Model, Language: c.Agent.Language,
		Automations: c.AutomationsEnabled(), BaseURLs: map[string]string{}, Senders: map[string][]string{}, Config: c,
	}
	for _, ch := range channel.All() {
		now.Senders[ch.Name] = *c.Senders(ch.Name)
	}
	if e, ok := catalog.Lookup(now.Provider); ok {
		now.Provider = e.Name
	}
	if now.Provider == "claude" && c.Agent.ClaudeMode == "oauth" {
		now.Provider = "claude-code"
	}
	now.Configured = now.Provider != "" && now.Provider != "auto"
	if now.Language == "" {
		now.Language = "auto"
	}
	for name, p := range c.Providers {
		now.BaseURLs[name] = p.BaseURL
	}
	return now, nil
}

// changed returns the answers without those that equal the current values.
func (a Answers) changed(now Current) Answers {
	a.Senders = maps.Clone(a.Senders)
	maps.DeleteFunc(a.Senders, func(name string, want []string) bool { return slices.Equal(want, now.Senders[name]) })
	if a.Automations != nil && *a.Automations == now.Automations {
		a.Automations = nil
	}
	if a.Language == now.Language {
		a.Language = ""
	}
	return a
}

// settingChange is a value for a setting; nil removes the person's own value.
type settingChange struct {
	path  []string
	value any
}

// toSettings converts answers to settings.
func (a Answers) toSettings(now Current) []settingChange {
	var all []settingChange
	want := func(value any, path ...string) { all = append(all, settingChange{path, value}) }
	if a.Provider != "" {
		name, mode := a.Provider, ""
		switch a.Provider {
		case "claude":
			mode = "api"
		case "claude-code":
			name, mode = "claude", "oauth"
		}
		want(name, "ai_agent", "provider")
		if mode != "" {
			want(mode, "ai_agent", "claude_mode")
		}
		if a.Model == "" && a.Provider != now.Provider {
			a.Model = "default" // the former model does not belong to this provider
		}
		if a.BaseURL != "" {
			want(a.BaseURL, "providers", a.Provider, "base_url")
		}
	}
	if a.Model != "" {
		want(a.model(now), "ai_agent", "model")
	}
	if a.Language != "" {
		want(a.Language, "ai_agent", "language")
	}
	for _, ch := range channel.All() {
		if ids, ok := a.Senders[ch.Name]; ok {
			want(toAny(ids), ch.Name, ch.Senders)
		}
	}
	if a.Automations != nil {
		want(*a.Automations, "automations", "enabled")
	}
	return all
}

// model returns the value for the model's setting. It names the provider's default model only if
// another model would apply otherwise.
func (a Answers) model(now Current) any {
	provider := a.Provider
	if provider == "" {
		provider = now.Provider
	}
	e, _ := catalog.Lookup(provider)
	if a.Model == "default" || a.Model == e.DefaultModel {
		if e.DefaultModel != "" && now.Config.Providers[provider].Model == "" {
			return defaultModel(e.DefaultModel)
		}
		return nil
	}
	return a.Model
}

// defaultModel is a provider's default model. It is written only if the files below name another
// model.
type defaultModel string

func toAny(list []string) []any {
	all := []any{}
	for _, v := range list {
		all = append(all, v)
	}
	return all
}
