package setup

import (
	"slices"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Answers is what the person wants. An empty field, or a nil one, leaves what
// there is.
type Answers struct {
	Provider string // catalog name; "claude-code" is Claude by subscription
	Model    string // "default" is the provider's own
	BaseURL  string // of the provider's server
	Key      string // the provider's, to be kept in a file
	Language string // auto, ko, en or zh

	Numbers *[]string // who may write by WhatsApp, as [Number] has them
	Chats   *[]string // the same of Telegram
	Users   *[]string // and of Discord

	Automations *bool
}

// Current is what stands now: the same fields, as they count.
type Current struct {
	Provider, Model, Language string
	BaseURLs                  map[string]string // by provider
	Numbers, Chats, Users     []string
	Automations               bool
	// Configured reports that somebody chose a provider.
	Configured bool
	Config     config.Config
}

// Now reads what stands. It fails where the settings cannot be used.
func (s *Setup) Now() (Current, error) {
	c, err := config.Load(s.Source)
	if err != nil {
		return Current{}, err
	}
	now := Current{
		Provider: c.Agent.Provider, Model: c.Agent.Model, Language: c.Agent.Language,
		Numbers: c.WhatsApp.AllowedNumbers, Chats: c.Telegram.AllowedChats, Users: c.Discord.AllowedUsers,
		Automations: c.AutomationsOn(), BaseURLs: map[string]string{}, Config: c,
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

// changed returns the answers without what is so already.
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

// wish is a setting that is to have a value; nil for none of the person's own.
type wish struct {
	path  []string
	value any
}

// wishes are what answers mean for the settings.
func (a Answers) wishes(now Current) []wish {
	var all []wish
	want := func(value any, path ...string) { all = append(all, wish{path, value}) }
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
			a.Model = "default" // the former provider's model is not this one's
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
			want(anys(*list.ids), list.path...)
		}
	}
	if a.Automations != nil {
		want(*a.Automations, "automations", "enabled")
	}
	return all
}

// model is what the setting of the model is to be: the provider's own model is
// named only where another would count without that.
func (a Answers) model(now Current) any {
	provider := a.Provider
	if provider == "" {
		provider = now.Provider
	}
	e, _ := catalog.Lookup(provider)
	if a.Model == "default" || a.Model == e.DefaultModel {
		if e.DefaultModel != "" && now.Config.Providers[provider].Model == "" {
			return ownDefault(e.DefaultModel)
		}
		return nil
	}
	return a.Model
}

// ownDefault is a provider's own model: it is written only where the files below
// name another.
type ownDefault string

func anys(list []string) []any {
	all := []any{}
	for _, v := range list {
		all = append(all, v)
	}
	return all
}
