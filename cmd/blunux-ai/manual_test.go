package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/test/helptest"
)

var update = flag.Bool("update", false, "write the goldens anew")

var languages = []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}

// treeIn returns this program's commands in a language. Some of their texts depend on the environment.
func treeIn(t *testing.T) func(i18n.Lang) *cobra.Command {
	return func(lang i18n.Lang) *cobra.Command {
		t.Setenv("BLUNUX_AI_LANG", string(lang))
		return newGuide(lang).Tree(lang)
	}
}

func TestEverythingInTheHelpIsToldInThreeLanguages(t *testing.T) {
	require.Empty(t, helptest.MissingTexts(treeIn(t)), "the same in two languages, or empty")
}

// noJSON maps the commands without --json to the reason.
var noJSON = map[string]string{
	"":              "only holds commands",
	"aur":           "only holds commands",
	"automations":   "only holds commands",
	"completion":    "prints a script",
	"config":        "only holds commands",
	"chat":          "is for people",
	"config export": "writes a file of settings",
	"daemon":        "prints nothing; its log is in the journal",
	"help":          "is for people",
	"mcp":           "speaks MCP",
	"memory":        "only holds commands",
	"shell":         "prints a script", "memory edit": "becomes the editor",
	"memory export": "writes JSON Lines", "open": "opens a window", "quick": "opens a window",
}

func TestEveryCommandThatPrintsHasJSON(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
		if cmd.Flags().Lookup("json") == nil {
			require.Contains(t, noJSON, path, "%q has neither --json nor a reason not to", path)
		}
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				look(c)
			}
		}
	}
	look(treeIn(t)(i18n.English))
}

func TestHelpFitsTheTerminal(t *testing.T) {
	for _, lang := range languages {
		for _, columns := range []int{40, 80, 120} {
			help := helptest.All(manual.Guide{Lang: lang, Columns: func() int { return columns }}, treeIn(t)(lang))
			for line := range strings.Lines(help) {
				if w := displaywidth.String(strings.TrimRight(line, "\n")); w > columns {
					t.Errorf("%s, %d columns: %s", lang, columns, line)
				}
			}
			if columns == 80 {
				file := filepath.Join("testdata", "help", string(lang)+".golden")
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(help), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, string(want), help, lang)
			}
		}
	}
}

// keysOf collects the keys of a table and of its subtables, by heading.
func keysOf(table reflect.Type, heading string, keys map[string][]string) {
	for i := range table.NumField() {
		f := table.Field(i)
		key := f.Tag.Get("toml")
		of := f.Type
		if f.Anonymous {
			keysOf(of, heading, keys)
		}
		if key == "-" || key == "" {
			continue
		}
		below := strings.TrimPrefix(heading+"."+key, ".")
		switch of.Kind() {
		case reflect.Pointer:
			of = of.Elem()
		case reflect.Map:
			of, below = of.Elem(), below+".NAME"
			if strings.HasSuffix(heading, ".NAME") {
				below = heading + "." + key + `."MODEL"`
			}
		case reflect.Slice:
			if of.Elem().Kind() == reflect.Struct {
				of, below = of.Elem(), "["+below+"]"
			}
		}
		if of.Kind() == reflect.Struct {
			keysOf(of, below, keys)
			continue
		}
		keys[heading] = append(keys[heading], key)
	}
}

// described returns the keys that a man page describes, by their heading.
func described(t *testing.T, page string) map[string][]string {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	plain := strings.NewReplacer(`\[`, "[", `\]`, "]", `\_`, "_", `\<`, "<", `\>`, ">").Replace(string(text))
	keys, heading := map[string][]string{}, ""
	for line := range strings.Lines(plain) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSuffix(strings.TrimPrefix(title, "["), "]")
		} else if strings.HasPrefix(line, "# ") {
			heading = line
		}
		if names, rest, ok := strings.Cut(strings.TrimPrefix(line, "**"), "** ("); ok && strings.HasPrefix(line, "**") && strings.HasSuffix(rest, ")") {
			keys[heading] = append(keys[heading], strings.Split(names, ", ")...)
		}
	}
	return keys
}

func TestTheManPageHasEveryKeyOfTheConfiguration(t *testing.T) {
	want := map[string][]string{}
	keysOf(reflect.TypeFor[config.Config](), "", want)
	delete(want, "agent") // the old spelling of ai_agent, which the page mentions
	rules := map[string]string{"en": "# AUTOMATIONS", "ko": "# 자동화", "zh": "# 自动化"}
	for lang, heading := range rules {
		got := described(t, filepath.Join("..", "..", "docs", "man", "blunux-ai-config.5."+lang+".md"))
		require.ElementsMatch(t, automation.Keys(), got[heading], "keys of a rule, %s", lang)
		delete(got, heading)
		require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)), "tables, %s", lang)
		for table, keys := range want {
			require.ElementsMatch(t, keys, got[table], "[%s], %s", table, lang)
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
	look(treeIn(t)(i18n.English))
	slices.Sort(paths)
	require.Equal(t, paths, manual.Commands["blunux-ai"], "manual/programs.go names them")
}
