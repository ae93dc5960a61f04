package catalog

import "strings"

// Surroundings is what [Detect] looks at. A nil function finds nothing.
type Surroundings struct {
	Configured  string              // what the person chose; "" or "auto" for nothing
	Environment string              // LLM_PROVIDER
	HasKey      func(KeyNames) bool // asked only for providers that need a key
	// Claude reports whether a `claude` is installed that somebody is logged in
	// to.
	Claude func() bool
	// Local returns a model of the server on this computer, and whether there
	// is one.
	Local func() (model string, ok bool)
}

// Choice is a provider, and how it came to be chosen.
type Choice struct {
	Provider string
	Model    string // "" leaves it to the configuration and the catalog
	Why      Why
}

// Why is a reason code for a choice.
type Why string

// The reasons, in the order they are tried.
const (
	WhyConfigured  Why = "configured"
	WhyEnvironment Why = "environment" // LLM_PROVIDER
	WhyKey         Why = "key"
	WhyLogin       Why = "login"
	WhyLocal       Why = "local"
	WhyNothing     Why = "nothing" // offline
)

// Detect chooses a provider: the configured one, else the one LLM_PROVIDER
// names, else the first of [All] whose key is present, else the logged-in
// `claude`, else the model server on this computer, else offline. A name that
// nobody knows is returned as it is: [Build] says what is known.
func Detect(s Surroundings) Choice {
	if name, ok := named(s.Configured); ok {
		return Choice{Provider: name, Why: WhyConfigured}
	}
	if name, ok := named(s.Environment); ok {
		return Choice{Provider: name, Why: WhyEnvironment}
	}
	for _, e := range table() {
		// A local or custom server with a key still needs somebody to say so.
		if s.HasKey != nil && !e.Keys.None() && !e.Keys.Optional && s.HasKey(e.Keys) {
			return Choice{Provider: e.Name, Why: WhyKey}
		}
	}
	if s.Claude != nil && s.Claude() {
		return Choice{Provider: "claude-code", Why: WhyLogin}
	}
	if s.Local != nil {
		if model, ok := s.Local(); ok {
			return Choice{Provider: "ollama", Model: model, Why: WhyLocal}
		}
	}
	return Choice{Provider: "offline", Why: WhyNothing}
}

// named reports whether a setting names a provider.
func named(setting string) (string, bool) {
	setting = strings.TrimSpace(setting)
	return setting, setting != "" && !strings.EqualFold(setting, "auto")
}
