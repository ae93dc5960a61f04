package config

import (
	"github.com/nidoit/blunux-ai/i18n"
)

// Automations is the [automations] table. The rules themselves stand in
// automations.toml.
type Automations struct {
	// Enabled is false where nothing happens by itself.
	Enabled *bool `toml:"enabled"`
}

// AutomationsEnv switches automations off whatever the files say.
const AutomationsEnv = "BLUNUX_AI_AUTOMATIONS"

// AutomationsOn reports whether rules are followed.
func (c Config) AutomationsOn() bool { return c.Automations.Enabled == nil || *c.Automations.Enabled }

// switchFrom reads the environment's say.
func (a *Automations) switchFrom(getenv func(string) string) error {
	on := false
	switch value := getenv(AutomationsEnv); value {
	case "":
		return nil
	case "on", "true", "1":
		on = true
	case "off", "false", "0":
	default:
		return newError("$"+AutomationsEnv, place{}, i18n.SettingOnOff.With(value))
	}
	a.Enabled = &on
	return nil
}
