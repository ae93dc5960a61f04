package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// TestWhatTheSetUpRunsIsWrittenDownBefore applies to doctor too.
func TestWhatTheSetUpRunsIsWrittenDownBefore(t *testing.T) {
	paths := config.Paths{Home: filepath.Join(t.TempDir(), "home")}
	ran := 0
	n := loggedRunner{lang: i18n.English, paths: paths, run: func(context.Context, []string) error {
		ran++
		text, err := os.ReadFile(paths.CommandLog())
		require.NoError(t, err)
		require.Contains(t, string(text), "CONFIRMED   npm install -g '@anthropic-ai/claude-code'")
		return errors.New("no network")
	}}
	require.EqualError(t, n.Run(t.Context(), []string{"npm", "install", "-g", "@anthropic-ai/claude-code"}), "no network")
	require.Equal(t, 1, ran)
	report, err := commandlog.New(paths.CommandLog(), time.Now).Verify()
	require.NoError(t, err)
	require.True(t, report.OK)
	audit, err := os.ReadFile(filepath.Join(paths.Logs(), "audit.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(audit), `"tool":"setup"`)
	require.Contains(t, string(audit), "no network")
}

// TestNothingRunsThatCannotBeWrittenDown: the log is a directory, or its parent directory is a file.
func TestNothingRunsThatCannotBeWrittenDown(t *testing.T) {
	for name, spoil := range map[string]func(config.Paths) error{
		"a directory": func(p config.Paths) error { return os.MkdirAll(p.CommandLog(), 0o700) },
		"a link": func(p config.Paths) error {
			if err := os.MkdirAll(p.Logs(), 0o700); err != nil {
				return err
			}
			return os.Symlink("/dev/null", p.CommandLog())
		},
	} {
		t.Run(name, func(t *testing.T) {
			paths := config.Paths{Home: filepath.Join(t.TempDir(), "home")}
			require.NoError(t, spoil(paths))
			n := loggedRunner{lang: i18n.English, paths: paths, run: func(context.Context, []string) error {
				t.Error("it ran")
				return nil
			}}
			require.ErrorContains(t, n.Run(t.Context(), []string{"systemctl", "--user", "enable", "--now", "blunux-ai-agent.socket"}), "so no command was run")
		})
	}
}
