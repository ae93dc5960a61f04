package aur_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/upgrade/aur"
)

// corpus is a directory with public repositories of recipes, each in a directory OWNER+NAME@COMMIT. The repository keeps what was
// found about them, not their text.
var corpus = flag.String("corpus", "", "judge the recipes below this directory and write testdata/ordinary.tsv")

const ordinaryFile = "testdata/ordinary.tsv"

// ordinary is a row of ordinaryFile: where a recipe is from, its digest and our verdict.
type ordinary struct{ name, source, digest, verdict, codes string }

func digestOf(r aur.Recipe) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(r.Files[name]))
		sum.Write(r.Files[name])
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

func judgeOrdinary(dir, source string) (o ordinary, ok bool) {
	recipe, err := aur.ReadDir(dir)
	if err != nil {
		return o, false
	}
	report := aur.Check(recipe)
	o = ordinary{filepath.Base(dir), source, digestOf(recipe), "passed", ""}
	if report.Held() {
		o.verdict = "held"
	}
	codes := map[string]bool{}
	for _, f := range report.Facts {
		if f.Severity != aur.Note {
			codes[string(f.Code)] = true
		}
	}
	o.codes = strings.Join(slices.Sorted(maps.Keys(codes)), " ")
	return o, true
}

func writeOrdinary(t *testing.T) {
	t.Helper()
	var rows []string
	require.NoError(t, filepath.WalkDir(*corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "PKGBUILD" {
			return err
		}
		rel, err := filepath.Rel(*corpus, filepath.Dir(path))
		if err != nil {
			return err
		}
		if o, ok := judgeOrdinary(filepath.Dir(path), strings.Replace(rel, "+", "/", 1)); ok {
			rows = append(rows, strings.Join([]string{o.name, o.source, o.digest, o.verdict, o.codes}, "\t"))
		}
		return nil
	}))
	slices.Sort(rows)
	require.NoError(t, os.WriteFile(ordinaryFile, []byte(strings.Join(rows, "\n")+"\n"), 0o644))
}

// TestOrdinaryRecipesAreNotHeld compares the verdicts about recipes of public repositories with the bound: of 100, fewer than
// two are held.
func TestOrdinaryRecipesAreNotHeld(t *testing.T) {
	if *corpus != "" {
		writeOrdinary(t)
	}
	f, err := os.Open(ordinaryFile)
	require.NoError(t, err)
	defer f.Close()
	all, held := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		columns := strings.Split(lines.Text(), "\t")
		require.Len(t, columns, 5, lines.Text())
		all++
		if columns[3] == "held" {
			held++
			t.Log("held: ", lines.Text())
		}
	}
	require.GreaterOrEqual(t, all, 200)
	require.Less(t, float64(held)/float64(all), 0.02)
	t.Logf("%d of %d held", held, all)
}
