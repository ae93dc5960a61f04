package packaging

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requirePass runs a checker and requires exit status 0.
func requirePass(t *testing.T, argv ...string) {
	t.Helper()
	need(t, argv[0])
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestTheDesktopKnowsTheProgram(t *testing.T) {
	requirePass(t, "desktop-file-validate", "desktop/org.blunux.ai.desktop", "desktop/org.blunux.ai.quick.desktop")
	requirePass(t, "appstreamcli", "validate", "--no-net", "desktop/org.blunux.ai.metainfo.xml")
	entry := string(mustRead(t, "desktop/org.blunux.ai.desktop"))
	for _, line := range []string{"Exec=blunux-ai chat", "Terminal=true", "Icon=org.blunux.ai", "Name[ko]=", "Name[zh_CN]=", "Comment[ko]=", "Comment[zh_CN]="} {
		require.Contains(t, entry, "\n"+line)
	}
	require.FileExists(t, "desktop/org.blunux.ai.svg")
	// An address goes to a command that only shows. The menu starts it without one.
	entry = string(mustRead(t, "desktop/org.blunux.ai.quick.desktop"))
	for _, line := range []string{
		"Exec=blunux-ai open %u", "Terminal=false", "MimeType=x-scheme-handler/blunux-ai;", "Exec=blunux-ai quick --approvals",
		"Name[ko]=", "Name[zh_CN]=",
	} {
		require.Contains(t, entry, "\n"+line)
	}
}

func TestScriptsAreClean(t *testing.T) {
	requirePass(t, "shellcheck", "card/install-ai-agent.sh", "install-unit.sh", "iso/check-image.sh")
}

// words is a text in three languages.
type words struct{ Ko, En, Zh string }

// card is the App Installer's card, as described in docs/iso.md.
type card struct {
	Schema      int      `json:"schema"`
	ID          string   `json:"id"`
	Name        words    `json:"name"`
	Description words    `json:"description"`
	Icon        string   `json:"icon"`
	Category    string   `json:"category"`
	Homepage    string   `json:"homepage"`
	License     string   `json:"license"`
	Packages    []string `json:"packages"`
	Installed   string   `json:"installed"`
	Install     []string `json:"install"`
	Uninstall   []string `json:"uninstall"`
	Launch      string   `json:"launch"`
	After       words    `json:"after"`
	Optional    []struct {
		ID          string   `json:"id"`
		Name        words    `json:"name"`
		Description words    `json:"description"`
		Packages    []string `json:"packages"`
		Install     []string `json:"install"`
		Network     []string `json:"network"`
	} `json:"optional"`
	Network []string `json:"network"`
}

func TestTheCardIsWholeAndInThreeLanguages(t *testing.T) {
	text := mustRead(t, "card/ai-agent.card.json")
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var c card
	require.NoError(t, d.Decode(&c))
	require.Equal(t, 1, c.Schema)
	require.Equal(t, "ai-agent", c.ID)
	texts := []words{c.Name, c.Description, c.After}
	commands := [][]string{c.Install, c.Uninstall}
	packages := c.Packages
	for _, o := range c.Optional {
		texts, commands, packages = append(texts, o.Name, o.Description), append(commands, o.Install), append(packages, o.Packages...)
		require.Equal(t, []string{"install", "use"}, o.Network)
	}
	for _, w := range texts {
		require.NotEmpty(t, w.Ko)
		require.NotEmpty(t, w.En)
		require.NotEmpty(t, w.Zh)
	}
	require.Regexp(t, `\p{Hangul}`, c.Description.Ko)
	require.Regexp(t, `\p{Han}`, c.Description.Zh)
	require.Equal(t, parts(), packages)
	require.FileExists(t, "desktop/"+c.Launch)
	require.FileExists(t, "desktop/"+c.Icon+".svg")

	// The installer's documentation explains every field, in both languages.
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	for name := range fields {
		require.Contains(t, string(mustRead(t, "../docs/iso.md")), "`"+name+"`")
		require.Contains(t, string(mustRead(t, "../docs/iso.ko.md")), "`"+name+"`")
	}
	// The script accepts the card's commands.
	for _, argv := range commands {
		require.Equal(t, "./install-ai-agent.sh", argv[0])
		cmd := exec.Command("bash", append(append([]string{"install-ai-agent.sh"}, argv[1:]...), "--help")...)
		cmd.Dir = "card"
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestTheReferenceSettingsAreTheDefaults: the uncommented file changes nothing, and it contains every setting
// that has a default.
func TestTheReferenceSettingsAreTheDefaults(t *testing.T) {
	_, err := pages()
	require.NoError(t, err)
	text := string(mustRead(t, "config.toml"))
	for line := range strings.Lines(text) {
		require.True(t, line == "\n" || strings.HasPrefix(line, "#"), "not commented: %s", line)
	}
	shown := func(config string) map[string]string {
		home := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(home, "none"), nil, 0o600))
		cmd := exec.Command("../bin/blunux-ai", "config", "show", "--json", "--blunux-config", filepath.Join(home, "none"))
		cmd.Env = append(os.Environ(), "BLUNUX_AI_HOME="+home, "BLUNUX_AI_LANG=en")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var settings []struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		}
		require.NoError(t, json.Unmarshal(out, &settings), "%s", out)
		values := map[string]string{}
		for _, s := range settings {
			values[s.Key] = string(s.Value)
		}
		return values
	}
	byItself := shown("")
	written := shown(regexp.MustCompile(`(?m)^#([a-z\[])`).ReplaceAllString(text, "$1"))
	for key, value := range byItself {
		require.Equal(t, value, written[key], key)
		require.Regexp(t, `(?m)^#`+regexp.QuoteMeta(key[strings.LastIndex(key, ".")+1:])+` = `, text)
	}
	for key := range written { // settings without a default value are described by their effect
		if _, ok := byItself[key]; !ok {
			require.Contains(t, []string{"ai_agent.whatsapp_enabled", "budget.daily_tokens", "whatsapp.require_prefix", "whatsapp.max_messages_per_minute"}, key)
		}
	}
}

// TestExamplesAreValidAndNotActive: the programs that would read them accept them, and they are installed
// elsewhere.
func TestExamplesAreValidAndNotActive(t *testing.T) {
	requirePass(t, "/usr/sbin/visudo", "-c", "-f", "examples/sudoers")

	need(t, "node")
	out, err := exec.Command("node", "-e", `
const rules = [], polkit = {Result: {YES: "yes", NOT_HANDLED: null}, addRule: (f) => rules.push(f)};
new Function("polkit", require("fs").readFileSync("examples/50-blunux-ai.rules", "utf8"))(polkit);
const ask = (id, verb, local, group) => rules[0]({id, lookup: () => verb}, {local, active: true, isInGroup: (g) => group && g === "blunux-ai"});
const units = "org.freedesktop.systemd1.manage-units";
console.log(rules.length, ask(units, "restart", true, true), ask(units, "restart", false, true), ask(units, "restart", true, false),
  ask(units, "reload-or-enable", true, true), ask("org.freedesktop.policykit.exec", "start", true, true));`).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "1 yes null null null null\n", string(out))

	for line := range strings.Lines(string(mustRead(t, "examples/90-blunux-ai.preset"))) {
		if unit, ok := strings.CutPrefix(strings.TrimSpace(line), "enable "); ok {
			require.Contains(t, string(mustRead(t, "../systemd/"+unit)), "[Install]")
		}
	}
	list := string(mustRead(t, "testdata/installed.txt"))
	for _, active := range []string{"sudoers.d", "polkit-1", "user-preset", "etc/", "dbus-1/system", "autostart", "default.target.wants"} {
		require.NotContains(t, list, active)
	}
}
