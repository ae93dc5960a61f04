package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/config"
)

// anySettings draws a valid settings file.
func anySettings(t *rapid.T) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		if rapid.Bool().Draw(t, format) {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	word := func() string { return rapid.SampledFrom([]string{"", "a", "b.c", "한글", `q"\`}).Draw(t, "word") }
	number := func() int { return rapid.IntRange(0, 9).Draw(t, "number") }
	b.WriteString(rapid.SampledFrom([]string{"[agent]\n", "[ai_agent]\n"}).Draw(t, "spelling"))
	line("provider = %q", word())
	line("model = %q", word())
	line("safe_mode = %v", rapid.Bool().Draw(t, "safe"))
	line("fallback = %s", rapid.SampledFrom([]string{"[]", `["x", "y"]`}).Draw(t, "fallback"))
	for _, name := range []string{"custom", `"a.b"`} {
		if rapid.Bool().Draw(t, "provider "+name) {
			fmt.Fprintf(&b, "[providers.%s]\n", name)
			line("base_url = %q", word())
			line("max_tokens = %d", number())
			line("images = %v", rapid.Bool().Draw(t, "images"))
			line("temperature = %d.5", rapid.IntRange(0, 1).Draw(t, "temperature"))
			if rapid.Bool().Draw(t, "price") {
				fmt.Fprintf(&b, "[providers.%s.prices.%q]\n", name, word())
				line("input = %d", number())
				line("cached = %d.25", number())
			}
		}
	}
	b.WriteString("[limits]\n")
	line("rounds = %d", number())
	line("output_lines = %d", number())
	b.WriteString("[budget]\n")
	line("daily_usd = %d", number())
	line("warn_at = 0.%d", number())
	if rapid.Bool().Draw(t, "server") {
		b.WriteString("[mcp.notes]\ncommand = [\"notes\"]\n")
		line("allow = [%q]", "list")
		line("timeout = %d", number())
		line("env = { HOME_OF = %q }", "$HOME")
	}
	b.WriteString("[security]\n")
	line("allowed_commands = [%q]", rapid.SampledFrom([]string{"ls", "git"}).Draw(t, "command"))
	line("dangerous_patterns = [%s]", rapid.SampledFrom([]string{"", "'x+'"}).Draw(t, "pattern"))
	for i := range rapid.IntRange(0, 2).Draw(t, "rules") {
		fmt.Fprintf(&b, "[[security.rules]]\nname = \"r%d\"\npattern = 'rm'\naction = 'warn'\nmatch = ['rm x']\nno_match = ['ls']\n", i)
	}
	b.WriteString("[telegram]\n")
	line("allowed_chats = [%q]", fmt.Sprint(number()+1))
	return b.String()
}

// comparable returns a configuration without its origin.
func comparable(t require.TestingT, c config.Config) string {
	c.Files, c.Warnings = nil, nil
	text, err := toml.Marshal(c)
	require.NoError(t, err)
	return fmt.Sprintf("%s\nfallback nil: %v, patterns: %v", text, c.Agent.Fallback == nil, c.Security.Dangerous)
}

// Merging the files of one home into another gives the same configuration, and merges to the same text again.
func TestWhatIsTakenElsewhereIsTheSameThere(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		here, there := homeAt(t, root, fmt.Sprintf("here%d", n)), homeAt(t, root, fmt.Sprintf("there%d", n))
		for _, name := range []string{"config.toml", "config.d/10-a.toml", "config.d/70-b.toml"} {
			if rapid.Bool().Draw(t, name) {
				require.NoError(t, os.WriteFile(filepath.Join(here.Paths.Home, name), []byte(anySettings(t)), 0o600))
			}
		}
		text := merged(t, here)
		require.NoError(t, os.WriteFile(there.Paths.Imported(), []byte(text), 0o600))
		want, err := config.Load(here)
		require.NoError(t, err)
		got, err := config.Load(there)
		require.NoError(t, err, text)
		require.Equal(t, comparable(t, want), comparable(t, got))
		require.Equal(t, text, merged(t, there))
	})
}

func homeAt(t *rapid.T, root, name string) config.Source {
	home := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Join(home, "config.d"), 0o700))
	return config.Source{Distribution: "/nowhere", System: "/nowhere", Paths: config.Paths{Home: home}, Getenv: func(string) string { return "" }}
}

func merged(t *rapid.T, src config.Source) string {
	own, err := config.OwnValues(src)
	require.NoError(t, err)
	text, err := config.Render(config.Settings(own), nil)
	require.NoError(t, err)
	return text
}

func TestEverySettingTellsWhoSetIt(t *testing.T) {
	l := newLayers(t)
	l.write("share/config.toml", "[ai_agent]\nprovider = 'claude'\n[limits]\nrounds = 3\n")
	l.write("home/config.toml", "[agent]\nmodel = 'mine'\n\n[limits]\nrounds = 7\n[[security.rules]]\nname = 'a'\npattern = 'rm'\naction = 'warn'\nmatch = ['rm x']\nno_match = ['ls']\n")
	l.write("home/config.d/50-setup.toml", "[ai_agent]\nmodel = ''\n[[security.rules]]\nname = 'b'\npattern = 'rm'\naction = 'warn'\nmatch = ['rm x']\nno_match = ['ls']\n")
	l.env["BLUNUX_AI_LANG"] = "ko"
	all, err := config.Effective(l.source())
	require.NoError(t, err)
	found := map[string]string{}
	for _, s := range all {
		found[s.Key()] = fmt.Sprintf("%v %s:%d", s.Value, strings.TrimPrefix(s.File, l.root+"/"), s.Line)
	}
	for key, want := range map[string]string{
		"ai_agent.provider":           "claude share/config.toml:2",
		"ai_agent.model":              "mine home/config.toml:2",
		"ai_agent.language":           "ko $BLUNUX_AI_LANG:0",
		"ai_agent.autonomy":           "supervised :0",
		"ai_agent.fallback":           "[offline] :0",
		"limits.rounds":               "7 home/config.toml:5",
		"limits.idle_exit":            "600 :0",
		"security.rules[0].name":      "a home/config.toml:7",
		"security.rules[1].name":      "b home/config.d/50-setup.toml:4",
		"security.privilege":          "auto :0",
		"security.rules[1].match":     "[rm x] home/config.d/50-setup.toml:7",
		"automations.enabled":         "true :0",
		"whatsapp.session_timeout":    "3600 :0",
		"security.dangerous_patterns": "[rm\\s+-rf\\s+/ mkfs dd\\s+if= :\\(\\)\\s*\\{ >\\s*/dev/sd] :0",
		"memory.embeddings.dialect":   "openai :0",
		"ai_agent.claude_mode":        "api :0",
		"ai_agent.safe_mode":          "true :0",
		"budget.warn_at":              "0.8 :0",
		"limits.command_timeout":      "60 :0",
	} {
		require.Equal(t, want, found[key], key)
	}
	require.NotContains(t, found, "telegram.allowed_chats", "what is empty by default is not listed")
	text, err := config.Render(all, nil)
	require.NoError(t, err)
	l.write("elsewhere/config.toml", text)
	src := l.source()
	src.Paths, src.Distribution, src.Getenv = config.Paths{Home: l.path("elsewhere")}, "/nowhere", func(string) string { return "" }
	_, err = config.Load(src)
	require.NoError(t, err, text)
}

func TestSendersAreDigits(t *testing.T) {
	for text, want := range map[string]string{
		"[telegram]\nallowed_chats = [\"42\"]\n":                                       "",
		"[telegram]\nallowed_chats = [\"42\", \"-1001234567890\"]\n":                   `config.toml:2:24: telegram.allowed_chats: "-1001234567890" is a group`,
		"[whatsapp]\nallowed_numbers = [\"+82 10-1234-5678\", \"49 (151) 0000000\"]\n": "",
		"[whatsapp]\nallowed_numbers = [\"+821012345678\", \"나\"]\n":                   `config.toml:2:37: whatsapp.allowed_numbers: "나" is not a phone number`,
		"[whatsapp]\nallowed_numbers = [\"123456\"]\n":                                 "is not a phone number",
		"[whatsapp]\nallowed_numbers = [\"1234567890123456\"]\n":                       "is not a phone number",
		"[whatsapp]\nallowed_numbers = [\"821012345678@c.us\"]\n":                      "is not a phone number",
		"[whatsapp]\nallowed_numbers = [\"120363025@g.us\"]\n":                         "is not a phone number",
		"[whatsapp]\nallowed_numbers = [\"*\"]\n":                                      "is not a phone number",
		"[whatsapp]\nallowed_numbers = [\"\"]\n":                                       "is not a phone number",
		"[discord]\nallowed_users = [\"80351110224678912\"]\n":                         "",
		"[telegram]\nallowed_chats = [\"@me\"]\n":                                      `config.toml:2:18: telegram.allowed_chats: "@me" is not a chat ID`,
		"[discord]\nallowed_users = [\"1\", \"-2\"]\n":                                 `config.toml:2:23: discord.allowed_users: "-2" is not a user ID`,
		"[discord]\nchannels = [\"771000000000000002\"]\n":                             "",
		"[discord]\nchannels = [\"771\", \"general\"]\n":                               `config.toml:2:20: discord.channels: "general" is not a channel ID`,
		"[discord]\nchannels = [" + strings.Repeat(`"1", `, 17) + "]\n":                "discord.channels: at most 16 entries",
		"[discord]\nallowed_users = [\"123456789012345678901\"]\n":                     "is not a user ID",
		"[telegram]\nallowed = []\n":                                                   "unknown key telegram.allowed",
	} {
		l := withFiles(t, map[string]string{"config.toml": text})
		if want == "" {
			l.mustLoad()
			continue
		}
		require.ErrorContains(t, l.refused(), want, text)
	}
}

func TestATextIsTriedBeforeItIsWritten(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", "[ai_agent]\nmodel = 'a'\n")
	src := l.source()
	tried := src.WithText(src.Paths.Setup(), []byte("[ai_agent]\nmodel = 'b'\n"))
	c, err := config.Load(tried)
	require.NoError(t, err)
	require.Equal(t, "b", c.Agent.Model)
	require.Equal(t, "a", l.mustLoad().Agent.Model)
	_, err = config.Load(tried.WithText(src.Paths.Setup(), []byte("[ai_agent]\nmodels = 'b'\n")))
	require.ErrorContains(t, err, "50-setup.toml:2:1: unknown key ai_agent.models")
	c, err = config.Load(src.WithText(src.Paths.Config(), nil))
	require.NoError(t, err)
	require.Empty(t, c.Agent.Model)
}
