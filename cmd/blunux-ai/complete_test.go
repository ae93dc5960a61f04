package main

import (
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestFlagsCompleteTheirValues(t *testing.T) {
	root := newRoot(i18n.English)
	complete(root)
	setup, _, err := root.Find([]string{"setup"})
	require.NoError(t, err)
	values, ok := setup.GetFlagCompletionFunc("provider")
	require.True(t, ok)
	words, directive := values(setup, nil, "")
	require.Equal(t, cobra.ShellCompDirectiveNoFileComp, directive)
	require.Contains(t, words, "deepseek")
	require.Contains(t, words, "offline")
}

func TestChatsOfTheTerminalAreCompleted(t *testing.T) {
	require.Equal(t, []string{"printer\tmy printer", "20261122-101500\t"}, chatCompletions([]namedChat{
		{"agent:main:session:tui/printer", "my \n printer"},
		{"agent:main:session:cli/default", "not of a chat"},
		{"agent:main:session:tui/a very long na…", "cut off"},
		{"agent:main:session:tui/20261122-101500", ""},
	}))
}

func TestConfigShowCompletesKeys(t *testing.T) {
	t.Setenv("BLUNUX_AI_HOME", filepath.Join(t.TempDir(), "home"))
	cmd := newConfigShow()
	keys, directive := completeKeys(cmd, nil, "limits")
	require.Equal(t, cobra.ShellCompDirectiveNoFileComp, directive)
	require.Contains(t, keys, "limits")
	require.Contains(t, keys, "limits.rounds")
	require.NotContains(t, keys, "ai_agent")
	keys, _ = completeKeys(cmd, []string{"limits"}, "")
	require.Empty(t, keys, "one key is enough")
}
