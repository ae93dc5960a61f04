package i18n

import (
	"cmp"
	"strings"
)

// ProviderName returns a provider's name for a list of choices, or else its label.
func ProviderName(name, label string, lang Lang) string {
	return ProviderNames.orElse(name, Verbatim(label)).In(lang)
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
func ChoiceReason(code string, lang Lang) string { return ChoiceReasons.In(code, lang) }

// ProviderReason translates the reason why a provider answers. An unknown code is returned unchanged.
func ProviderReason(code string, lang Lang) string { return ProviderReasons.In(code, lang) }

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
