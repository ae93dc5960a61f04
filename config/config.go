// Package config reads what the person and the distribution decided: where
// the program's files are, the layered settings, and the API keys.
//
// It is read at the edge only: by the mains, the set-up and the daemon's
// wiring. Everything below them takes small option structs, so that nothing
// else depends on how settings are spelt.
//
// Layers, later ones win: the distribution's /usr/share/blunux/config.toml
// (only its [ai_agent] and [locale] tables; the rest is not ours), then
// /etc/blunux-ai/config.toml, the user's config.toml, config.d/*.toml in
// order of name, the environment, flags. docs/configuration.md lists every
// key.
//
// What the person asks for in [security] is held to its word when it is read:
// a rule must be right about its own examples (rule.go), and whatever cannot be
// used is told with the line and column it stands at (place.go).
package config

import (
	"regexp"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

// Config is the merged settings. The zero value of a field means its default
// was not changed; [Load] fills defaults in.
type Config struct {
	Agent     Agent               `toml:"ai_agent"`
	OldAgent  *Agent              `toml:"agent"` // old spelling of [ai_agent]; nil after [Load]
	Providers map[string]Provider `toml:"providers"`
	WhatsApp  WhatsApp            `toml:"whatsapp"`
	Telegram  Telegram            `toml:"telegram"`
	Discord   Discord             `toml:"discord"`
	Security  Security            `toml:"security"`
	Limits    Limits              `toml:"limits"`
	Budget    Budget              `toml:"budget"`
	Memory    Memory              `toml:"memory"`
	MCP       map[string]MCP      `toml:"mcp"`

	Automations Automations `toml:"automations"`

	// Locales is the distribution's locale list, [locale] language.
	Locales []string `toml:"-"`
	// Files lists the files that were read, in order.
	Files []string `toml:"-"`
	// Warnings are settings that can be used but do not do what they seem to.
	Warnings []*Error `toml:"-"`

	autonomyAt Error   // where the autonomy was set last
	layers     []layer // while loading
}

// Agent is the [ai_agent] table.
type Agent struct {
	Enabled         *bool    `toml:"enabled"`     // false: the daemon answers nobody and runs nothing
	Provider        string   `toml:"provider"`    // catalog name, "" or "auto" to detect
	ClaudeMode      string   `toml:"claude_mode"` // api | oauth
	Model           string   `toml:"model"`
	WhatsAppEnabled *bool    `toml:"whatsapp_enabled"`
	Language        string   `toml:"language"` // auto | ko | en | zh
	SafeMode        *bool    `toml:"safe_mode"`
	Autonomy        string   `toml:"autonomy"` // read_only | supervised | full
	Fallback        []string `toml:"fallback"`
}

// Provider is a [providers.NAME] table.
type Provider struct {
	BaseURL     string   `toml:"base_url"`
	Model       string   `toml:"model"`
	Temperature *float64 `toml:"temperature"`
	MaxTokens   int      `toml:"max_tokens"`
	AuthStyle   string   `toml:"auth_style"` // x-api-key | bearer | x-goog-api-key | none
	Tools       string   `toml:"tools"`      // native | text: told to the model in words
	Images      *bool    `toml:"images"`     // the model takes images; nil as the catalog has it
	Context     int      `toml:"context"`    // tokens the model holds, where the catalog does not know or is wrong
	// Prices are what models cost the person, by model id.
	Prices map[string]Price `toml:"prices"`
}

// WhatsApp is the [whatsapp] table, read by the bridge.
type WhatsApp struct {
	AllowedNumbers       []string `toml:"allowed_numbers"`
	RequirePrefix        bool     `toml:"require_prefix"`
	SessionTimeout       int      `toml:"session_timeout"` // seconds
	MaxMessagesPerMinute int      `toml:"max_messages_per_minute"`
}

// Security is the [security] table. A later layer's lists replace those of an
// earlier one, but its rules are added: nobody's rule can be taken back by
// another file.
type Security struct {
	AllowedCommands   []string `toml:"allowed_commands"` // names, or absolute paths
	BlockedPaths      []string `toml:"blocked_paths"`    // absolute, or below ~/
	KnownHosts        []string `toml:"known_hosts"`      // names or addresses, without port or path
	Workspace         string   `toml:"workspace"`        // absolute, or below ~/
	DangerousPatterns []string `toml:"dangerous_patterns"`
	Privilege         string   `toml:"privilege"` // auto | run0 | pkexec | sudo | none
	Rules             []Rule   `toml:"rules"`

	// Dangerous are the DangerousPatterns, compiled.
	Dangerous []*regexp.Regexp `toml:"-"`
}

// Limits is the [limits] table.
type Limits struct {
	OutputBytes     int `toml:"output_bytes"`     // of one command, default 51200
	OutputLines     int `toml:"output_lines"`     // of one command, default 500
	HistoryMessages int `toml:"history_messages"` // sent to the model, default 50
	Rounds          int `toml:"rounds"`           // of one turn, default 10
	CommandTimeout  int `toml:"command_timeout"`  // seconds, default 60
	UpdateTimeout   int `toml:"update_timeout"`   // seconds, package changes, default 300
	ApprovalTimeout int `toml:"approval_timeout"` // seconds, default 300
	IdleExit        int `toml:"idle_exit"`        // seconds until an idle daemon exits, default 600
	FirstByte       int `toml:"first_byte"`       // seconds until a model's answer begins, default 30 (120 for Ollama)
	BetweenBytes    int `toml:"between_bytes"`    // seconds between two pieces of an answer, default 20
}

// withDefaults fills in what no layer set.
func (c *Config) withDefaults() {
	for _, d := range []struct {
		v   *int
		def int
	}{
		{&c.Limits.OutputBytes, 50 << 10},
		{&c.Limits.OutputLines, 500},
		{&c.Limits.HistoryMessages, 50},
		{&c.Limits.Rounds, 10},
		{&c.Limits.CommandTimeout, 60},
		{&c.Limits.UpdateTimeout, 300},
		{&c.Limits.ApprovalTimeout, 300},
		{&c.Limits.IdleExit, 600},
		{&c.Limits.BetweenBytes, 20},
	} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	c.Budget.withDefaults()
	c.Memory.withDefaults()
	if c.Agent.Autonomy == "" {
		c.Agent.Autonomy = "supervised"
	}
	if c.Security.Privilege == "" {
		c.Security.Privilege = "auto"
	}
	c.Security.withDefaults()
	c.Warnings = c.warnings()
}

// warnings finds an autonomy of full that allows nothing.
func (c *Config) warnings() []*Error {
	if c.Agent.Autonomy != "full" {
		return nil
	}
	var all []*Error
	for _, w := range []struct {
		unset bool
		key   string
	}{
		{c.Security.Workspace == "", "security.workspace"},
		{len(c.Security.AllowedCommands) == 0, "security.allowed_commands"},
	} {
		if w.unset {
			all = append(all, newError(c.autonomyAt.File, place{c.autonomyAt.Line, c.autonomyAt.Col}, i18n.SettingHalfFull.With(w.key)))
		}
	}
	return all
}

// mergeAgent lays the set fields of top over base.
func mergeAgent(base, top Agent) Agent {
	str := func(b *string, t string) {
		if t != "" {
			*b = t
		}
	}
	str(&base.Provider, top.Provider)
	str(&base.ClaudeMode, top.ClaudeMode)
	str(&base.Model, top.Model)
	str(&base.Language, top.Language)
	str(&base.Autonomy, top.Autonomy)
	for _, p := range []struct{ b, t **bool }{
		{&base.Enabled, &top.Enabled},
		{&base.WhatsAppEnabled, &top.WhatsAppEnabled},
		{&base.SafeMode, &top.SafeMode},
	} {
		if *p.t != nil {
			*p.b = *p.t
		}
	}
	if top.Fallback != nil {
		base.Fallback = top.Fallback
	}
	return base
}

// IsEnabled reports whether the assistant is switched on, which it is by default.
func (c Config) IsEnabled() bool { return c.Agent.Enabled == nil || *c.Agent.Enabled }

// IsSafeMode reports whether safe mode is on, which it is unless switched off.
func (c Config) IsSafeMode() bool { return c.Agent.SafeMode == nil || *c.Agent.SafeMode }

// CommandTimeoutDuration is how long an ordinary command may run.
func (l Limits) CommandTimeoutDuration() time.Duration { return seconds(l.CommandTimeout) }

// UpdateTimeoutDuration is how long a package change may run.
func (l Limits) UpdateTimeoutDuration() time.Duration { return seconds(l.UpdateTimeout) }

// ApprovalTimeoutDuration is how long a confirmation waits for its answer.
func (l Limits) ApprovalTimeoutDuration() time.Duration { return seconds(l.ApprovalTimeout) }

// IdleExitDuration is how long an idle daemon stays.
func (l Limits) IdleExitDuration() time.Duration { return seconds(l.IdleExit) }

// FirstByteDuration is how long is waited for the beginning of a model's answer; 0
// means the default of who answers.
func (l Limits) FirstByteDuration() time.Duration { return seconds(l.FirstByte) }

// BetweenBytesDuration is how long an answer may pause.
func (l Limits) BetweenBytesDuration() time.Duration { return seconds(l.BetweenBytes) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
