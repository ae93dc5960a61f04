package setup

import (
	"slices"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Answers is what the person wants. Empty and nil fields keep the current values.
type Answers struct {
	Provider string // catalog name; "claude-code" is Claude by subscription
	Model    string // "default" is the provider's default model
	BaseURL  string // of the provider's server
	Key      string // the provider's, to save in a file
	Language string // auto, ko, en or zh

	Numbers *[]string // numbers that may write by WhatsApp, in the format of [Number]
	Chats   *[]string // chats that may write by Telegram
	Users   *[]string // users that may write by Discord

	Automations *bool
}

// Current has the effective settings in the same fields.
type Current struct {
	Provider, Model, Language string
	BaseURLs                  map[string]string // by provider
	Numbers, Chats, Users     []string
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
		Numbers: c.WhatsApp.AllowedNumbers, Chats: c.Telegram.AllowedChats, Users: c.Discord.AllowedUsers,
		Automations: c.AutomationsEnabled(), BaseURLs: map[string]string{}, Config: c,
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
	same := func(want *[]string, have []string) bool { return want != nil && slices.Equal(*want, have) }
	if same(a.Numbers, now.Numbers) {
		a.Numbers = nil
	}
	if same(a.Chats, now.Chats) {
		a.Chats = nil
	}
	if same(a.Users, now.Users) {
		a.Users = nil
	}
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
	for _, list := range []struct {
		ids  *[]string
		path []string
	}{
		{a.Numbers, []string{"whatsapp", "allowed_numbers"}},
		{a.Chats, []string{"telegram", "allowed_chats"}},
		{a.Users, []string{"discord", "allowed_users"}},
	} {
		if list.ids != nil {
			want(toAny(*list.ids), list.path...)
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
