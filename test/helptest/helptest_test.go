package helptest

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

func program(lang i18n.Lang) *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "the program", Version: "1.2"}
	ask := &cobra.Command{Use: "ask", Short: "ask", Run: func(*cobra.Command, []string) {}}
	ask.Flags().Int("lines", 50, "how many")
	root.AddCommand(ask)
	manual.Guide{Lang: lang, Tree: program}.AddHelp(root)
	return root
}

func TestGapsAreFound(t *testing.T) {
	gaps := MissingTexts(program) // its texts are only in English
	require.Contains(t, gaps, "prog ask")
	require.Contains(t, gaps, "prog ask --lines")
	require.NotContains(t, gaps, "prog completion")
	require.NotContains(t, gaps, "prog --help")
	require.Contains(t, All(manual.Guide{Lang: i18n.English}, program(i18n.English)), "==== prog ask\n")
}
