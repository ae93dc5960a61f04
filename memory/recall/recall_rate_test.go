package recall_test

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

var (
	//go:embed testdata/notes.tsv
	notesTable string
	//go:embed testdata/queries.tsv
	queriesTable string
)

// testQuery is one row of queries.tsv.
type testQuery struct {
	half, lang, kind, words string
	answers                 []string // ids
}

// notebook writes the notes of notes.tsv as Markdown files. It returns their directory and the texts by id.
func notebook(t testing.TB) (dir string, texts map[string]string) {
	dir, texts = t.TempDir(), map[string]string{}
	files, headings := map[string]*strings.Builder{}, map[string]string{}
	for row := range names.Rows(notesTable) {
		require.Len(t, row, 4, "%v", row)
		id, file, heading, line := row[0], row[1], row[2], row[3]
		b := files[file]
		if b == nil {
			b = &strings.Builder{}
			files[file] = b
		}
		if heading != headings[file] {
			fmt.Fprintf(b, "\n## %s\n\n", heading)
			headings[file] = heading
		}
		b.WriteString(line + "\n")
		split := memory.Split(file, line, day(t, "2025-11-22"))
		require.Len(t, split, 1, line)
		texts[id] = split[0].Text
	}
	for file, b := range files {
		write(t, filepath.Join(dir, file), b.String())
	}
	return dir, texts
}

func queries(t testing.TB) []testQuery {
	var all []testQuery
	for row := range names.Rows(queriesTable) {
		require.Len(t, row, 5, "%v", row)
		all = append(all, testQuery{row[0], row[1], row[2], row[3], strings.Split(row[4], ",")})
	}
	return all
}

// Checks the rate for each language and for each kind of query, in both halves.
func TestTheRightNoteIsAmongTheFirstThree(t *testing.T) {
	dir, texts := notebook(t)
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Now: on(day(t, "2025-11-22"))})
	type count struct{ found, all int }
	rates := map[string]*count{}
	for _, q := range queries(t) {
		hits, err := x.Recall(context.Background(), memory.Query{Words: q.words, Limit: 3})
		require.NoError(t, err)
		ok := slices.ContainsFunc(hits, func(h memory.Hit) bool {
			return slices.ContainsFunc(q.answers, func(id string) bool { return h.Text == texts[id] })
		})
		for _, key := range []string{q.half + " " + q.lang, q.half + " " + q.kind, q.half} {
			if rates[key] == nil {
				rates[key] = &count{}
			}
			rates[key].all++
			if ok {
				rates[key].found++
			}
		}
		if !ok && (q.half == "dev" || os.Getenv("RECALL_SHOW_HELD") != "") {
			t.Logf("missed: %s %s %q wants %q", q.lang, q.kind, q.words, texts[q.answers[0]])
			for _, h := range hits {
				t.Logf("    %.2f %s", h.Score, h.Text)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rates)) {
		c := rates[key]
		rate := float64(c.found) / float64(c.all)
		t.Logf("%-14s %3d of %3d  %.3f", key, c.found, c.all, rate)
		require.GreaterOrEqual(t, rate, 0.95, key)
	}
}
