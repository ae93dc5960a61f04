package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/test/helptest"
)

// treeIn returns this program's commands in a language.
func treeIn(lang i18n.Lang) *cobra.Command {
	return (&app{lang: lang, out: &output{w: &bytes.Buffer{}}}).root()
}

func TestEverythingInTheHelpIsToldInThreeLanguages(t *testing.T) {
	require.Empty(t, helptest.MissingTexts(treeIn), "the same in two languages, or empty")
}

// noJSON maps the commands without --json to the reason.
var noJSON = map[string]string{
	"help":            "is for people",
	"completion":      "prints a script",
	"call":            "prints the lines of the protocol, which are JSON",
	"sessions export": "writes a file: --format jsonl is one",
	"":                "only holds commands",
	"channel add":     "becomes the login of a bridge, which is for people",
	"daemon":          "only holds commands",
	"fleet":           "becomes the bridge of a fleet, which is for people",
	"gateway":         "only holds commands",
	"gateway token":   "only holds commands",
	"offline":         "only holds commands",
}

func TestEveryCommandThatPrintsHasJSON(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
		_, but := noJSON[path]
		require.NotEqual(t, but, cmd.Flags().Lookup("json") != nil, "%q has --json, or a reason not to", path)
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				look(c)
			}
		}
	}
	look(treeIn(i18n.English))
}

func TestHelpFitsTheTerminal(t *testing.T) {
	for _, lang := range languages {
		for _, columns := range []int{40, 80, 120} {
			help := helptest.All(manual.Guide{Lang: lang, Columns: func() int { return columns }}, treeIn(lang))
			for line := range strings.Lines(help) {
				if w := displaywidth.String(strings.TrimRight(line, "\n")); w > columns {
					t.Errorf("%s, %d columns: %s", lang, columns, line)
				}
			}
			if columns == 80 {
				golden(t, "help/"+string(lang), help)
			}
		}
	}
}

func TestU14TheTableOfOtherProgramsNamesThisOnesCommands(t *testing.T) {
	var paths []string
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" && c.Name() != "version" && c.Name() != "man" {
				paths = append(paths, strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "))
				look(c)
			}
		}
	}
	look(treeIn(i18n.English))
	slices.Sort(paths)
	require.Equal(t, paths, manual.Commands["blunux-aictl"], "manual/programs.go names them")
}
