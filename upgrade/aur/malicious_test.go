package aur_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/upgrade/aur"
)

// readRecipe returns the recipe in an archive of testdata, and its comment.
func readRecipe(t *testing.T, file string) (aur.Recipe, string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	r := aur.Recipe{Files: map[string][]byte{}}
	for _, f := range archive.Files {
		r.Files[f.Name] = f.Data
	}
	return r, string(archive.Comment)
}

// Threat39: each of these is written after a public report, which its first line names.
func TestThreat39MaliciousRecipesAreHeld(t *testing.T) {
	files, err := filepath.Glob("testdata/malicious/*.txtar")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 30)
	for _, file := range files {
		recipe, comment := readRecipe(t, file)
		report := aur.Check(recipe)
		require.True(t, report.Held(), "%s is not held: %+v", file, report.Facts)
		require.True(t, strings.HasPrefix(comment, "Source: "), file)
		_, codes, _ := strings.Cut(comment, "Facts: ")
		for _, code := range strings.Fields(codes) {
			require.True(t, report.Has(aur.Code(code)), "%s lacks %s: %+v", file, code, report.Facts)
		}
	}
}
