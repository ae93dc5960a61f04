package config_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

// rule returns a valid rule with some lines replaced.
func rule(name string, lines map[string]string) string {
	fields := []string{
		"name = '" + name + "'", "pattern = 'git push (.* )?--force'", "action = 'block'",
		"match = ['git push --force', 'git push origin --force']", "no_match = ['git push']",
	}
	var b strings.Builder
	b.WriteString("[[security.rules]]\n")
	for _, f := range fields {
		key, _, _ := strings.Cut(f, " ")
		if line, ok := lines[key]; ok {
			f = line
		}
		b.WriteString(f + "\n")
	}
	return b.String()
}

func TestARuleThatIsRightAboutItsExamplesIsTaken(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", rule("no-force", nil))
	rules := l.mustLoad().Security.Rules
	require.Len(t, rules, 1)
	require.Equal(t, "no-force", rules[0].Name)
	require.Equal(t, "block", rules[0].Action)
	require.True(t, rules[0].Compiled.MatchString("git push --force"))
}

func TestARuleThatCannotBeUsedIsToldWithItsPlace(t *testing.T) {
	long := strings.Repeat("x", 1025)
	for name, tc := range map[string]struct {
		lines     map[string]string
		line, col int // of the rule itself
		problem   string
	}{
		"it misses an example": {
			map[string]string{"match": "match = ['git push']"}, 5, 10, `security.rules.match: the pattern of "r" does not match this command`,
		},
		"it misses a later example": {
			map[string]string{"match": "match = [\n  'git push x --force',\n  'git push -f']"},
			7, 3,
			`security.rules.match: the pattern of "r" does not match this command`,
		},
		"it matches what it must not": {
			map[string]string{"pattern": "pattern = 'git push'"}, 6, 13, `security.rules.no_match: the pattern of "r" matches this command`,
		},
		"no name":             {map[string]string{"name": ""}, 1, 3, "security.rules.name: a rule needs a name"},
		"a blank name":        {map[string]string{"name": "name = ' '"}, 2, 8, "security.rules.name: a rule needs a name"},
		"a name of two lines": {map[string]string{"name": `name = "a\nb"`}, 2, 8, "security.rules.name: a rule needs a name"},
		"a long name":         {map[string]string{"name": "name = '" + strings.Repeat("가", 65) + "'"}, 2, 8, "at most 64 characters"},
		"no action":           {map[string]string{"action": ""}, 1, 3, `security.rules.action: "" must be one of warn, confirm, block`},
		"an action that lowers": {
			map[string]string{"action": "action = 'allow'"}, 4, 10, `security.rules.action: "allow" must be one of warn, confirm, block`,
		},
		"no pattern":        {map[string]string{"pattern": ""}, 1, 3, "security.rules.pattern: a pattern cannot be empty"},
		"a broken pattern":  {map[string]string{"pattern": "pattern = 'a(b'"}, 3, 11, "security.rules.pattern: invalid pattern: missing closing ): `a(b`"},
		"a long pattern":    {map[string]string{"pattern": "pattern = '" + long + "'"}, 3, 11, "security.rules.pattern: a pattern can have at most 1024 bytes"},
		"no example":        {map[string]string{"match": ""}, 1, 3, "security.rules.match: a rule needs at least one command that its pattern matches"},
		"an empty list":     {map[string]string{"match": "match = []"}, 5, 1, "security.rules.match: a rule needs at least one"},
		"no counterexample": {map[string]string{"no_match": ""}, 1, 3, "security.rules.no_match: a rule needs at least one"},
		"a blank counterexample": {
			map[string]string{"no_match": "no_match = [' ']"}, 6, 13, "security.rules.no_match: an example must be a command and cannot be empty",
		},
		"an unknown key": {map[string]string{"action": "action = 'block'\nallow = true"}, 5, 1, "unknown key security.rules.allow"},
		"one for a list": {map[string]string{"match": "match = 'git push --force'"}, 5, 9, "security.rules.match: expected list of strings, found string"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLayers(t)
			before := "[ai_agent]\nmodel = 'm'\n\n" + rule("good", nil)
			file := l.write("home/config.toml", before+rule("r", tc.lines))
			e := l.refused()
			require.Contains(t, e.Error(), tc.problem)
			line := strings.Count(before, "\n") + tc.line
			require.Equal(t, fmt.Sprintf("%s:%d:%d: %s", file, line, tc.col, e.Problem), e.Error())
		})
	}
}

func TestARuleOfAnInlineTableHasAPlaceToo(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", "[security]\nrules = [\n  { name = 'r', pattern = 'x', action = 'warn', match = ['y'], no_match = ['z'] },\n]\n")
	require.Equal(t, []any{3, 58}, []any{l.refused().Line, l.refused().Col})
	l.write("home/config.toml", "[security]\nrules = 5\n")
	require.Contains(t, l.refused().Error(), ":2:9: security.rules: expected list of tables, found integer")
	l.write("home/config.toml", rule("r", map[string]string{"match": "match = [['git push --force']]"}))
	require.Contains(t, l.refused().Error(), ":5:1: security.rules.match: expected string, found array")
}

func TestRulesOfAllLayersAddUp(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", rule("of the system", nil))
	l.write("home/config.toml", rule("of the user", nil)+"[security]\n")
	l.write("home/config.d/10.toml", rule("one", nil)+rule("two", nil))
	l.write("home/config.d/20.toml", "[security]\nrules = []\n")
	var names []string
	for _, r := range l.mustLoad().Security.Rules {
		names = append(names, r.Name)
		require.NotNil(t, r.Compiled)
	}
	require.Equal(t, []string{"of the system", "of the user", "one", "two"}, names, "no file takes back another one's rules")

	l.write("home/config.d/20.toml", rule("three", nil)+rule("four", map[string]string{"pattern": "pattern = '('"}))
	require.Contains(t, l.refused().Error(), "20.toml:9:11: ")

	l.write("home/config.d/20.toml", strings.Repeat(rule("many", nil), 97))
	e := l.refused()
	require.Equal(t, "security.rules: at most 100 entries allowed", e.Problem)
	require.Equal(t, 96*6+1, e.Line)
}

func TestExamplesAreComparedAsCommandsAre(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", rule("r", map[string]string{"match": `match = ["'git' push   --force"]`, "pattern": "pattern = '^git push --force'"}))
	require.Contains(t, l.refused().Problem, "does not match")
	src := l.source()
	src.Hits = func(pattern *regexp.Regexp, command string) bool {
		return pattern.MatchString(strings.Join(strings.Fields(strings.ReplaceAll(command, "'", "")), " "))
	}
	_, err := config.Load(src)
	require.NoError(t, err)
}

func TestDangerousPatternsAreTheSeedsUnlessAListIsGiven(t *testing.T) {
	l := newLayers(t)
	c := l.mustLoad()
	require.Equal(t, []string{`rm\s+-rf\s+/`, `mkfs`, `dd\s+if=`, `:\(\)\s*\{`, `>\s*/dev/sd`}, c.Security.DangerousPatterns)
	require.Len(t, c.Security.Dangerous, 5)

	l.write("etc/config.toml", "[security]\ndangerous_patterns = ['shutdown', 'reboot']\n")
	l.write("home/config.toml", "[security]\nworkspace = '~/work'\n")
	c = l.mustLoad()
	require.Len(t, c.Security.Dangerous, 2)
	require.True(t, c.Security.Dangerous[1].MatchString("systemctl reboot"))

	l.write("home/config.toml", "[security]\ndangerous_patterns = []\n")
	require.Empty(t, l.mustLoad().Security.Dangerous, "a later list replaces an earlier one")
}

func TestASecuritySettingThatCannotBeUsedIsToldWithItsPlace(t *testing.T) {
	many := "'x', " + strings.Repeat("'y', ", 100)
	for text, want := range map[string]string{
		"dangerous_patterns = ['rm', '(']":                 "2:29: security.dangerous_patterns: invalid pattern: missing closing )",
		"dangerous_patterns = [\n'']":                      "3:1: security.dangerous_patterns: a pattern cannot be empty",
		"dangerous_patterns = [" + many + "]":              "2:523: security.dangerous_patterns: at most 100 entries allowed",
		"workspace = 'projects'":                           `2:13: security.workspace: "projects" must be an absolute path or begin with ~/`,
		"workspace = '~blu/projects'":                      "2:13: security.workspace",
		"workspace = \"/a\\nb\"":                           "2:13: security.workspace",
		"blocked_paths = ['/etc', '~/x', '../y']":          `2:33: security.blocked_paths: "../y" must be an absolute path`,
		"blocked_paths = ['']":                             "2:18: security.blocked_paths",
		"allowed_commands = ['mkdir', 'rm -rf']":           `2:30: security.allowed_commands: "rm -rf" is neither a program name nor an absolute path`,
		"allowed_commands = ['a;b']":                       "2:21: security.allowed_commands",
		"allowed_commands = ['$(x)']":                      "2:21: security.allowed_commands",
		"allowed_commands = ['*']":                         "2:21: security.allowed_commands",
		"allowed_commands = ['']":                          "2:21: security.allowed_commands",
		"allowed_commands = ['-x']":                        "2:21: security.allowed_commands",
		"allowed_commands = ['~/bin/x']":                   "2:21: security.allowed_commands",
		"allowed_commands = ['bin/x']":                     "2:21: security.allowed_commands",
		"allowed_commands = ['/usr/../bin/x']":             "2:21: security.allowed_commands",
		"allowed_commands = [\"a\\tb\", 'b']":              "2:21: security.allowed_commands",
		"allowed_commands = ['mkdir', 5]":                  "2:30: security.allowed_commands: expected string, found integer",
		"workspace = ['/a']":                               "2:13: security.workspace",
		"allowed_commands = ['mkdir']\nworkspace = 'here'": "3:13: security.workspace",
	} {
		t.Run(text, func(t *testing.T) {
			l := newLayers(t)
			file := l.write("home/config.toml", "[security]\n"+text+"\n")
			require.Contains(t, l.refused().Error(), file+":"+want)
		})
	}
}

func TestSecuritySettingsThatCanBeUsed(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", `[security]
workspace = "~"
blocked_paths = ["~/", "/srv/비밀 문서", "/"]
allowed_commands = ["mkdir", "g++", "python3.13", "/opt/my-tool/bin/x@2", "["]
`)
	require.Contains(t, l.refused().Problem, `"["`)
	l.write("home/config.toml", `[security]
workspace = "~"
blocked_paths = ["~/", "/srv/비밀 문서", "/"]
allowed_commands = ["mkdir", "g++", "python3.13", "/opt/my-tool/bin/x@2", "7z"]
`)
	l.mustLoad()
}

func TestFullAutonomyThatAllowsNothingIsWarnedAbout(t *testing.T) {
	l := newLayers(t)
	warnings := func() []string {
		var all []string
		for _, w := range l.mustLoad().Warnings {
			all = append(all, w.Error())
		}
		return all
	}
	require.Empty(t, warnings())
	file := l.write("home/config.toml", "[ai_agent]\nautonomy = 'full'\n")
	require.Equal(t, []string{
		file + `:2:12: ai_agent.autonomy = "full" without security.workspace: confirmation is needed, as with "supervised"`,
		file + `:2:12: ai_agent.autonomy = "full" without security.allowed_commands: confirmation is needed, as with "supervised"`,
	}, warnings())

	l.write("home/config.d/10.toml", "[security]\nworkspace = '~/work'\n")
	require.Len(t, warnings(), 1)
	l.write("home/config.d/10.toml", "[security]\nworkspace = '~/work'\nallowed_commands = ['mkdir']\n")
	require.Empty(t, warnings())

	l.write("home/config.d/10.toml", "[agent]\n\nautonomy = 'full'\n")
	require.Contains(t, warnings()[0], "10.toml:3:12: ", "the layer it was set in last")
	l.write("home/config.d/10.toml", "[ai_agent]\nautonomy = 'read_only'\n")
	require.Empty(t, warnings())
}
