package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestEachHostIsConnectedAndBackAgain: everything that the person has in the settings stays as it is, to the byte.
func TestEachHostIsConnectedAndBackAgain(t *testing.T) {
	for _, c := range []struct{ name, before, after, back string }{
		{"claude", "", "{\n  \"mcpServers\": {\n    \"blunux-ai\": {\"command\":\"blunux-ai\",\"args\":[\"mcp\"]}\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
		{
			"claude", "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"notes\": { \"command\": \"n\" }\n  }, \"n\": 1e400\n}",
			"{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n  \"blunux-ai\": {\"command\":\"blunux-ai\",\"args\":[\"mcp\"]},\n    \"notes\": { \"command\": \"n\" }\n  }, \"n\": 1e400\n}", "",
		},
		{"gemini", `{"a":[1,2]}`, "{\n  \"mcpServers\": {\n    \"blunux-ai\": {\"command\":\"blunux-ai\",\"args\":[\"mcp\"]}\n  },\"a\":[1,2]}", "{\n  \"mcpServers\": {},\"a\":[1,2]}"},
		{"crush", `{"mcp":{}}`, "{\"mcp\":{\n  \"blunux-ai\": {\"type\":\"stdio\",\"command\":\"blunux-ai\",\"args\":[\"mcp\"]}\n}}", ""},
		{"codex", "# mine\nmodel = \"m\"\n[mcp_servers.notes]\ncommand = \"n\"\n", "# mine\nmodel = \"m\"\n[mcp_servers.notes]\ncommand = \"n\"\n\n[mcp_servers.blunux-ai]\ncommand = \"blunux-ai\"\nargs = [\"mcp\"]\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			h, ok := Find(c.name)
			require.True(t, ok)
			settings, _ := h.paths(in(home))
			if c.before != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
				require.NoError(t, os.WriteFile(settings, []byte(c.before), 0o640))
			}
			for range 2 { // a second time changes nothing
				files, err := h.Connect(in(home))
				require.NoError(t, err)
				require.Equal(t, c.after, read(t, settings))
				require.Contains(t, read(t, files[1]), "name: blunux-ai\n")
			}
			files, err := h.Disconnect(in(home))
			require.NoError(t, err)
			back := c.back
			if back == "" {
				back = c.before
			}
			require.Equal(t, back, read(t, settings))
			require.NoFileExists(t, files[1])
			info, err := os.Stat(settings)
			require.NoError(t, err)
			require.Equal(t, c.before == "", info.Mode().Perm() == 0o600)
		})
	}
}

// TestSettingsThatCannotBeEditedAreLeftAlone: with comments, cut, spelled in another way, or something else.
func TestSettingsThatCannotBeEditedAreLeftAlone(t *testing.T) {
	for name, texts := range map[string][]string{
		"claude": {"{", "[]", "{ // mine\n}", `{"mcpServers":[]}`, "null", "\x00"},
		"codex":  {"mcp_servers = {}\n", "mcp_servers.notes.command = \"n\"\n", "[mcp_servers]\n\"blunux-ai\" = {}\n", "[ mcp_servers . 'blunux-ai' ]\n"},
	} {
		for _, text := range texts {
			home := t.TempDir()
			h, _ := Find(name)
			settings, own := h.paths(in(home))
			require.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
			require.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
			_, err := h.Connect(in(home))
			require.ErrorContains(t, err, settings, text)
			require.Equal(t, text, read(t, settings))
			require.NoFileExists(t, own)
			_, err = h.Disconnect(in(home))
			require.ErrorContains(t, err, settings, text)
			require.Equal(t, text, read(t, settings))
		}
	}
}

// TestNoOtherSettingIsEverChanged: any settings, before and after.
func TestNoOtherSettingIsEverChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom(All()).Draw(t, "host")
		values := rapid.MapOf(rapid.StringMatching(`[a-z]{1,6}|mcp|mcpServers|mcp_servers`), rapid.MapOf(rapid.StringMatching(`[a-z]{1,6}`), rapid.String())).Draw(t, "settings")
		encode, decode := func() ([]byte, error) { return json.MarshalIndent(values, "", "  ") }, json.Unmarshal
		if h.isTOML() {
			encode, decode = func() ([]byte, error) { return toml.Marshal(values) }, toml.Unmarshal
		}
		text, err := encode()
		require.NoError(t, err)
		with, err := h.with(text)
		require.NoError(t, err)
		var has map[string]map[string]any
		require.NoError(t, decode(with, &has), "%s", with)
		require.Equal(t, "blunux-ai", has[h.servers][entry].(map[string]any)["command"])
		back, err := h.without(with)
		require.NoError(t, err)
		left := map[string]map[string]string{}
		require.NoError(t, decode(back, &left), "%s", back)
		if _, had := values[h.servers]; !had {
			require.Empty(t, left[h.servers])
			delete(left, h.servers)
		}
		for key, members := range values {
			require.Equal(t, len(members), len(left[key]))
			for name, value := range members {
				require.Equal(t, value, left[key][name])
			}
		}
	})
}

// TestOnlyOurTablesLeaveTheSettings: comments and tables around them stay, and what never was there is not written.
func TestOnlyOurTablesLeaveTheSettings(t *testing.T) {
	h, _ := Find("codex")
	for before, after := range map[string]string{
		"": "",
		"a = 1\n\n[mcp_servers.blunux-ai]\ncommand = \"blunux-ai\"\n# of notes\n\n# also\n[mcp_servers.notes]\ncommand = \"n\"\n":                   "a = 1\n# of notes\n\n# also\n[mcp_servers.notes]\ncommand = \"n\"\n",
		"[mcp_servers.blunux-ai]\ncommand = \"blunux-ai\"\n[mcp_servers.blunux-ai.env]\nA = \"1\"\n[other]\n[mcp_servers.blunux-ai.tools]\nx = 1\n": "[other]\n",
	} {
		back, err := h.without([]byte(before))
		require.NoError(t, err)
		require.Equal(t, after, string(back))
	}
	home := t.TempDir()
	for _, h := range All() {
		_, err := h.Disconnect(in(home))
		require.NoError(t, err)
	}
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestAHostsOwnDirectoryIsUsed where its variable names one.
func TestAHostsOwnDirectoryIsUsed(t *testing.T) {
	for name, variable := range map[string]string{"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "crush": "XDG_CONFIG_HOME"} {
		h, _ := Find(name)
		settings, own := h.paths(func(v string) string { return map[string]string{"HOME": "/h", variable: "/elsewhere"}[v] })
		require.Equal(t, "/elsewhere/"+h.settings, settings)
		require.Equal(t, "/elsewhere/"+strings.TrimPrefix(h.skills, ".claude/")+"/blunux-ai/SKILL.md", own)
		settings, _ = h.paths(func(v string) string { return map[string]string{"HOME": "/h", variable: "relative"}[v] })
		require.Equal(t, filepath.Join("/h", h.dir, h.settings), settings)
	}
}

// in returns an environment with a home and nothing else.
func in(home string) func(string) string {
	return func(name string) string { return map[string]string{"HOME": home}[name] }
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
