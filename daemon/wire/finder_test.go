package wire

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

// embeddings is a server with one axis for drinks and one for the rest. It records the texts that it was sent.
type embeddings struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
	auth string
}

func newEmbeddings(t *testing.T) *embeddings {
	e := &embeddings{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.sent, e.auth = append(e.sent, in.Input...), r.Header.Get("Authorization")
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		out := struct {
			Data []vector `json:"data"`
		}{}
		for i, text := range in.Input {
			v := vector{i, []float32{0.1, 1}}
			if strings.Contains(text, "espresso") || strings.Contains(text, "beverage") {
				v.Embedding = []float32{1, 0.1}
			}
			out.Data = append(out.Data, v)
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(e.Close)
	return e
}

// finding returns the notes of a home with a few notes, found with vectors of a server.
func finding(t *testing.T, url string) (*notes.Notes, *[]error) {
	t.Helper()
	paths := config.Paths{Home: t.TempDir()}
	for name, text := range map[string]string{
		"credentials/embeddings": "hunter2-key",
		"memory/MEMORY.md":       "- an espresso in the morning\n- the printer is in room 4\n- my password is swordfish99\n",
	} {
		file := filepath.Join(paths.Home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	var mu sync.Mutex
	warned := &[]error{}
	f := notes.NewFinder(notes.FinderOptions{Paths: paths, Getenv: func(string) string { return "" }, Program: indexProgram(), Warn: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		*warned = append(*warned, err)
	}})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	cfg := config.Config{Memory: config.Memory{Embeddings: config.Embeddings{BaseURL: url, Model: "m", Dialect: "openai"}}}
	return notes.New(paths, cfg.Memory, f, secret.NewRedactor(nil)), warned
}

func TestNotesAreFoundByMeaningWhereThereIsAServerForIt(t *testing.T) {
	e := newEmbeddings(t)
	n, _ := finding(t, e.URL)
	n.Finder.UpdateInBackground()
	n.Finder.Busy.Wait() // vectors are computed in the background
	hits, err := n.Recall(t.Context(), memory.Query{Words: "favourite beverage"})
	require.NoError(t, err)
	require.NotEmpty(t, hits)
	require.Equal(t, "an espresso in the morning", hits[0].Text)
	e.mu.Lock()
	defer e.mu.Unlock()
	require.Equal(t, "Bearer hunter2-key", e.auth)
	require.NotContains(t, strings.Join(e.sent, "\n"), "swordfish99", "no password leaves")
}

func TestWithoutItsServerNotesAreFoundByTheirWords(t *testing.T) {
	e := newEmbeddings(t)
	e.Close()
	n, _ := finding(t, e.URL)
	hits, err := n.Recall(t.Context(), memory.Query{Words: "printer"})
	require.NoError(t, err)
	require.Equal(t, "the printer is in room 4", hits[0].Text)
}

func TestAPersonsOwnNamesFindNotes(t *testing.T) {
	n, _ := finding(t, "")
	own := filepath.Join(n.Finder.Paths.Offline(), "names.tsv")
	require.NoError(t, os.MkdirAll(filepath.Dir(own), 0o700))
	require.NoError(t, os.WriteFile(own, []byte("# mine\nprinter\t-\tapp\tsplotchy\nbad row\n"), 0o600))
	hits, err := n.Recall(t.Context(), memory.Query{Words: "splotchy"})
	require.NoError(t, err)
	require.Empty(t, hits)
	n.Finder.Configure(config.Embeddings{}, n.Finder.Paths.Sessions(), n.Redactor) // the configuration is read again
	hits, err = n.Recall(t.Context(), memory.Query{Words: "splotchy"})
	require.NoError(t, err)
	require.NotEmpty(t, hits)
	require.Equal(t, "the printer is in room 4", hits[0].Text)
}
