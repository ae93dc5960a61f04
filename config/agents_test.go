package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestAgentsAreReplacedAsAWhole(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", "[agents.reader]\nprompt = 'be brief'\ntools = ['read_file']\n[agents.other]\nmodel = 'm'\n")
	l.write("home/config.toml", "[agents.reader]\ntools = []\n")
	require.Equal(t, map[string]config.NamedAgent{
		"reader": {Tools: []string{}}, "other": {Model: "m"},
	}, l.mustLoad().Agents, "the tools of one file are not combined with the prompt of another")
}

func TestAnAgentThatCannotBeUsedIsReportedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[agents.Reader]\nprompt = 'x'":                                      ":1:2: agents.Reader: an agent's name",
		"[agents.r]\nprompt = '" + strings.Repeat("가", 4001) + "'":           ":2:10: agents.r.prompt: at most 4000 characters",
		"[agents.r]\ntools = ['read_file', '; rm']":                          ":2:23: agents.r.tools: \"; rm\" cannot be the name of a tool",
		"[agents.r]\ntools = ['notes_read', 'read']":                         ":2:10: agents.r.tools: there is no tool \"notes_read\"",
		"[mcp.notes]\ncommand = ['x']\n[agents.r]\ntools = ['notes_a', 'b']": ":4:21: agents.r.tools: there is no tool \"b\"",
		"[agents.r]\nautonomy = 'full'":                                      ":2:1: unknown key agents.r.autonomy",
	} {
		l := newLayers(t)
		l.write("home/config.toml", text)
		src := l.source()
		src.HasTool = func(name string) bool { return name == "read_file" }
		_, err := config.Load(src)
		require.ErrorContains(t, err, want, text)
	}
	l := newLayers(t)
	src := l.source()
	src.HasTool = func(string) bool { return false }
	l.write("home/config.toml", "[agents.r]\nprompt = '"+strings.Repeat("가", 4000)+"'\ntools = ['notes_read']\n")
	l.write("home/config.d/90-servers.toml", "[mcp.notes]\ncommand = ['x']\n")
	_, err := config.Load(src)
	require.NoError(t, err)
}

func TestTheModelOfAnAgentCanNameItsProvider(t *testing.T) {
	known := func(name string) bool { return name == "openrouter" || name == "ollama" }
	for text, want := range map[string][2]string{
		"":                      {"", ""},
		"ollama":                {"ollama", ""},
		"ollama/qwen3:8b":       {"ollama", "qwen3:8b"},
		"openrouter/meta/llama": {"openrouter", "meta/llama"},
		"meta/llama":            {"", "meta/llama"},
		"gpt-5":                 {"", "gpt-5"},
	} {
		provider, model := config.NamedAgent{Model: text}.SplitModel(known)
		require.Equal(t, want, [2]string{provider, model}, text)
	}
}
