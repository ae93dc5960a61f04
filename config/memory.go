package config

import (
	"net/netip"
	"net/url"

	"github.com/nidoit/blunux-ai/i18n"
)

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
	if m.KeepDays == 0 {
		m.KeepDays = 30
	}
	if m.PromptTokens == 0 {
		m.PromptTokens = 6000
	}
	if m.Embeddings.Dialect == "" {
		m.Embeddings.Dialect = "openai"
	}
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
