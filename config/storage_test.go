package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
)

// storageSource returns the source of a person's settings that name a directory of conversations.
func storageSource(t *testing.T, sessions string) (config.Source, string) {
	t.Helper()
	home := t.TempDir()
	paths := config.Paths{Home: filepath.Join(home, "blunux-ai")}
	require.NoError(t, os.Mkdir(paths.Home, 0o700))
	require.NoError(t, os.WriteFile(paths.Config(), []byte("[storage]\nsessions = \""+sessions+"\"\n"), 0o600))
	src := config.NewSource(paths, func(name string) string { return map[string]string{"HOME": home}[name] })
	src.Distribution, src.System = "", ""
	return src, home
}

func TestConversationsAreKeptWhereTheSettingsSay(t *testing.T) {
	src, home := storageSource(t, "~/kept/talks")
	cfg, err := config.Load(src)
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	require.Equal(t, filepath.Join(home, "kept/talks"), cfg.Storage.PathsFor(src.Paths, home).Sessions())
	require.Equal(t, src.Paths.Sessions(), config.Storage{}.PathsFor(src.Paths, home).Sessions())

	require.NoError(t, os.Mkdir(src.Paths.Sessions(), 0o700))
	require.NoError(t, os.WriteFile(src.Paths.Sessions()+"/a.jsonl", nil, 0o600))
	cfg, err = config.Load(src)
	require.NoError(t, err)
	require.Len(t, cfg.Warnings, 1)
	require.Equal(t, 2, cfg.Warnings[0].Line)
	require.Contains(t, cfg.Warnings[0].In(i18n.English), "mkdir -p "+home+"/kept/talks && mv "+src.Paths.Sessions()+"/* "+home+"/kept/talks/")
}

func TestConversationsAreNotKeptWhereOthersCanChangeThem(t *testing.T) {
	open, file := filepath.Join(t.TempDir(), "open"), filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o770))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for sessions, why := range map[string]string{
		"talks":         "storage.sessions",
		"/tmp":          "other users can write to /tmp",
		open:            "other users can write to " + open,
		open + "/new":   "other users can write to " + open,
		file:            "is not a directory",
		file + "/below": "below: not a",
	} {
		src, _ := storageSource(t, sessions)
		_, err := config.Load(src)
		var bad *config.Error
		require.ErrorAs(t, err, &bad, sessions)
		require.Equal(t, 2, bad.Line, sessions)
		require.Contains(t, bad.In(i18n.English), why, sessions)
	}
}
