package main

import (
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/host"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
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
	require.Equal(t, []string{"printer\tmy printer", "20261122-101500\t"}, chatCompletions([]ipc.SessionRow{
		{Key: "agent:main:session:tui/printer", Title: "my \n printer"},
		{Key: "agent:main:session:cli/default", Title: "not of a chat"},
		{Key: "agent:main:session:tui/a very long na…", Title: "cut off"},
		{Key: "agent:main:session:tui/20261122-101500", Title: ""},
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

// TestSetupNamesTheHostsThatThereAre: another program connects them.
func TestSetupNamesTheHostsThatThereAre(t *testing.T) {
	var names []string
	for _, h := range host.All() {
		names = append(names, h.Name)
	}
	require.Equal(t, names, hosts())
}
