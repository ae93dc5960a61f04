package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/channel"
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
