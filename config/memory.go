package config

import (
	"net/netip"
	"net/url"

	"github.com/nidoit/blunux-ai/i18n"
)

// Memory is the [memory] table: how notes are kept, and found again.
type Memory struct {
	AutoSave     *bool      `toml:"auto_save"`     // false: only what was asked for is kept, default true
	KeepDays     int        `toml:"keep_days"`     // days whose notes stay as they were written, default 30
	PromptTokens int        `toml:"prompt_tokens"` // of notes in a prompt, default 6000
	Embeddings   Embeddings `toml:"embeddings"`
}

// Embeddings is the [memory.embeddings] table: a server that turns texts into
// vectors, by which notes are found that share no word with what is asked.
// Without a base_url there is none.
type Embeddings struct {
	BaseURL string `toml:"base_url"`
	Model   string `toml:"model"`
	Dialect string `toml:"dialect"` // openai | ollama
}

// EmbeddingsKey is where the key of that server is, where it needs one: the name
// of the credential, and the environment variable that goes before it.
const (
	EmbeddingsKey    = "embeddings"
	EmbeddingsKeyEnv = "BLUNUX_AI_EMBEDDINGS_KEY"
)

// The bounds of the [memory] table.
const (
	maxKeepDays     = 3650
	maxPromptTokens = 200_000
)

// SavesByItself reports whether days are noted, and what a person says of
// themselves, without being asked to.
func (m Memory) SavesByItself() bool { return m.AutoSave == nil || *m.AutoSave }

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

// bad finds what cannot be used of the [memory] table.
func (m *Memory) bad() problem {
	e := m.Embeddings
	switch {
	case m.KeepDays < 0 || m.KeepDays > maxKeepDays:
		return problem{"memory.keep_days", i18n.SettingFrom1.With("memory.keep_days", m.KeepDays, maxKeepDays)}
	case m.PromptTokens < 0 || m.PromptTokens > maxPromptTokens:
		return problem{"memory.prompt_tokens", i18n.SettingFrom1.With("memory.prompt_tokens", m.PromptTokens, maxPromptTokens)}
	case e.BaseURL == "" && e.Model != "":
		return problem{"memory.embeddings.model", i18n.SettingNoServer.With()}
	case e.BaseURL != "" && e.Model == "":
		return problem{"memory.embeddings.base_url", i18n.SettingNoModel.With()}
	case e.BaseURL != "" && !embeddingsURL(e.BaseURL):
		return problem{"memory.embeddings.base_url", i18n.SettingNearURL.With(e.BaseURL)}
	}
	return problem{}
}

// embeddingsURL reports whether notes may go there: over the network at home in
// the clear at most.
func embeddingsURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	near := u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
	return u.Scheme == "https" || u.Scheme == "http" && near
}
