package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

// layers is a directory with all places of settings.
type layers struct {
	t    *testing.T
	root string
	env  map[string]string
}

func newLayers(t *testing.T) *layers {
	t.Helper()
	return &layers{t: t, root: t.TempDir(), env: map[string]string{}}
}

func (l *layers) path(name string) string { return filepath.Join(l.root, name) }

func (l *layers) write(name, text string) string {
	l.t.Helper()
	file := l.path(name)
	require.NoError(l.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(l.t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func (l *layers) source() config.Source {
	return config.Source{
		Distribution: l.path("share/config.toml"),
		System:       l.path("etc/config.toml"),
		Paths:        config.Paths{Home: l.path("home")},
		Getenv:       func(name string) string { return l.env[name] },
	}
}

func (l *layers) load() (config.Config, error) { return config.Load(l.source()) }

func (l *layers) mustLoad() config.Config {
	l.t.Helper()
	c, err := l.load()
	require.NoError(l.t, err)
	return c
}

// refused loads the settings and returns the error, which must be a config.Error.
func (l *layers) refused() *config.Error {
	l.t.Helper()
	c, err := l.load()
	var e *config.Error
	require.ErrorAs(l.t, err, &e)
	require.Equal(l.t, config.Config{}, c, "a refused configuration is not half of one")
	return e
}

func TestWithoutAnyFileTheDefaultsHold(t *testing.T) {
	c := newLayers(t).mustLoad()
	require.Equal(t, config.Limits{
		OutputBytes: 51200, OutputLines: 500, HistoryMessages: 50, Rounds: 10,
		CommandTimeout: 60, UpdateTimeout: 300, ApprovalTimeout: 300, IdleExit: 600, BetweenBytes: 20, AURCooling: 24,
	}, c.Limits)
	require.Equal(t, "supervised", c.Agent.Autonomy)
	require.True(t, c.IsSafeMode())
	require.Empty(t, c.Files)
	require.Equal(t, time.Minute, c.Limits.CommandTimeoutDuration())
	require.Equal(t, 5*time.Minute, c.Limits.UpdateTimeoutDuration())
	require.Equal(t, 5*time.Minute, c.Limits.ApprovalTimeoutDuration())
	require.Equal(t, 10*time.Minute, c.Limits.IdleExitDuration())
}

// Adds one layer after the other. Each must override all earlier ones and leave other settings unchanged.
func TestALaterLayerWins(t *testing.T) {
	l := newLayers(t)
	model := func() string { return l.mustLoad().Agent.Model }

	l.write("share/config.toml", "[ai_agent]\nmodel = 'distribution'\nclaude_mode = 'oauth'\n")
	require.Equal(t, "distribution", model())
	l.write("etc/config.toml", "[ai_agent]\nmodel = 'system'\n")
	require.Equal(t, "system", model())
	l.write("home/config.toml", "[ai_agent]\nmodel = 'user'\n")
	require.Equal(t, "user", model())
	l.write("home/config.d/50-setup.toml", "[ai_agent]\nmodel = 'wizard'\n")
	require.Equal(t, "wizard", model())
	l.write("home/config.d/60-mine.toml", "[ai_agent]\nmodel = 'dropped in'\n")
	l.write("home/config.d/10-early.toml", "[ai_agent]\nmodel = 'early'\n")
	require.Equal(t, "dropped in", model(), "config.d is read in order of name")
	l.env["BLUNUX_AI_MODEL"] = "environment"
	require.Equal(t, "environment", model())

	c := l.mustLoad()
	require.Equal(t, "oauth", c.Agent.ClaudeMode, "a layer leaves alone what it does not name")
	require.Equal(t, []string{
		l.path("share/config.toml"), l.path("etc/config.toml"), l.path("home/config.toml"),
		l.path("home/config.d/10-early.toml"), l.path("home/config.d/50-setup.toml"), l.path("home/config.d/60-mine.toml"),
	}, c.Files)
}

func TestDropInsAreTOMLFilesThatAreNotHidden(t *testing.T) {
	l := newLayers(t)
	l.root = l.path("[odd] *name")
	l.write("home/config.d/10.toml", "[ai_agent]\nmodel = 'ten'\n")
	l.write("home/config.d/20.toml~", "broken")
	l.write("home/config.d/.30.toml", "broken")
	l.write("home/config.d/README", "broken")
	require.Equal(t, "ten", l.mustLoad().Agent.Model)

	l = newLayers(t)
	l.write("home/config.d", "a file in the way")
	require.Equal(t, l.path("home/config.d"), l.refused().File)
}

func TestALaterListReplacesAnEarlierOne(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", "[security]\nallowed_commands = ['a', 'b']\n[ai_agent]\nfallback = ['x', 'y']\n[whatsapp]\nallowed_numbers = ['+15550100']\n")
	l.write("home/config.toml", "[security]\nallowed_commands = ['c']\n[ai_agent]\nfallback = ['z']\n")
	c := l.mustLoad()
	require.Equal(t, []string{"c"}, c.Security.AllowedCommands)
	require.Equal(t, []string{"z"}, c.Agent.Fallback)
	require.Equal(t, []string{"+15550100"}, c.WhatsApp.AllowedNumbers)
}

func TestALaterLayerCanSwitchOff(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", "[ai_agent]\nenabled = true\nsafe_mode = true\nwhatsapp_enabled = true\n")
	l.write("home/config.toml", "[ai_agent]\nsafe_mode = false\n")
	c := l.mustLoad()
	require.False(t, c.IsSafeMode())
	require.True(t, *c.Agent.Enabled)
	require.True(t, *c.Agent.WhatsAppEnabled)
}

func TestTheEnvironmentSetsProviderModelAndLanguage(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", "[ai_agent]\nprovider = 'gemini'\nlanguage = 'en'\n")
	l.env["BLUNUX_AI_PROVIDER"], l.env["BLUNUX_AI_LANG"] = "offline", "ko"
	c := l.mustLoad()
	require.Equal(t, "offline", c.Agent.Provider)
	require.Equal(t, "ko", c.Agent.Language)
}

func TestOfTheDistributionsFileOnlyOurTablesAreRead(t *testing.T) {
	l := newLayers(t)
	l.write("share/config.toml", `
title = "the distribution's own"
[ai_agent]
provider = "claude"
a_key_of_next_year = 1
[locale]
language = ["ko_KR", "en_US"]
timezone = "Asia/Seoul"
[limits]
rounds = 3
[security]
allowed_commands = ["rm"]
[packages]
desktop = { kde = true }
`)
	c := l.mustLoad()
	require.Equal(t, "claude", c.Agent.Provider)
	require.Equal(t, []string{"ko_KR", "en_US"}, c.Locales)
	require.Equal(t, 10, c.Limits.Rounds)
	require.Empty(t, c.Security.AllowedCommands)

	l.write("share/config.toml", "[locale]\nlanguage = 'ko'\n")
	require.Equal(t, []string{"ko"}, l.mustLoad().Locales)
}

func TestProvidersAreMergedFieldByField(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", `
[providers.deepseek]
base_url = "https://api.example"
model = "old"
temperature = 0.5
[providers.gemini]
model = "flash"
`)
	l.write("home/config.toml", "[providers.deepseek]\nmodel = 'new'\nmax_tokens = 100\n")
	l.write("home/config.d/50-setup.toml", "[providers.deepseek]\nauth_style = 'bearer'\ntemperature = 0.0\n[providers.local]\nbase_url = 'http://127.0.0.1:11434'\n")
	zero := 0.0
	require.Equal(t, map[string]config.Provider{
		"deepseek": {BaseURL: "https://api.example", Model: "new", Temperature: &zero, MaxTokens: 100, AuthStyle: "bearer"},
		"gemini":   {Model: "flash"},
		"local":    {BaseURL: "http://127.0.0.1:11434"},
	}, l.mustLoad().Providers)
}

func TestTheOldSpellingIsALayerLikeAnyOther(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", "[agent]\nprovider = 'deepseek'\nsafe_mode = false\n")
	c := l.mustLoad()
	require.Equal(t, "deepseek", c.Agent.Provider)
	require.False(t, c.IsSafeMode())
	require.Nil(t, c.OldAgent)

	l.write("share/config.toml", "[ai_agent]\nprovider = 'claude'\nsafe_mode = true\n")
	c = l.mustLoad()
	require.Equal(t, "deepseek", c.Agent.Provider, "the user's old spelling wins over the distribution's new one")
	require.False(t, c.IsSafeMode())

	l.write("home/config.toml", "[agent]\nprovider = 'deepseek'\nmodel = 'm'\n[ai_agent]\nprovider = 'gemini'\n")
	c = l.mustLoad()
	require.Equal(t, "gemini", c.Agent.Provider, "in one file the new spelling wins")
	require.Equal(t, "m", c.Agent.Model)

	l.write("home/config.toml", "")
	l.write("share/config.toml", "[agent]\nprovider = 'deepseek'\nmodel = 'm'\nnext_year = 1\n[ai_agent]\nprovider = 'claude'\n")
	c = l.mustLoad()
	require.Equal(t, "claude", c.Agent.Provider)
	require.Equal(t, "m", c.Agent.Model, "the distribution's file may have it too")
}

func TestABadSettingIsToldWithItsPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		text      string
		line, col int
		problem   string
	}{
		"unknown key":           {"[ai_agent]\nprovider = 'x'\n  modle = 'm'\n", 3, 3, "unknown key ai_agent.modle"},
		"unknown table":         {"[limits]\nrounds = 3\n[limit]\nrounds = 3\n", 3, 2, "unknown key limit"},
		"unknown top key":       {"provider = 'claude'\n", 1, 1, "unknown key provider"},
		"unknown provider key":  {"[providers.x]\nkey = 'secret'\n", 2, 1, "unknown key providers.x.key"},
		"text for a number":     {"[limits]\nrounds = 'ten'\n", 2, 10, "limits.rounds: expected integer, found string"},
		"number for a text":     {"[ai_agent]\nmodel = 5\n", 2, 9, "ai_agent.model: expected string, found integer"},
		"text for a truth":      {"[ai_agent]\nsafe_mode = 'no'\n", 2, 13, "ai_agent.safe_mode: expected boolean, found string"},
		"text for a list":       {"[security]\nallowed_commands = 'df'\n", 2, 20, "security.allowed_commands"},
		"broken TOML":           {"[ai_agent]\nprovider = \n", 2, 12, ""},
		"unfinished table":      {"[ai_agent\n", 1, 10, ""},
		"the same key twice":    {"[limits]\nrounds = 1\nrounds = 2\n", 3, 1, ""},
		"number out of its int": {"[limits]\nrounds = 99999999999999999999\n", 2, 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLayers(t)
			file := l.write("home/config.toml", tc.text)
			e := l.refused()
			require.Equal(t, file, e.File)
			require.Contains(t, e.Problem, tc.problem)
			require.Equal(t, [2]int{tc.line, tc.col}, [2]int{e.Line, e.Col}, "%v", e)
			require.Contains(t, e.Error(), file+":")
		})
	}
}

func TestAValueOutOfItsRangeIsToldWithItsPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		text      string
		line, col int
		problem   string
	}{
		"claude_mode":        {"[ai_agent]\nclaude_mode = 'cli'", 2, 15, `ai_agent.claude_mode = "cli": must be one of api, oauth`},
		"autonomy":           {"[ai_agent]\n  autonomy = 'yolo'", 2, 14, `ai_agent.autonomy = "yolo": must be one of read_only, supervised, full`},
		"privilege":          {"[security]\nprivilege = 'root'", 2, 13, `security.privilege = "root": must be one of auto, run0, pkexec, sudo, none`},
		"the old spelling":   {"[agent]\nautonomy = 'yolo'", 2, 12, `ai_agent.autonomy = "yolo": must be one of read_only, supervised, full`},
		"language":           {"[ai_agent]\nmodel = 'm'\n\nlanguage = 'jp'", 4, 12, `ai_agent.language = "jp": must be one of auto, ko, en, zh`},
		"a dotted key":       {"# c\nai_agent.language = 'jp'", 2, 21, `ai_agent.language = "jp": must be one of auto, ko, en, zh`},
		"an inline table":    {"ai_agent = { model = 'm', language = 'jp' }", 1, 38, `ai_agent.language = "jp": must be one of auto, ko, en, zh`},
		"a negative number":  {"[limits]\nrounds = -1", 2, 10, "limits.rounds = -1: must be from 0"},
		"a number too large": {"[limits]\ncommand_timeout = 9300000000", 2, 19, "limits.command_timeout = 9300000000: must be from 0"},
		"session_timeout":    {"[whatsapp]\nsession_timeout = -5", 2, 19, "whatsapp.session_timeout = -5: must be from 0"},
		"auth_style":         {"[providers.x]\nauth_style = 'basic'", 2, 14, `providers.x.auth_style = "basic": must be one of x-api-key, bearer, x-goog-api-key, none`},
		"temperature":        {"[providers.x]\ntemperature = 3.5", 2, 15, "providers.x.temperature = 3.5: must be from 0 to 2"},
		"tools":              {"[providers.x]\ntools = 'words'", 2, 9, `providers.x.tools = "words": must be one of native, text`},
		"context":            {"[providers.x]\ncontext = -1", 2, 11, "providers.x.context = -1: must be greater than 0"},
		"no number":          {"[providers.x]\ntemperature = nan", 2, 15, "providers.x.temperature = NaN: must be from 0 to 2"},
		"max_tokens":         {"[providers.a]\n[providers.b]\nmax_tokens=-1 ", 3, 12, "providers.b.max_tokens = -1: must be greater than 0"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLayers(t)
			file := l.write("home/config.toml", tc.text)
			l.write("home/config.d/50-setup.toml", "[ai_agent]\nmodel = 'fine'\n")
			e := l.refused()
			require.Equal(t, file, e.File)
			require.Contains(t, e.Problem, tc.problem)
			require.Equal(t, fmt.Sprintf("%s:%d:%d: %s", file, tc.line, tc.col, e.Problem), e.Error())
		})
	}
}

func TestABadEnvironmentValueNamesTheVariable(t *testing.T) {
	l := newLayers(t)
	l.write("home/config.toml", "[ai_agent]\nlanguage = 'ko'\n")
	l.env["BLUNUX_AI_LANG"] = "klingon"
	e := l.refused()
	require.Equal(t, "$BLUNUX_AI_LANG", e.File)
	require.Zero(t, e.Line)
	require.Contains(t, e.Error(), `$BLUNUX_AI_LANG: ai_agent.language = "klingon"`)
}

func TestThreat16ASettingsFileOthersCanWriteIsRefusedWithItsCure(t *testing.T) {
	for _, name := range []string{"etc/config.toml", "home/config.toml", "home/config.d/50-setup.toml"} {
		for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
			l := newLayers(t)
			file := l.write(name, "[ai_agent]\nmodel = 'm'\n")
			require.NoError(t, os.Chmod(file, mode))
			e := l.refused()
			require.Equal(t, file, e.File)
			require.Contains(t, e.Problem, "run: chmod go-w "+file)
			require.NoError(t, os.Chmod(file, 0o644), "others may read settings: no key is in them")
			l.mustLoad()
		}
	}
}

func TestThreat16ASettingsFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	l := newLayers(t)
	file := l.write("home/config.toml", "")
	require.NoError(t, os.Chown(file, 12345, -1))
	e := l.refused()
	require.Contains(t, e.Problem, "belongs to uid 12345")
	require.Contains(t, e.Problem, "run: sudo chown $(id -u) "+file)
}

func TestThreat15ALinkInPlaceOfTheUsersSettingsIsRefused(t *testing.T) {
	for _, name := range []string{"home/config.toml", "home/config.d/50-setup.toml"} {
		l := newLayers(t)
		target := l.write("elsewhere.toml", "[ai_agent]\nmodel = 'planted'\n")
		require.NoError(t, os.MkdirAll(filepath.Dir(l.path(name)), 0o700))
		require.NoError(t, os.Symlink(target, l.path(name)))
		e := l.refused()
		require.Equal(t, l.path(name), e.File)
		require.Contains(t, e.Problem, "symbolic link")
	}
}

func TestThreat15APipeInPlaceOfAnySettingsIsRefusedAndDoesNotHang(t *testing.T) {
	for _, name := range []string{"share/config.toml", "etc/config.toml", "home/config.toml", "home/config.d/x.toml"} {
		l := newLayers(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(l.path(name)), 0o700))
		require.NoError(t, syscall.Mkfifo(l.path(name), 0o600))
		e := l.refused()
		require.Equal(t, l.path(name), e.File)
		require.Contains(t, e.Problem, "not a regular file")
	}
}

func TestADirectoryInPlaceOfSettingsIsRefused(t *testing.T) {
	l := newLayers(t)
	require.NoError(t, os.MkdirAll(l.path("home/config.toml"), 0o700))
	require.Contains(t, l.refused().Problem, "not a regular file")
}

func TestTheUsualPlaces(t *testing.T) {
	src := config.NewSource(config.Paths{Home: "/h"}, os.Getenv)
	require.Equal(t, "/usr/share/blunux/config.toml", src.Distribution)
	require.Equal(t, "/etc/blunux-ai/config.toml", src.System)
}

// FuzzLoad checks that any settings file either loads or fails with an Error that names it.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"", "[ai_agent]\nprovider = 'claude'\n", "[providers.x]\ntemperature = nan\n", "[agent]\n[ai_agent]\n",
		"[limits]\nrounds = -1\n", "providers = 1", "[[ai_agent]]\n", "[providers]\nx = {}\n", "\xff\xfe", "a.b.c = 1\n", "[ai_agent]\nfallback = [[1]]\n",
		"[locale]\nlanguage = [1, {}]\n", "[[security.rules]]\nname='r'\npattern='a'\naction='warn'\nmatch=['a']\nno_match=['b']\n",
		"[security]\nrules = [{name='r'}, {}]\nworkspace='x'\n", "[[security.rules]]\n[security.rules.x]\n", "security.dangerous_patterns = ['(', [1]]", "[ai_agent]\nmodel = \"\\u00e9\"", "ai_agent = {", "\"\" = 1",
	} {
		f.Add(text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, "config.toml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, src := range []config.Source{
			{Distribution: file, System: file + ".none", Paths: config.Paths{Home: file + ".none"}},
			{Distribution: file + ".none", System: file + ".none", Paths: config.Paths{Home: dir}},
			{Distribution: file, System: file, Paths: config.Paths{Home: dir}},
		} {
			src.Getenv = func(string) string { return "" }
			c, err := config.Load(src)
			if err == nil {
				require.NotEmpty(t, c.Agent.Autonomy)
				require.Positive(t, c.Limits.CommandTimeoutDuration())
				continue
			}
			var e *config.Error
			require.True(t, errors.As(err, &e), "%v", err)
			require.Equal(t, file, e.File)
		}
	})
}
