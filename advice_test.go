package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Advice and commands for pacman that must not occur.
var (
	syncAlone    = regexp.MustCompile(`\bpacman\s+(?:-\S+\s+)*-S(?:y{1,2})(?:[^a-zA-Z]|$)|"-Sy{1,2}"`)
	wholeCache   = regexp.MustCompile(`\bpacman\s+(?:-\S+\s+)*-Sc{1,2}(?:[^a-zA-Z]|$)`)
	keepsOnlyOne = regexp.MustCompile(`\bpaccache\s+\S*-?rk[01](?:[^0-9]|$)`)
)

// TestH4H5NoAdviceBreaksThePackages searches all programs, documents and texts: package lists are never
// refreshed without an upgrade, and the previous version of a package is never deleted from the cache.
func TestH4H5NoAdviceBreaksThePackages(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "safety" || d.Name() == "phrases" || d.Name() == "dist" || d.Name() == "testenv") {
			return fs.SkipDir
		}
		ext := filepath.Ext(path)
		if d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.Contains(".go .md .tsv .json .toml .sh .install .service", ext) || ext == "" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, bad := range []*regexp.Regexp{syncAlone, wholeCache, keepsOnlyOne} {
				if bad.MatchString(line) {
					t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
				}
			}
		}
		return nil
	}))
	require.True(t, syncAlone.MatchString("run `pacman -Sy` first"))
	require.False(t, syncAlone.MatchString("sudo pacman -Syu"))
}
