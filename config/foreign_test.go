package config_test

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/config"
)

func TestPredecessorsSettingsAreReadInOurWords(t *testing.T) {
	f, ok := config.ReadForeign([]byte(`
api_key = "AIza-1"
model = "gemini-1.5-flash"
max_history_messages = 20
max_output_bytes = 51200
max_output_lines = 500
dangerous_patterns = ['mkfs']
colour = "red"
`))
	require.True(t, ok)
	require.Equal(t, config.Foreign{
		From: "agent-rs", Keys: map[string]string{"gemini": "AIza-1"}, Left: []string{"colour"},
		Values: map[string]any{
			"ai_agent": map[string]any{"provider": "gemini", "model": "gemini-1.5-flash"},
			"limits":   map[string]any{"history_messages": int64(20), "output_bytes": int64(51200), "output_lines": int64(500)},
			"security": map[string]any{"dangerous_patterns": []any{"mkfs"}},
		},
	}, f)

	f, ok = config.ReadForeign([]byte(`
[default]
provider = "gpt"
model = "gpt-4o"
temperature = 0.7
voice = 1
[providers.gpt]
base_url = "https://api.openai.com/v1"
api_key = "sk-1"
[providers.claude]
api_key = "your-key"
auth_style = "x-api-key"
extra = true
[security]
workspace_only = true
`))
	require.True(t, ok)
	require.Equal(t, config.Foreign{
		From: "rrclaw", Keys: map[string]string{"openai": "sk-1"}, Left: []string{"default.voice", "providers.claude.extra", "security"},
		Values: map[string]any{
			"ai_agent": map[string]any{"provider": "openai", "model": "gpt-4o"},
			"providers": map[string]any{
				"openai": map[string]any{"base_url": "https://api.openai.com/v1", "temperature": 0.7},
				"claude": map[string]any{"auth_style": "x-api-key"},
			},
		},
	}, f)

	for _, ours := range []string{"", "[ai_agent]\nmodel = 'a'\n", "[agent]\nmodel = 'a'\n", "nonsense", "model = 'a'\n[limits]\nrounds = 3\n"} {
		_, ok := config.ReadForeign([]byte(ours))
		require.False(t, ok, ours)
	}
}

func TestSettingsAndRulesAreTakenApartLineByLine(t *testing.T) {
	settings, rules := config.Split([]byte("[limits]\nrounds = 3\n[[automations]]\nname = 'a'\ncommands = [\n  ['x'],\n]\n[automations.y]\nz = 1\n[budget]\ndaily_usd = 1\n[[automation]]\nname = 'b'"))
	require.Equal(t, "[limits]\nrounds = 3\n\n\n\n\n\n\n\n[budget]\ndaily_usd = 1\n\n", string(settings))
	require.Equal(t, "\n\n[[automations]]\nname = 'a'\ncommands = [\n  ['x'],\n]\n[automations.y]\nz = 1\n\n\n[[automation]]\nname = 'b'", string(rules))
	settings, rules = config.Split([]byte("[automations]\nenabled = false\n"))
	require.Equal(t, "[automations]\nenabled = false\n", string(settings))
	require.Empty(t, strings.TrimSpace(string(rules)))
}

func TestNothingIsLostWhereAFileIsTakenApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"[limits]\n", "rounds = 3\n", "[[automation]]\n", "name = 'a'\n", "# c\n", "\n", "[x]\n", "[[security.rules]]\n", "broken\n", "a = [\n", "]\n"})
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		settings, rules := config.Split([]byte(text))
		require.Equal(t, strings.Count(text, "\n"), strings.Count(string(settings), "\n"))
		a, b := strings.Split(string(settings), "\n"), strings.Split(string(rules), "\n")
		for i, line := range strings.Split(text, "\n") {
			require.Equal(t, line, a[i]+b[i])
		}
		var top map[string]any
		if toml.Unmarshal([]byte(text), &top) == nil {
			require.NoError(t, toml.Unmarshal(settings, &top))
			require.NoError(t, toml.Unmarshal(rules, &top))
		}
	})
}

func FuzzForeignSettings(f *testing.F) {
	f.Add([]byte("[default]\nprovider = 'gpt'\n[providers]\nx = 3\n"))
	f.Add([]byte("model = 3\n[[automation]]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		config.Split(text)
		if got, ok := config.ReadForeign(text); ok {
			_, err := config.Render(config.Settings(got.Values), nil)
			require.NoError(t, err)
		}
	})
}
