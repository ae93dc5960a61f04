// Package config reads the settings of the person and the distribution: the places of the program's files, the
// layered settings ([Load]), and the API keys ([Credentials]).
//
// It is imported only by the main packages, the set-up and the daemon. Packages below them take small option
// structs, so that they do not depend on the format of the settings. docs/configuration.md lists every key.
package config

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
)

// Config is the merged settings. A zero value of a field means that no layer set it; [Load] fills in defaults.
type Config struct {
	Agent     Agent               `toml:"ai_agent"`
	OldAgent  *Agent              `toml:"agent"` // old spelling of [ai_agent]; nil after [Load]
	Providers map[string]Provider `toml:"providers"`
	Security  Security            `toml:"security"`
	Limits    Limits              `toml:"limits"`
	Budget    Budget              `toml:"budget"`
	Memory    Memory              `toml:"memory"`
	MCP       map[string]MCP      `toml:"mcp"`

	Agents map[string]NamedAgent `toml:"agents"`

	Web     Web     `toml:"web"`
	Gateway Gateway `toml:"gateway"`
	Storage Storage `toml:"storage"`
	Chat    Chat    `toml:"chat"`

	Automations Automations `toml:"automations"`

	channel.Settings // the messengers' tables

	// Locales is the distribution's locale list, [locale] language.
	Locales []string `toml:"-"`
	// Files lists the files that were read, in order.
	Files []string `toml:"-"`
	// Warnings are valid settings that do not have the effect they suggest.
	Warnings []*Error `toml:"-"`

	autonomyAt Error   // position of the effective autonomy setting
	sessionsAt Error   // that of storage.sessions
	layers     []layer // only during loading
}

// Agent is the [ai_agent] table.
type Agent struct {
	Enabled         *bool    `toml:"enabled"`     // false: the daemon answers no requests and runs nothing
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
	Tools       string   `toml:"tools"`      // native | text: described to the model in words
	Images      *bool    `toml:"images"`     // whether the model accepts images; nil means as in the catalog
	Context     int      `toml:"context"`    // context window in tokens, if the catalog lacks it or is wrong
	// Prices are the prices of models by model id.
	Prices map[string]Price `toml:"prices"`
}

// Security is the [security] table. A later layer's lists replace those of an earlier one, except for rules,
// which are added: no file can remove another file's rule.
type Security struct {
	AllowedCommands   []string `toml:"allowed_commands"` // names, or absolute paths
	BlockedPaths      []string `toml:"blocked_paths"`    // absolute, or below ~/
	KnownHosts        []string `toml:"known_hosts"`      // names or addresses, without port or path
	Workspace         string   `toml:"workspace"`        // absolute, or below ~/
	DangerousPatterns []string `toml:"dangerous_patterns"`
	Privilege         string   `toml:"privilege"` // auto | run0 | pkexec | sudo | none
	Rules             []Rule   `toml:"rules"`

	// Dangerous are the compiled DangerousPatterns.
	Dangerous []*regexp.Regexp `toml:"-"`
}

// Chat is the [chat] table: the full-screen chat.
type Chat struct {
	Keys string `toml:"keys"` // emacs | vi, default emacs
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
	IdleExit        int `toml:"idle_exit"`        // seconds of idleness until the daemon exits, default 600
	FirstByte       int `toml:"first_byte"`       // seconds until a model's answer starts, default 30 (120 for Ollama)
	BetweenBytes    int `toml:"between_bytes"`    // seconds between two parts of an answer, default 20
	AURCooling      int `toml:"aur_cooling"`      // hours for which a new version in the AUR is worth a warning, default 24
}

// number is a whole number of the settings; 0 means its default.
type number struct {
	key   string
	v     *int
	usual int
}

func (c *Config) numbers() []number {
	return []number{
		{"limits.output_bytes", &c.Limits.OutputBytes, 50 << 10},
		{"limits.output_lines", &c.Limits.OutputLines, 500},
		{"limits.history_messages", &c.Limits.HistoryMessages, 50},
		{"limits.rounds", &c.Limits.Rounds, 10},
		{"limits.command_timeout", &c.Limits.CommandTimeout, 60},
		{"limits.update_timeout", &c.Limits.UpdateTimeout, 300},
		{"limits.approval_timeout", &c.Limits.ApprovalTimeout, 300},
		{"limits.idle_exit", &c.Limits.IdleExit, 600},
		{"limits.first_byte", &c.Limits.FirstByte, 0}, // it depends on the model
		{"limits.between_bytes", &c.Limits.BetweenBytes, 20},
		{"limits.aur_cooling", &c.Limits.AURCooling, 24},
		{"whatsapp.session_timeout", &c.WhatsApp.SessionTimeout, 0},
		{"whatsapp.max_messages_per_minute", &c.WhatsApp.MaxMessagesPerMinute, 0},
	}
}

func (c *Config) withDefaults() {
	for _, n := range c.numbers() {
		*n.v = cmp.Or(*n.v, n.usual)
	}
	c.Budget.withDefaults()
	c.Memory.withDefaults()
	c.Agent.Autonomy = cmp.Or(c.Agent.Autonomy, "supervised")
	c.Security.Privilege = cmp.Or(c.Security.Privilege, "auto")
	c.Security.withDefaults()
	c.Warnings = c.warnings()
}

// warnings warns about autonomy "full" without the settings that it needs.
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
			all = append(all, newError(c.autonomyAt.File, place{c.autonomyAt.Line, c.autonomyAt.Col}, i18n.SettingHalfFull(w.key)))
		}
	}
	return all
}

// mergeAgent overrides base by the set fields of top.
func mergeAgent(base, top Agent) Agent {
	base.Provider = cmp.Or(top.Provider, base.Provider)
	base.ClaudeMode = cmp.Or(top.ClaudeMode, base.ClaudeMode)
	base.Model = cmp.Or(top.Model, base.Model)
	base.Language = cmp.Or(top.Language, base.Language)
	base.Autonomy = cmp.Or(top.Autonomy, base.Autonomy)
	base.Enabled = cmp.Or(top.Enabled, base.Enabled)
	base.WhatsAppEnabled = cmp.Or(top.WhatsAppEnabled, base.WhatsAppEnabled)
	base.SafeMode = cmp.Or(top.SafeMode, base.SafeMode)
	if top.Fallback != nil {
		base.Fallback = top.Fallback
	}
	return base
}

// IsEnabled reports whether the assistant is enabled. It is by default.
func (c Config) IsEnabled() bool { return c.Agent.Enabled == nil || *c.Agent.Enabled }

// IsSafeMode reports whether safe mode is on. It is by default.
func (c Config) IsSafeMode() bool { return c.Agent.SafeMode == nil || *c.Agent.SafeMode }

// CommandTimeoutDuration is the time limit of a normal command.
func (l Limits) CommandTimeoutDuration() time.Duration { return seconds(l.CommandTimeout) }

// UpdateTimeoutDuration is the time limit of a package change.
func (l Limits) UpdateTimeoutDuration() time.Duration { return seconds(l.UpdateTimeout) }

// ApprovalTimeoutDuration is how long an approval waits for an answer.
func (l Limits) ApprovalTimeoutDuration() time.Duration { return seconds(l.ApprovalTimeout) }

// IdleExitDuration is how long an idle daemon keeps running.
func (l Limits) IdleExitDuration() time.Duration { return seconds(l.IdleExit) }

// FirstByteDuration is the time limit for the start of a model's answer. 0 means the provider's default.
func (l Limits) FirstByteDuration() time.Duration { return seconds(l.FirstByte) }

// BetweenBytesDuration is the maximum pause within an answer.
func (l Limits) BetweenBytesDuration() time.Duration { return seconds(l.BetweenBytes) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

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

// Budget is the [budget] table: limits on the cost of models for each of the person's days. 0 means no limit.
type Budget struct {
	DailyUSD         float64 `toml:"daily_usd"`
	DailyTokens      int64   `toml:"daily_tokens"` // input and output, of models that cost money
	PerAutomationUSD float64 `toml:"per_automation_usd"`
	// WarnAt is the share of a limit at which to warn, by default 0.8. 0 means never.
	WarnAt      *float64 `toml:"warn_at"`
	WhenReached string   `toml:"when_reached"` // local | stop
}

// Price is a [providers.NAME.prices."MODEL"] table: the cost of a million tokens in US dollars. Cached is the
// price of tokens from the provider's cache, by default that of other input tokens.
type Price struct {
	Input  float64  `toml:"input"`
	Cached *float64 `toml:"cached"`
	Output float64  `toml:"output"`
}

// Bounds of amounts, in dollars and tokens.
const (
	maxUSD    = 1e6
	maxTokens = 1e12
)

// bad returns the first invalid value of the [budget] table.
func (b *Budget) bad() problem {
	for _, v := range []struct {
		key string
		n   float64
	}{{"budget.daily_usd", b.DailyUSD}, {"budget.per_automation_usd", b.PerAutomationUSD}} {
		if !(v.n >= 0 && v.n <= maxUSD) {
			return problem{v.key, i18n.SettingDollars(v.key, v.n, int(maxUSD))}
		}
	}
	switch {
	case b.DailyTokens < 0 || b.DailyTokens > maxTokens:
		return problem{"budget.daily_tokens", i18n.SettingTokens("budget.daily_tokens", b.DailyTokens, int64(maxTokens))}
	case b.WarnAt != nil && !(*b.WarnAt >= 0 && *b.WarnAt <= 1):
		return problem{"budget.warn_at", i18n.SettingShare("budget.warn_at", *b.WarnAt)}
	}
	return problem{}
}

func (b *Budget) withDefaults() {
	if b.WarnAt == nil {
		share := 0.8
		b.WarnAt = &share
	}
	b.WhenReached = cmp.Or(b.WhenReached, "local")
}

func (c *Config) badPrice() problem {
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		prices := c.Providers[name].Prices
		for _, model := range slices.Sorted(maps.Keys(prices)) {
			key := "providers." + name + ".prices." + model
			for _, v := range []struct {
				name string
				n    float64
			}{{"input", prices[model].Input}, {"cached", prices[model].CachedOrInput()}, {"output", prices[model].Output}} {
				if !(v.n >= 0 && v.n <= maxUSD) {
					return problem{key + "." + v.name, i18n.SettingPrice(key+"."+v.name, v.n, int(maxUSD))}
				}
			}
		}
	}
	return problem{}
}

// CachedOrInput returns the price of cached tokens.
func (p Price) CachedOrInput() float64 {
	if p.Cached != nil {
		return *p.Cached
	}
	return p.Input
}

// mergePrices overrides the prices of base by those of top, model by model.
func mergePrices(base, top map[string]Price) map[string]Price {
	if len(base) == 0 {
		return top
	}
	all := maps.Clone(base)
	maps.Copy(all, top)
	return all
}

// Memory is the [memory] table: settings for notes.
type Memory struct {
	AutoSave     *bool      `toml:"auto_save"`     // false: store only what the person asks for, default true
	KeepDays     int        `toml:"keep_days"`     // days before notes are rolled up, default 30
	PromptTokens int        `toml:"prompt_tokens"` // for notes in a prompt, default 6000
	Embeddings   Embeddings `toml:"embeddings"`
}

// Embeddings is the [memory.embeddings] table: a server that turns texts into vectors, which find notes that
// share no word with the query. Without a base_url, none is used.
type Embeddings struct {
	BaseURL string `toml:"base_url"`
	Model   string `toml:"model"`
	Dialect string `toml:"dialect"` // openai | ollama
}

// EmbeddingsKey is the name of the credential for that server, and EmbeddingsKeyEnv the environment variable that
// takes precedence.
const (
	EmbeddingsKey    = "embeddings"
	EmbeddingsKeyEnv = "BLUNUX_AI_EMBEDDINGS_KEY"
)

// Bounds of the [memory] table.
const (
	maxKeepDays     = 3650
	maxPromptTokens = 200_000
)

// SavesAutomatically reports whether notes are also taken without a request, about the day and about the person.
func (m Memory) SavesAutomatically() bool { return m.AutoSave == nil || *m.AutoSave }

func (m *Memory) withDefaults() {
	m.KeepDays = cmp.Or(m.KeepDays, 30)
	m.PromptTokens = cmp.Or(m.PromptTokens, 6000)
	m.Embeddings.Dialect = cmp.Or(m.Embeddings.Dialect, "openai")
}

// bad returns the first invalid value of the [memory] table.
func (m *Memory) bad() problem {
	e := m.Embeddings
	switch {
	case m.KeepDays < 0 || m.KeepDays > maxKeepDays:
		return problem{"memory.keep_days", i18n.SettingFrom1("memory.keep_days", m.KeepDays, maxKeepDays)}
	case m.PromptTokens < 0 || m.PromptTokens > maxPromptTokens:
		return problem{"memory.prompt_tokens", i18n.SettingFrom1("memory.prompt_tokens", m.PromptTokens, maxPromptTokens)}
	case e.BaseURL == "" && e.Model != "":
		return problem{"memory.embeddings.model", i18n.SettingNoServer}
	case e.BaseURL != "" && e.Model == "":
		return problem{"memory.embeddings.base_url", i18n.SettingNoModel}
	case e.BaseURL != "" && !isEmbeddingsURL(e.BaseURL):
		return problem{"memory.embeddings.base_url", i18n.SettingNearUrl(e.BaseURL)}
	}
	return problem{}
}

// isEmbeddingsURL reports whether notes can be sent to a URL. Without encryption, only addresses in the local
// network are allowed.
func isEmbeddingsURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	near := u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
	return u.Scheme == "https" || u.Scheme == "http" && near
}
