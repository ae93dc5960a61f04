package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	eastAsian = regexp.MustCompile(`[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}]`)
	// prose matches two words of a sentence.
	prose = regexp.MustCompile(`(^|[^-/.\w=$<%])[A-Za-z][a-z']+ [a-z][a-z']+\b`)
	// toWriter matches functions that write to a person or a file.
	toWriter = regexp.MustCompile(`^(fmt\.(Fp|P)rint(f|ln)?|io\.WriteString|\w+(\.\w+)*\.WriteString)$`)
	// shownFields are fields of messages, errors, help and notices that people read.
	shownFields = []string{"Short", "Long", "Example", "Message", "Hint", "Body", "Title", "Label", "Question", "Summary", "Placeholder", "Description"}
)

// elsewhere lists the packages and files whose texts are not for people, or are not ours.
var elsewhere = map[string]string{
	"i18n":                                "the catalogue and the rules of the languages",
	"internal/names":                      "names of programs, as people say them",
	"providers/offline/intent":            "requests that the built-in helper recognizes",
	"machine/journal.go":                  "Korean dates of journalctl",
	"machine/network.go":                  "Korean and Chinese words of ping",
	"providers/offline/report/note.go":    "words of notes and questions",
	"providers/offline/report/journal.go": "words of log messages, as are the six files below",
	"providers/offline/report/errors.go":  "",
	"providers/offline/report/excerpt.go": "",
	"providers/offline/report/network.go": "",
	"providers/offline/report/ready.go":   "",
	"providers/offline/report/space.go":   "",
	"providers/transport/kind.go":         "",
	"automation/span.go":                  "durations, as people write them",
	"automation/ruletable.go":             "invisible letters, as are the three files below",
	"internal/desktop/text.go":            "",
	"ipc/visible.go":                      "",
	"tools/commandlog/escape.go":          "",
	"daemon/rules/snooze.go":              "words of people that answer a message",
	"daemon/turns/notes.go":               "sentences of notes",
	"internal/secret":                     "words before passwords",
	"internal/charset":                    "frequent characters of languages",
	"tools/action/ownwords.go":            "words of people that agree to a change",
	"tools/action/automation.go":          "words of people that ask for silence",
	"agent":                               "prompts of models",
	"tools":                               "results for models, in English",
	"memory":                              "the file SYSTEM.md and errors for the log",
	"providers":                           "prompts of models and errors for the log; names of providers, which i18n.ProviderName translates",
	"ui/setup/pieces.go":                  "the languages' own names",
	"ui/search/words.go":                  "endings of Korean questions",
	"ui/chat/vi.go":                       "letters of the Korean keyboard",
	"test/channeltest":                    "tests", "test/injection": "tests", "test/helptest": "tests", "test/botapi": "tests", "test/discordapi": "tests", "test/providertest": "tests", "test/e2e/probe": "tests", ".ci": "tests",
	"packaging/bill":        "the file NOTICES",
	"packaging/pages":       "run by make man only",
	"cmd/blunux-ai-browser": "started by the daemon only",
	"cmd/blunux-ai-cell":    "started by the daemon only",
	"cmd/blunux-ai-extra":   "started by blunux-ai only",
}

// isElsewhere reports whether a file, or one of its directories, is listed.
func isElsewhere(path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if _, ok := elsewhere[path]; ok && !strings.HasPrefix(path, "providers/offline/report") || ok && strings.HasSuffix(path, ".go") {
			return true
		}
	}
	return false
}

// TestAllTextForPeopleIsInTheCatalogue searches all programs for texts outside the catalogue: Korean or Chinese
// anywhere, and English sentences that reach a writer or a field that people read.
func TestAllTextForPeopleIsInTheCatalogue(t *testing.T) {
	var found []string
	require.NoError(t, filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			if slices.Contains([]string{".git", "testdata", "bin", "dist", "node_modules"}, e.Name()) {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !isElsewhere(path):
			found = append(found, textsIn(t, path)...)
		}
		return nil
	}))
	require.Empty(t, strings.Join(found, "\n"))
}

// textsIn returns the texts for people in a file.
func textsIn(t *testing.T, path string) []string {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	require.NoError(t, err)
	var found []string
	report := func(node ast.Node, text string) {
		found = append(found, set.Position(node.Pos()).String()+": "+text)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BasicLit:
			if text := literal(n); eastAsian.MatchString(text) {
				report(n, text)
			}
		case *ast.CallExpr:
			if toWriter.MatchString(called(n.Fun)) {
				for _, arg := range n.Args {
					if text := literal(arg); prose.MatchString(text) {
						report(arg, text)
					}
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(shownFields, key.Name) && prose.MatchString(literal(n.Value)) {
				report(n, literal(n.Value))
			}
		}
		return true
	})
	return found
}

// literal returns the value of a string literal or of a sum with one, else "".
func literal(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value)
		return text
	case *ast.BinaryExpr:
		return literal(x.X) + literal(x.Y)
	case *ast.ParenExpr:
		return literal(x.X)
	}
	return ""
}

// called returns the name of a called function: fmt.Fprintln, b.WriteString.
func called(fun ast.Expr) string {
	switch x := fun.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return called(x.X) + "." + x.Sel.Name
	}
	return "?"
}
