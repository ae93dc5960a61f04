package i18n

import (
	"cmp"
	"strings"
)

// providerNames are the providers in a list of choices, at most 34 cells wide.
var providerNames = map[string]Text{
	"claude":      ProviderNamesClaude,
	"claude-code": ProviderNamesClaudeCode,
	"ollama":      ProviderNamesOllama,
	"custom":      ProviderNamesCustom,
	"offline":     ProviderNamesOffline,
}

// ProviderName returns a provider's name for a list of choices, or else its label.
func ProviderName(name, label string, lang Lang) string {
	if text, ok := providerNames[name]; ok {
		return text.In(lang)
	}
	return label
}

// ProviderLabel returns a provider's name for a list of providers. The name for choices says how to pay for Claude and
// which one to take, which says nothing of one that is set up.
func ProviderLabel(name, label string, lang Lang) string {
	if name == "claude" {
		return label
	}
	return ProviderName(name, label, lang)
}

// ChoiceReason says why a provider was chosen, by the reason code of catalog.Detect.
func ChoiceReason(code string, lang Lang) string {
	text, known := map[string]Text{
		"configured":  ChoiceReasonConfigured,
		"environment": ChoiceReasonEnvironment,
		"key":         ChoiceReasonKey,
		"login":       ChoiceReasonLogin,
		"local":       ChoiceReasonLocal,
		"nothing":     ChoiceReasonNothing,
	}[code]
	if !known {
		return code
	}
	return text.In(lang)
}

// providerReasons maps the reasons why a provider answers to texts.
var providerReasons = map[string]Text{
	"configured": ModelsExplicit, "environment": ModelsEnvironment, "key": ModelsKey, "local": ModelsLocal, "login": ModelsLogin, "nothing": ModelsNothing,
}

// ProviderReason translates the reason why a provider answers. An unknown code is returned unchanged.
func ProviderReason(code string, lang Lang) string {
	if text, ok := providerReasons[code]; ok {
		return text.In(lang)
	}
	return code
}

// Columns are the headings of the first column of usage, by the grouping.
var Columns = map[string]Text{
	"day": ColumnDay, "provider": ColumnProvider, "model": ColumnModel, "session": ColumnSession, "channel": ColumnChannel, "automation": ColumnAutomation,
}

// ModelName formats a provider and its model.
func ModelName(provider, model string, lang Lang) string {
	switch {
	case provider == "offline":
		return DaemonBuiltInHelper.In(lang)
	case provider == "" && model == "":
		return "blunux-ai"
	case model == "" || strings.HasPrefix(model, provider):
		return cmp.Or(model, provider)
	}
	return provider + " " + model
}
