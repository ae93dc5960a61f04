package config_test

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
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
		From: "rrclaw", Keys: map[string]string{"openai": "sk-1"}, Left: []string{"default.voice", "providers.claude.extra"},
		Differs: []config.Difference{{Key: "security.workspace_only", Why: i18n.ClawWorkspace}},
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

// Settings with a counterpart are converted. Others, and those with another meaning, are listed.
func TestU18RRClawsSecurityIsReadInOurWords(t *testing.T) {
	read := func(tables string) config.Foreign {
		f, ok := config.ReadForeign([]byte("[default]\nprovider = \"glm\"\n" + tables))
		require.True(t, ok)
		return f
	}
	differs := func(f config.Foreign) map[string]i18n.Text {
		all := map[string]i18n.Text{}
		for _, d := range f.Differs {
			all[d.Key] = d.Why
		}
		return all
	}
	f := read("[memory]\nbackend = \"sqlite\"\nauto_save = false\n[security]\nautonomy = \"supervised\"\nallowed_commands = [\"ls\", \"cat\"]\nworkspace_only = true\nsandbox = \"x\"\n")
	require.Equal(t, map[string]any{
		"ai_agent": map[string]any{"provider": "glm", "autonomy": "supervised"}, "memory": map[string]any{"auto_save": false},
	}, f.Values)
	require.Equal(t, []string{"memory.backend", "security.sandbox"}, f.Left)
	require.Equal(t, map[string]i18n.Text{
		"security.autonomy": i18n.ClawSupervised, "security.allowed_commands": i18n.ClawCommands, "security.workspace_only": i18n.ClawWorkspace,
	}, differs(f))

	f = read("[security]\nautonomy = \"Full\"\nallowed_commands = [\"cargo\", \"file_write\", \"git status\", 7]\nworkspace_dir = \"~/work\"\nblocked_paths = [\"/srv\", \"private\"]\nworkspace_only = false\n")
	require.Equal(t, map[string]any{
		"ai_agent": map[string]any{"provider": "glm", "autonomy": "full"},
		"security": map[string]any{"allowed_commands": []any{"cargo", "write_file"}, "workspace": "~/work", "blocked_paths": []any{"/srv"}},
	}, f.Values)
	require.Equal(t, []string{"security.allowed_commands: 7", "security.allowed_commands: git status", "security.blocked_paths: private"}, f.Left)
	require.Equal(t, map[string]i18n.Text{"security.autonomy": i18n.ClawFull, "security.workspace_only": i18n.ClawAnywhere}, differs(f))

	f = read("[security]\nautonomy = \"ReadOnly\"\n")
	require.Equal(t, "read_only", f.Values["ai_agent"].(map[string]any)["autonomy"])
	require.Equal(t, map[string]i18n.Text{"security.autonomy": i18n.ClawReadOnly}, differs(f))

	f = read("[security]\nautonomy = \"yolo\"\nallowed_commands = \"ls\"\nblocked_paths = \"/srv\"\n")
	require.Equal(t, map[string]any{"ai_agent": map[string]any{"provider": "glm"}}, f.Values)
	require.Equal(t, []string{"security.autonomy", "security.blocked_paths"}, f.Left)
	f, ok := config.ReadForeign([]byte("memory = 3\nsecurity = 4\n[default]\nprovider = \"glm\"\n"))
	require.True(t, ok)
	require.Equal(t, []string{"memory", "security"}, f.Left)
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
