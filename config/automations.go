package config

import (
	"github.com/nidoit/blunux-ai/i18n"
)

// Automations is the [automations] table. The rules themselves are in automations.toml.
type Automations struct {
	// Enabled is false to disable all automations.
	Enabled *bool `toml:"enabled"`
}

// AutomationsEnv is the environment variable that overrides automations.enabled.
const AutomationsEnv = "BLUNUX_AI_AUTOMATIONS"

// AutomationsEnabled reports whether automations are enabled.
func (c Config) AutomationsEnabled() bool {
	return c.Automations.Enabled == nil || *c.Automations.Enabled
}

// switchFrom applies the environment variable.
func (a *Automations) switchFrom(getenv func(string) string) error {
	on := false
	switch value := getenv(AutomationsEnv); value {
	case "":
		return nil
	case "on", "true", "1":
		on = true
	case "off", "false", "0":
	default:
		return newError("$"+AutomationsEnv, place{}, i18n.SettingOnOff(value))
	}
	a.Enabled = &on
	return nil
}
