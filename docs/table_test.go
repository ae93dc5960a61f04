package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

var escaped = strings.NewReplacer("\\", "")

// words returns the text of a document, with man pages' backslashes removed.
func words(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	require.NoError(t, err)
	return escaped.Replace(string(text))
}

// TestEveryMessengerIsDocumented compares the documents with the table of channels.
func TestEveryMessengerIsDocumented(t *testing.T) {
	for _, c := range channel.All() {
		for _, page := range []string{"en", "ko", "zh"} {
			page = "docs/man/blunux-ai-config.5." + page + ".md"
			require.Contains(t, words(t, page), "\n## ["+c.Name+"]\n", page)
			require.Contains(t, words(t, page), "\n**"+c.Senders+"**", page)
		}
		for _, page := range []string{"docs/configuration.md", "docs/configuration.ko.md"} {
			require.Contains(t, words(t, page), "["+c.Name+"]", page)
		}
	}
	for _, c := range channel.WithBridge() {
		for _, page := range []string{"README.md", "README.ko.md", "README.zh.md"} {
			require.Contains(t, words(t, page), c.Title, page)
		}
		for _, lang := range []string{".md", ".ko.md"} {
			require.Contains(t, words(t, "docs/"+c.Name+lang), c.Program+" login")
			require.Contains(t, words(t, "docs/index.md"), "("+c.Name+lang+")")
			require.Contains(t, words(t, "docs/guide"+lang), c.Unit)
			for _, fact := range []string{c.Program, c.Unit, "[" + c.Name + "] " + c.Senders, "(" + c.Name + lang + ")"} {
				require.Contains(t, words(t, "docs/bridges"+lang), fact)
			}
		}
	}
}

// TestEveryProviderIsDocumented compares the documents with the table of providers.
func TestEveryProviderIsDocumented(t *testing.T) {
	pages := []string{"docs/configuration.md", "docs/configuration.ko.md"}
	for _, lang := range []string{"en", "ko", "zh"} {
		pages = append(pages, "docs/man/blunux-ai-config.5."+lang+".md")
	}
	for _, page := range pages {
		text := words(t, page)
		for _, e := range catalog.All() {
			require.True(t, regexp.MustCompile(`\b`+e.Name+`\b`).MatchString(text), "%s: %s", page, e.Name)
		}
	}
	for _, page := range pages[:2] {
		text := words(t, page)
		for _, e := range catalog.All() {
			if len(e.Keys.Env) > 0 && !e.Keys.Optional {
				row := " | " + strings.Join(e.Keys.Env, ", ") + " | credentials/" + e.Keys.Credential + " |"
				require.True(t, strings.Contains(text, row), "%s: %s", page, e.Name)
			}
			if e.BaseURL != "" {
				row := "| " + e.Name + " | " + e.BaseURL + " | " + strings.Join(e.ServerEnv, ", ") + " |"
				require.True(t, strings.Contains(text, row), "%s: %s", page, e.Name)
			}
		}
	}
}

// TestHelpIsOfACommandThatExists compares the texts of help with the programs.
func TestHelpIsOfACommandThatExists(t *testing.T) {
	for key := range i18n.Help() {
		path, field, _ := strings.Cut(key, ".")
		h, ok := realHelp(strings.Fields(path)...)
		require.True(t, ok, key)
		if strings.HasPrefix(field, "--") && hiddenNames[path+" "+field] == "" {
			require.True(t, slices.ContainsFunc(h.flags, func(f flagOf) bool { return f.name == field }), key)
		}
	}
	for _, c := range channel.All() {
		require.Contains(t, i18n.Help()["blunux-aictl pairing.long"].In(i18n.English), c.Title)
	}
}
