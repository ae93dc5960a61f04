package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestHowNotesAreKeptHasDefaultsAndLayers(t *testing.T) {
	require.Equal(t, config.Memory{KeepDays: 30, PromptTokens: 6000, Embeddings: config.Embeddings{Dialect: "openai"}}, withFiles(t, nil).mustLoad().Memory)
	c := withFiles(t, map[string]string{
		"config.toml":      "[memory]\nkeep_days = 7\n[memory.embeddings]\nbase_url = \"http://192.168.0.20:11434\"\nmodel = \"bge-m3\"\n",
		"config.d/50.toml": "[memory.embeddings]\ndialect = \"ollama\"\n",
	}).mustLoad()
	require.Equal(t, config.Memory{
		KeepDays: 7, PromptTokens: 6000,
		Embeddings: config.Embeddings{BaseURL: "http://192.168.0.20:11434", Model: "bge-m3", Dialect: "ollama"},
	}, c.Memory)
}

func TestU18WhetherNotesAreKeptUnaskedIsASetting(t *testing.T) {
	require.True(t, withFiles(t, nil).mustLoad().Memory.SavesAutomatically())
	off := withFiles(t, map[string]string{"config.toml": "[memory]\nauto_save = false\n"}).mustLoad()
	require.False(t, off.Memory.SavesAutomatically())
	on := withFiles(t, map[string]string{"config.toml": "[memory]\nauto_save = false\n", "config.d/50.toml": "[memory]\nauto_save = true\n"}).mustLoad()
	require.True(t, on.Memory.SavesAutomatically())
	_, err := withFiles(t, map[string]string{"config.toml": "[memory]\nauto_save = \"no\"\n"}).load()
	require.Error(t, err)
}

func TestWhatCannotBeUsedOfHowNotesAreKeptIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"[memory]\nkeep_days = -1\n":                                               "config.toml:2:13: memory.keep_days = -1: must be from 1 to 3650",
		"[memory]\nprompt_tokens = 300000\n":                                       "config.toml:2:17: memory.prompt_tokens = 300000: must be from 1 to 200000",
		"[memory]\nbackend = \"sqlite\"\n":                                         "config.toml:2:1: unknown key memory.backend",
		"[memory.embeddings]\nmodel = \"bge-m3\"\n":                                "config.toml:2:9: memory.embeddings.model needs memory.embeddings.base_url",
		"[memory.embeddings]\ndialect = \"cohere\"\n":                              "config.toml:2:11: memory.embeddings.dialect = \"cohere\": must be one of openai, ollama",
		"[memory.embeddings]\nbase_url = \"https://api.example/v1\"\n":             "needs memory.embeddings.model",
		"[memory.embeddings]\nmodel=\"m\"\nbase_url = \"http://api.example/v1\"\n": "must be an https:// address, or an http:// address on this computer",
		"[memory.embeddings]\nmodel=\"m\"\nbase_url = \"192.168.0.20:11434\"\n":    "must be an https:// address",
	} {
		_, err := withFiles(t, map[string]string{"config.toml": text}).load()
		require.ErrorContains(t, err, want)
	}
}
