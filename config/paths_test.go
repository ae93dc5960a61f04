package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestWhereTheProgramsFilesAre(t *testing.T) {
	for name, tc := range map[string]struct {
		env     map[string]string
		want    string
		problem string
	}{
		"our own variable first":       {env: map[string]string{"BLUNUX_AI_HOME": "/b", "XDG_CONFIG_HOME": "/x", "HOME": "/h"}, want: "/b"},
		"then XDG":                     {env: map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, want: "/x/blunux-ai"},
		"then home":                    {env: map[string]string{"HOME": "/h"}, want: "/h/.config/blunux-ai"},
		"a relative XDG is ignored":    {env: map[string]string{"XDG_CONFIG_HOME": "x", "HOME": "/h"}, want: "/h/.config/blunux-ai"},
		"a path is cleaned":            {env: map[string]string{"BLUNUX_AI_HOME": "/b/../c//d/"}, want: "/c/d"},
		"none is an error with a cure": {problem: "set BLUNUX_AI_HOME"},
		"a relative own one is not":    {env: map[string]string{"BLUNUX_AI_HOME": "b", "HOME": "/h"}, problem: "BLUNUX_AI_HOME"},
		"a relative home is not":       {env: map[string]string{"HOME": "h"}, problem: "cannot store files in h/.config/blunux-ai"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := config.FindPaths(func(v string) string { return tc.env[v] })
			if tc.problem != "" {
				require.ErrorContains(t, err, tc.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, p.Home)
		})
	}
}

func TestEveryFileIsBelowTheOneDirectory(t *testing.T) {
	p := config.Paths{Home: "/h"}
	require.Equal(t,
		[]string{"/h/config.toml", "/h/credentials", "/h/logs/commands.log", "/h/memory", "/h/sessions", "/h/approvals", "/h/outbox"},
		[]string{p.Config(), p.Credentials(), p.CommandLog(), p.Memory(), p.Sessions(), p.Approvals(), p.Outbox()})
}

func TestCachesAreApartUnlessTheHomeIsChosen(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"/b/cache/recall":                     {"BLUNUX_AI_HOME": "/b", "HOME": "/h", "XDG_CACHE_HOME": "/c"},
		"/c/blunux-ai/recall-f22dc706":        {"HOME": "/h", "XDG_CACHE_HOME": "/c"},
		"/h/.cache/blunux-ai/recall-f22dc706": {"HOME": "/h", "XDG_CACHE_HOME": "c"},
		"/x/blunux-ai/cache/recall":           {"XDG_CONFIG_HOME": "/x"},
	} {
		p, err := config.FindPaths(func(v string) string { return env[v] })
		require.NoError(t, err)
		require.Equal(t, want, p.Recall())
	}
}

func TestEnsureMakesTheDirectoryClosedToOthers(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, config.Paths{Home: home}.Ensure())
	require.Equal(t, os.FileMode(0o700), mode(t, home))
	require.NoError(t, config.Paths{Home: home}.Ensure(), "a second time is fine")
}

func TestThreat16EnsureClosesADirectoryOthersCanEnter(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.Chmod(home, 0o777))
	require.NoError(t, config.Paths{Home: home}.Ensure())
	require.Equal(t, os.FileMode(0o700), mode(t, home))
}

func TestEnsureRefusesAnotherUsersDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	home := t.TempDir()
	require.NoError(t, os.Chown(home, 12345, -1))
	require.ErrorContains(t, config.Paths{Home: home}.Ensure(), "belongs to uid 12345")
	require.NoError(t, os.Chown(home, 0, -1))
}

func TestEnsureTellsWhenAFileIsInTheWay(t *testing.T) {
	home := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(home, nil, 0o600))
	require.ErrorContains(t, config.Paths{Home: home}.Ensure(), "cannot create "+home)
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return fi.Mode().Perm()
}
